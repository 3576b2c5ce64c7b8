// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "limber/base/result.h"
#include "limber/motion_space/motion_model.h"
#include "limber/nn/training_plan.h"

/// Teaches the network of motions.
namespace limber::motion_space {

/// A body and two seconds of what it does.
struct MotionExample {
  std::shared_ptr<const MotionConditions> body;
  std::vector<float> turns;            ///< kFrames x joints x 6: first and second column of world rotation changes
  std::vector<float> way;              ///< kFrames x kBodyNumbers, as MotionState has it
  std::vector<std::uint8_t> contacts;  ///< kFrames x joints: whether a foot stands on the ground
  MotionFacts facts;
  bool way_known = true;  ///< else nobody knows how far it got: it was made in place
  bool periodic = false;  ///< the frame after the last one is the first
};

/// Example number `index`, always the same. Called from several threads.
using MotionSource = std::function<Result<MotionExample>(std::uint64_t index)>;

/// Examples from here on are for validation alone.
inline constexpr std::uint64_t kValidationMotions = std::uint64_t{1} << 40;

/// How well motions of bodies are known that were not taught: squared errors over squared numbers, so that 1 is what
/// one who knows nothing would say.
struct MotionScore {
  double loss = 0;  ///< as training has it
  double early = 0, middle = 0,
         late = 0;        ///< of the motion about its mean pose, where nearly all, most and half is noise
  double mean = 0;        ///< of the mean pose, where most is noise
  double recognised = 0;  ///< of a model that judges, instead of these: share of clips whose action is told
  double contacts = 0;    ///< share of feet and frames whose contact is right, there, too
};

struct MotionStep : nn::TrainingStep {
  MotionScore validation;  ///< of the averaged weights, where `validated`
};

/// What a pupil learns to do in half of the steps and one pass of each instead of two.
struct MotionPupil {
  int teacher_steps = 10;
  double guidance = 4;  ///< of its teacher
};

struct MotionTraining {
  MotionModel model;
  std::optional<MotionPupil> pupil;  ///< of the network in `plan.from`
  nn::TrainingPlan plan = default_plan();
  std::function<bool(const MotionStep&)> on_report;  ///< false: stop here, keeping what was learned

  /// An example takes 58 kB.
  static nn::TrainingPlan default_plan() {
    nn::TrainingPlan plan;
    plan.batch = 256, plan.pool = 60000, plan.first_examples = 6000, plan.validation_examples = 256;
    plan.learning_rate = 6e-4, plan.final_rate = 0.02, plan.weight_decay = 0.02, plan.warmup_steps = 300;
    plan.report_steps = 100, plan.validation_steps = 2000, plan.average_decay = 0.9993;
    return plan;
  }
};

struct MotionReport : nn::TrainingReport {
  MotionScore validation;
};

/// Trains and writes the averaged weights to `folder`, those of its layers in 8 bits and the rest in 16, in 16
/// (`averaged.safetensors`, to start from) and what is needed to resume beside them, at every validation and at the
/// end.
Result<MotionReport> train_motions(const MotionSource& source, const std::filesystem::path& folder,
                                   const MotionTraining& settings);

}  // namespace limber::motion_space
