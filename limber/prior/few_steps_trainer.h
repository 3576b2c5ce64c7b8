// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "limber/nn/training_plan.h"
#include "limber/prior/sketch_trainer.h"

/// Teaches the built-in prior to draw in few steps, by an adapter beside its weights, which stay as they are.
namespace limber::prior {

/// How near samples in few steps come to those of the teacher from the same noise, on clips that are not learned from.
struct FewStepsScores {
  double error = 0;            ///< root mean square of pixels, in [-1, 1], those of the body as `body_weight` says
  double continued_error = 0;  ///< the same where the first third of each clip is known (second version)
  double spread = 0;           ///< distance of two samples of one prompt, of the teacher's
};

struct FewStepsStep : nn::TrainingStep, FewStepsScores {};

/// The teacher is the prior with guidance. The network that learns draws as it will be used, as far as some jump; from
/// there the teacher makes that jump in steps of its own, and that is what is learned. So it is taught where it really
/// comes to, its own errors included, and not only where the teacher would have come to.
struct FewStepsSettings {
  nn::TrainingPlan plan;       ///< `from` is the prior's folder; an example is a clip, of which a prompt and a body
  std::string dtype = "auto";  ///< as LoadSettings
  int steps = 4, rank = 16;    ///< see FewSteps
  double shift = 3;            ///< likewise
  int teacher_steps = 20;      ///< for a whole sample; a multiple of `steps`
  double guidance = 2.5;       ///< of the teacher, in the first jump ...
  std::optional<double> last_guidance;  ///< ... and in the last one, evenly in between; unset: the same
  int uses = 3;                         ///< how often a jump is learned from, in the mean
  std::int64_t kept = 2048;             ///< jumps in memory, of 3.6 MB
  double huber = 1;                     ///< errors of the velocity count squared below, in proportion above
  double noise_floor = 0.1;             ///< velocities are divided by the share of noise, at least this
  double body_weight = 3;               ///< of pixels with a colour, against those of the grey ground
  double move_weight = 8;  ///< more for what moves: times how far a pixel, in [-1, 1], is from its mean over the clip
  double drop_text = 0.03, drop_rest = 0.03;  ///< how often a condition is withheld
  KnownShares known;
  std::function<bool(const FewStepsStep&)> on_report;  ///< false: stop here, keeping what was learned

  double guidance_of(int jump) const;
};

struct FewStepsReport : nn::TrainingReport, FewStepsScores {
  FewStepsScores before;   ///< of as many steps without an adapter and without guidance
  std::int64_t jumps = 0;  ///< made by the teacher
};

/// Trains and writes the adapter, averaged, to `folder`, with the prior that it belongs to: a folder that can be used.
/// Where `from` has an adapter of this rank or a smaller one, it goes on from that. As `train_sketch_prior`, it can be
/// resumed.
Result<FewStepsReport> train_few_steps(const ClipSource& source, const std::filesystem::path& folder,
                                       const FewStepsSettings& settings);

}  // namespace limber::prior
