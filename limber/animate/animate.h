// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "limber/animate/sample_lift.h"
#include "limber/asset/asset.h"
#include "limber/base/progress.h"
#include "limber/base/result.h"
#include "limber/distill/distill.h"
#include "limber/kinematics/motion.h"
#include "limber/lift/observability.h"
#include "limber/metrics/gait.h"
#include "limber/metrics/motion_metrics.h"
#include "limber/physics/ground.h"
#include "limber/prior/video_prior.h"
#include "limber/rig/subject.h"

/// \file
/// The ladder: a prior draws what a prompt says, joints are fitted to it, refined by distillation, put on the ground.
///
///     LIMBER_TRY(auto prior, prior::load_prior("models/part_prior"));
///     LIMBER_TRY(auto animation, animate::animate(subject, &asset, *prior, {.prompt = "a fox trots"}));
///     LIMBER_CHECK_OK(exporter::add_clip(asset, subject, animation.motion, {.name = "trot"}));

namespace limber::animate {

enum class Quality {
  kDraft,     ///< sample and lift
  kStandard,  ///< and a short distillation
  kBest       ///< more samples, and a long one
};
std::string_view name(Quality quality);

/// How the motion gets to the ground.
enum class Grounding {
  kAuto,       ///< feet at `kDraft`, physics above, for bodies that stand on something
  kNone,       ///< as the prior has it
  kKinematic,  ///< feet that touch the ground stay where they are
  kPhysics     ///< and a simulated body can do it
};

struct AnimateSettings {
  std::string prompt, negative;
  Quality quality = Quality::kStandard;
  std::uint64_t seed = 0;
  int candidates = 0;           ///< samples to choose from; 0: as the quality says
  double most_residual = 0.15;  ///< a sample that its fit misses by more is drawn again ...
  int redraws = 2;              ///< ... so often at most
  double guidance = 0;          ///< of sampling; 0: the prior's own
  int sample_steps = 0;
  std::vector<lift::FitStage> fit_stages;  ///< of lifting samples; empty: the lift's own
  bool loop = false;                       ///< cut and closed to whole cycles
  bool in_place = false;                   ///< the ground slides instead
  double fps = 30;                         ///< of the result
  Grounding grounding = Grounding::kAuto;
  Vec3 forward{0, 0, 0};  ///< the way the body faces, on the ground; zero: as the subject says

  // Distillation.
  int distill_iterations = -1;                    ///< -1: as the quality says; 0: none
  double smooth_weight = -1, ground_weight = -1;  ///< per element; -1: the defaults
  bool draw_ground = true;
  double speed = 0.5;  ///< heights a second of the start, for priors that cannot be lifted
  std::filesystem::path checkpoint;
  double checkpoint_seconds = 60;  ///< between writings
  int preview_every = 0;
  std::function<void(const distill::DistillPreview&)> on_preview;
  std::function<void(const distill::DistillStep&)> on_step;

  Progress progress;
};

/// One sample and what was made of it, in the prior's world: the body faces +Z.
struct Candidate {
  std::uint64_t seed = 0;
  Frames video;
  LiftedSample lifted;
  metrics::Gait gait;
  double score = 0;  ///< smaller is better: residual and unsteadiness
  bool fits = true;  ///< its residual is within bounds
};

struct StageSeconds {
  double sample = 0, lift = 0, distill = 0, ground = 0;
};

struct Animation {
  kinematics::Motion motion;          ///< at `fps`
  kinematics::Motion lifted;          ///< and distilled, before the ground, at the prior's rate
  std::vector<Candidate> candidates;  ///< the chosen one first
  std::optional<distill::DistillReport> distilled;
  double smooth_weight = 0, ground_weight = 0;  ///< that the distillation used
  std::optional<physics::Grounded> grounded;
  metrics::Gait gait;              ///< of `motion`, before `in_place`, as of a body that faces +Z
  metrics::MotionMetrics metrics;  ///< of `motion`
  std::vector<metrics::LimbEnd> ends;
  lift::Observability observed;  ///< of `lifted`: what the pictures tell of every joint; empty: nothing was seen
  StageSeconds seconds;
  double prior_score = 0;             ///< mean squared difference of the result's pictures to what the prior makes of
                                      ///< them at half noise; -1: not measured
  std::vector<std::string> warnings;  ///< for a person
};

/// Animates a subject. `asset` gives the colours that priors of real videos see; the built-in prior needs none. Fails
/// if the prior fails or it was cancelled.
Result<Animation> animate(const rig::Subject& subject, const asset::Asset* asset, prior::VideoPrior& prior,
                          const AnimateSettings& settings);

/// What follows a motion that somebody lifted: rate, loop, ground, metrics. `animation.lifted` is filled in.
Status finish(const rig::Subject& subject, const AnimateSettings& settings, Animation& animation);

/// Another of an animation's candidates, finished like the chosen one but without distillation and simulation.
Result<kinematics::Motion> finish_candidate(const rig::Subject& subject, const AnimateSettings& settings,
                                            const Animation& animation, std::size_t candidate);

/// Whether the prior sees parts in several views, so that its samples can be lifted.
bool draws_parts(const prior::PriorInfo& info);

}  // namespace limber::animate
