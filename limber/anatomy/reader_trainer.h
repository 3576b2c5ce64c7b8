// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "limber/anatomy/reader_model.h"
#include "limber/base/math.h"
#include "limber/base/result.h"

/// Teaches the network that reads bodies.
namespace limber::anatomy {

/// A body whose parts are known: +Y up, facing +Z.
struct ReaderExample {
  std::vector<Vec3> points, normals;  ///< model.points
  std::vector<std::uint8_t> regions;  ///< per point
  std::vector<Vec3> starts;           ///< per point: the joint that starts its region
  int kind = 0;
};

/// Example number `index`, always the same. Called from several threads.
using ExampleSource = std::function<Result<ReaderExample>(std::uint64_t index)>;

/// Examples from here on are for validation alone.
inline constexpr std::uint64_t kValidationExamples = std::uint64_t{1} << 40;

/// How well bodies are read.
struct ReadScore {
  double loss = 0;
  double regions = 0;  ///< share of points whose part is right
  double starts = 0;   ///< mean distance of a part's joint, of the body's spread
  double kinds = 0;    ///< share of bodies
  double forward = 0;  ///< share of bodies whose front is within 45 degrees
  double up = 0;
};

struct ReaderStep {
  std::int64_t step = 0, examples = 0;
  double seconds = 0, loss = 0, learning_rate = 0, gradient_norm = 0;
  bool scored = false;
  ReadScore validation;  ///< of the averaged weights, where `scored`
};

struct ReaderTraining {
  ReaderModel model;
  std::vector<int> mirrored;    ///< per region: what it is in a mirror
  std::string device = "auto";  ///< cpu, cuda or cuda:N; auto: the GPU if there is one
  std::filesystem::path from;   ///< a model folder to go on from; empty: from nothing
  double seconds = 480;         ///< of training, after the first examples are there
  std::int64_t max_steps = 0;   ///< 0: as many as fit into the time
  int batch = 256;
  std::int64_t pool = 100000;  ///< examples in memory, 54 kB each; once full, the oldest give way to new ones
  std::int64_t first_examples = 4000;
  int validation_examples = 512;
  double learning_rate = 8e-4, final_rate = 0.02, weight_decay = 0.05, max_gradient_norm = 1;
  std::int64_t warmup_steps = 400;
  double average_decay = 0.999;
  std::uint64_t seed = 0;
  std::int64_t report_steps = 100, validation_steps = 1000;
  std::function<bool(const ReaderStep&)> on_report;  ///< false: stop here, keeping what was learned
};

struct ReaderReport {
  std::int64_t steps = 0, examples = 0, parameters = 0;
  double seconds = 0, first_seconds = 0, loss = 0;
  ReadScore validation;
  std::string device;
};

/// Trains and writes the averaged weights in 16 bits to `folder`, at every validation and at the end. Bodies are turned
/// every way, mirrored and made rough as they are learned; drawing goes on beside, on all cores.
Result<ReaderReport> train_reader(const ExampleSource& source, const std::filesystem::path& folder,
                                  const ReaderTraining& settings);

}  // namespace limber::anatomy
