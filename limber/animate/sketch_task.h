// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "limber/animate/animation.h"
#include "limber/animate/context.h"
#include "limber/animate/joint_prior.h"
#include "limber/animate/known_poses.h"
#include "limber/animate/plan.h"
#include "limber/prior/device_prior.h"
#include "limber/rig/subject.h"
#include "limber/scene/sketch_view.h"

/// The ladder of the built-in prior, which draws the body itself, in several views: draw, choose, refine, assess. Every
/// step hands a struct to the next. Private to `animate`.
namespace limber::animate {

/// What all steps work with.
struct SketchTask {
  const rig::Subject& subject;  ///< upright, facing +Z
  prior::VideoPrior& prior;
  SamplePlan sample;
  RefinePlan refine;
  KeepPlan keep;
  Study study;
  Listeners listeners;
  scene::SketchView view;
  std::vector<bool> free;  ///< joints that pictures can show turning
  std::vector<metrics::LimbEnd> ends;
  prior::Condition condition;
  distill::DistillSettings distilling;  ///< of `refine`; without iterations there is none
  std::optional<KnownPoses> known;      ///< what all samples pass through, and lift and distillation keep close to
  double highest = 0;                   ///< `highest_of` the whole prompt
  bool keeps = false;                   ///< samples, where the run is kept: there is much to lose
  std::optional<JointPrior> joints;     ///< what lift and distillation leave open goes by, where asked for
};

/// What of a distillation is kept and shown.
void follow_keeping(const KeepPlan& keep, const Listeners& listeners, Progress progress,
                    distill::DistillSettings& settings);

/// The subject must outlive the task.
Result<SketchTask> make_sketch_task(const Context& context, prior::VideoPrior& prior, const BySample& plan);

/// How one of the samples is drawn.
prior::SampleSettings sample_settings(const SamplePlan& plan, std::uint64_t seed);

/// How many heights above the ground the body may keep: some where the prompt, or its fins, say that it flies or swims,
/// none for what goes on the ground.
double highest_of(const rig::Rig& rig, const std::string& prompt);

/// Samples, lifted.
struct Drawn {
  std::vector<Candidate> candidates;
  int draws = 0;         ///< samples so far, those that were not kept included: the number of the next one
  bool settled = false;  ///< no more are needed, or others did not help
  int resumed = 0;       ///< candidates that a run that was stopped had kept
  double sample_seconds = 0, lift_seconds = 0;
  std::vector<Warning> warnings;
};

/// As many candidates as are asked for; where none of them fits, others instead of the worst one, until one does, one
/// was no better than those before, or all redraws are spent. That budget counts samples, not seconds: the same request
/// draws the same ones everywhere. Candidates are kept where the task says so, each as soon as it is there; those of a
/// run that was stopped are not drawn again.
Result<Drawn> draw_candidates(SketchTask& task);

/// The best one first.
Drawn best_first(Drawn drawn);

struct Refined {
  kinematics::Motion motion;
  std::optional<Distilled> distilled;
  std::vector<Warning> warnings;
};

/// Distils from `start`.
Result<Refined> refine(SketchTask& task, const kinematics::Motion& start);

/// What the prior thinks of a motion, and what its pictures tell of the joints.
struct Assessed {
  double prior_score = 0;
  lift::Observability observed;
  std::optional<Told> told;  ///< where that was asked for, and can be told
};
Result<Assessed> assess(SketchTask& task, const kinematics::Motion& motion, bool as_told);

/// Pictures of a motion, here or, where the prior looks at them there, on a GPU.
struct Pictures {
  Frames here;
  std::optional<prior::DeviceFrames> there;
};

struct Explained {
  double error = 0;  ///< mean squared difference to what the prior makes of pictures at half noise, told the prompt
  /// Whether it finds the prompt in them, or rather another action that it was taught: none where that was not asked,
  /// the prompt names no action or no other is known. Three more passes of the network, under the same noise.
  std::optional<Told> told;
};
Result<Explained> explain(SketchTask& task, const Pictures& pictures, bool as_told);

}  // namespace limber::animate
