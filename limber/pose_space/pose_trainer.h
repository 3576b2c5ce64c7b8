// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "limber/base/result.h"
#include "limber/nn/training_plan.h"
#include "limber/pose_space/pose_model.h"

/// Teaches the network of poses.
namespace limber::pose_space {

/// Poses of an example.
inline constexpr int kPosesEach = 4;

/// A body and some of its poses.
struct PoseExample {
  std::shared_ptr<const PoseConditions> body;
  std::vector<float> turns;  ///< poses x joints x 6: first and second column of world rotation changes
};

/// Example number `index`, always the same. Called from several threads.
using PoseSource = std::function<Result<PoseExample>(std::uint64_t index)>;

/// Examples from here on are for validation alone.
inline constexpr std::uint64_t kValidationPoses = std::uint64_t{1} << 40;

/// How well poses of bodies are known that were not taught.
struct PoseScore {
  double loss = 0;      ///< mean squared error of the velocity
  double denoised = 0;  ///< mean distance of joints, in radii, of poses that were half noise
  double still = 0;     ///< ... of the rest pose: what one who knows nothing would say
  double filled = 0;    ///< ... of hidden limbs that are filled in from nothing, in one step
  double whole = 0;     ///< chance that a pose is held more plausible than a spoiled one (AUC)
  double joints = 0;    ///< ... a joint than a culprit
};

struct PoseStep : nn::TrainingStep {
  PoseScore validation;  ///< of the averaged weights, where `validated`
};

struct PoseTraining {
  PoseModel model;
  nn::TrainingPlan plan = default_plan();
  std::function<bool(const PoseStep&)> on_report;  ///< false: stop here, keeping what was learned

  /// A batch counts bodies, of which each has kPosesEach poses; an example takes 15 kB.
  static nn::TrainingPlan default_plan() {
    nn::TrainingPlan plan;
    plan.batch = 128, plan.pool = 200000, plan.first_examples = 4000, plan.validation_examples = 512;
    plan.learning_rate = 6e-4, plan.final_rate = 0.02, plan.weight_decay = 0.02, plan.warmup_steps = 500;
    plan.report_steps = 100, plan.validation_steps = 2000, plan.average_decay = 0.9995;
    return plan;
  }
};

struct PoseReport : nn::TrainingReport {
  PoseScore validation;
};

/// Trains and writes the averaged weights to `folder`, those of its layers in 8 bits and the rest in 16, in 16
/// (`averaged.safetensors`, to start from) and what is needed to resume beside them, at every validation and at the
/// end.
Result<PoseReport> train_poses(const PoseSource& source, const std::filesystem::path& folder,
                               const PoseTraining& settings);

/// A variational autoencoder of the same size, to measure against: both halves, read by PoseVae. Of its scores
/// `denoised` is what is left of whole poses that went through it, and AUCs are none. It cannot start from other
/// weights.
Result<PoseReport> train_pose_vae(const PoseSource& source, const std::filesystem::path& folder,
                                  const PoseTraining& settings);

}  // namespace limber::pose_space
