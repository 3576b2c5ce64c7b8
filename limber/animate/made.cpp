// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/made.h"

#include <utility>

#include "limber/animate/motion_plan.h"
#include "limber/animate/progress_share.h"
#include "limber/base/stopwatch.h"

namespace limber::animate {
namespace {

/// All that is known of a motion, in one place.
Animation assemble(const FinishPlan& plan, Device drawn_on, Made made, Finished finished, double ground_seconds) {
  Animation animation;
  animation.drawn_on = drawn_on;
  animation.method = made.method;
  animation.motion = std::move(finished.motion), animation.lifted = std::move(made.motion);
  animation.segments = std::move(made.segments), animation.candidates = std::move(made.candidates);
  animation.seams = std::move(made.seams), animation.resumed_candidates = made.resumed_candidates;
  animation.distilled = std::move(made.distilled), animation.grounded = std::move(finished.grounded);
  animation.own_way = plan.own_way && made.own_way;
  animation.gait = std::move(finished.gait), animation.metrics = finished.metrics;
  animation.ends = std::move(made.ends), animation.key_error = finished.key_error;
  animation.observed = std::move(made.observed), animation.pose_prior = made.pose_prior;
  animation.motion_prior = made.motion_prior;
  animation.seconds = made.seconds, animation.seconds.ground = ground_seconds;
  animation.prior_score = made.prior_score, animation.taken = std::move(made.taken);
  animation.warnings = std::move(made.warnings);
  animation.warnings.insert(animation.warnings.end(), finished.warnings.begin(), finished.warnings.end());
  return animation;
}

}  // namespace

void note_joint_prior(const std::optional<JointPrior>& prior, Made& made) {
  made.pose_prior = prior && prior->is_of_poses(), made.motion_prior = prior && !prior->is_of_poses();
}

Result<Animation> complete(const FinishPlan& plan, const Context& context, double begun, Made made) {
  const bool continues = made.continues;
  Stopwatch watch;
  LIMBER_TRY(Finished finished,
             finish(plan, context.subject, made.motion, made.ends,
                    share_of(context.listeners.progress, "putting it on the ground", begun, 1), made.keys, made.told));
  const double seconds = watch.lap();
  Animation animation = assemble(plan, context.drawn_on, std::move(made), std::move(finished), seconds);
  measure_segments(context.subject, continues, animation);
  return animation;
}

}  // namespace limber::animate
