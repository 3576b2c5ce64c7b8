// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "limber/base/result.h"
#include "limber/prior/part_model.h"

/// Teaches the built-in prior from clips that someone else draws.
namespace limber::prior {

/// A part-colour video, the body at rest as the same cameras see it, and ways to say what it does.
struct PartClip {
  std::vector<std::uint8_t> video;    ///< [views, frames, 3, size, size]
  std::vector<std::uint8_t> rest;     ///< [views, 3, size, size]
  std::vector<std::string> captions;  ///< kClipCaptions
};
inline constexpr int kClipCaptions = 4;

/// Clip number `index`, always the same. Called from several threads.
using ClipSource = std::function<Result<PartClip>(std::uint64_t index)>;

/// Clips from here on are for validation alone.
inline constexpr std::uint64_t kValidationClips = std::uint64_t{1} << 40;

struct TrainStep {
  std::int64_t step = 0;
  double seconds = 0;           ///< of training so far
  double loss = 0;              ///< mean since the last report
  double validation_loss = -1;  ///< with the averaged weights; negative where it was not measured
  double learning_rate = 0, gradient_norm = 0;
  std::int64_t clips = 0;  ///< drawn so far
};

struct TrainSettings {
  PartModel model;
  std::string device = "auto", dtype = "auto";  ///< as LoadSettings
  std::filesystem::path from;                   ///< a model folder to go on from; empty: from nothing
  bool resume = false;                          ///< go on from `training_state.safetensors` in the output folder
  double seconds = 480;                         ///< of training, after the first clips are there
  std::int64_t max_steps = 0;                   ///< 0: as many as fit into the time
  int batch = 128;
  std::int64_t pool = 20000;        ///< clips in memory; once full, the oldest give way to new ones
  std::int64_t max_clips = 0;       ///< drawn at most; 0: as long as the training goes on
  std::int64_t first_clips = 2000;  ///< before training begins
  int validation_clips = 64;
  double learning_rate = 6e-4, final_rate = 0.05, weight_decay = 0.01, max_gradient_norm = 1;
  std::int64_t warmup_steps = 300;
  double average_decay = 0.999;
  double drop_text = 0.1, drop_rest = 0.1;         ///< how often a condition is withheld
  double noise_mean = 0.6, noise_deviation = 1.2;  ///< share of noise = sigmoid of a normal number
  double noise_floor = 0.1;                        ///< errors count divided by the share of noise, at least this
  double body_weight = 3;                          ///< of pixels with a colour, against those of the grey ground
  std::uint64_t seed = 0;
  std::int64_t report_steps = 50, validation_steps = 500;
  std::function<bool(const TrainStep&)> on_report;  ///< false: stop here, keeping what was learned
};

struct TrainReport {
  std::int64_t steps = 0, clips = 0, samples = 0, parameters = 0;
  double seconds = 0, first_seconds = 0;  ///< of training; until the first clips were there
  double loss = 0, validation_loss = 0;
  std::string device;
};

/// Trains and writes the averaged weights to `folder` (see PartPrior), and weights, moments and averages as they are to
/// `training_state.safetensors` there, at every validation and at the end. Drawing goes on beside the training, on all
/// cores.
Result<TrainReport> train_part_prior(const ClipSource& source, const std::filesystem::path& folder,
                                     const TrainSettings& settings);

}  // namespace limber::prior
