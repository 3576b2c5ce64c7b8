// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "limber/anatomy/reader_model.h"
#include "limber/base/math.h"
#include "limber/base/result.h"
#include "limber/nn/training_plan.h"
#include "limber/rig/role.h"

/// Teaches the network that reads bodies.
namespace limber::anatomy {

/// A limb of an example: where it leaves the body, and where it ends.
struct ExampleLimb {
  rig::LimbKind kind = rig::LimbKind::kTrunk;
  rig::Side side = rig::Side::kMiddle;
  Vec3 root, tip;
};

/// A body whose parts are known: +Y up, facing +Z.
struct ReaderExample {
  std::vector<Vec3> points, normals;  ///< model.points
  std::vector<std::uint8_t> regions;  ///< per point
  std::vector<Vec3> starts;           ///< per point: the joint that starts its region
  std::vector<ExampleLimb> limbs;
  std::vector<std::uint16_t> limb;  ///< per point: which of the limbs it is of
  std::vector<float> along;         ///< per point: how far along that limb, 0 to 1
  bool limbs_known = true;          ///< else nothing is learned about parts and limbs from it
  bool kind_known = true;           ///< nor about kinds
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
  double limbs = 0;    ///< share of points whose kind of limb is right
  double sides = 0;    ///< ... and whose side
  double along = 0;    ///< mean error of how far along its limb a point is
  double roots = 0;    ///< mean distance of where a point's limb leaves
  double tips = 0;     ///< ... and ends
  double counts = 0;   ///< share of bodies of which the number of limbs of every kind is right
  double kinds = 0;    ///< share of bodies
  double forward = 0;  ///< share of bodies whose front is within 45 degrees
  double up = 0;
};

struct ReaderStep : nn::TrainingStep {
  ReadScore validation;  ///< of the averaged weights, where `validated`
};

struct ReaderTraining {
  ReaderModel model;
  std::vector<int> mirrored;        ///< per region: what it is in a mirror
  std::vector<Temperatures> folds;  ///< see `calibrated_by`; may be empty
  nn::TrainingPlan plan = default_plan();
  std::function<bool(const ReaderStep&)> on_report;  ///< false: stop here, keeping what was learned

  /// An example takes 57 kB.
  static nn::TrainingPlan default_plan() {
    nn::TrainingPlan plan;
    plan.batch = 256, plan.pool = 100000, plan.first_examples = 4000, plan.validation_examples = 1024;
    plan.learning_rate = 8e-4, plan.final_rate = 0.02, plan.weight_decay = 0.05, plan.warmup_steps = 400;
    plan.report_steps = 100, plan.validation_steps = 1000;
    return plan;
  }
};

struct ReaderReport : nn::TrainingReport {
  ReadScore validation;
  Temperatures temperatures;  ///< fitted on the bodies for validation, or by `folds`; `reader.json` has them
};

/// Trains and writes the averaged weights to `folder`, those of its layers in 8 bits and the rest in 16, in 16
/// (`averaged.safetensors`, to start from) and what is needed to resume beside them, at every validation and at the
/// end. Bodies are turned every way, mirrored and made rough as they are learned; drawing goes on beside, on all cores.
Result<ReaderReport> train_reader(const ExampleSource& source, const std::filesystem::path& folder,
                                  const ReaderTraining& settings);

}  // namespace limber::anatomy
