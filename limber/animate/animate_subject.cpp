// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/animate_subject.h"

#include "limber/animate/follow_plan.h"
#include "limber/animate/plan.h"
#include "limber/base/expect.h"

namespace limber::animate {
namespace {

Result<Actor> actor_for(const rig::Subject& subject, const asset::Asset* asset, const Request& request) {
  return make_actor(subject, asset, request.facing.value_or(subject.facing), request);
}

}  // namespace

bool draws_sketches(const prior::PriorInfo& info) { return info.uses_rest && info.views >= 2; }

Result<Animation> follow_prompt(const rig::Subject& subject, const asset::Asset* asset, prior::VideoPrior& prior,
                                const Request& request, prior::VideoPrior* starter) {
  LIMBER_TRY(const Plan plan, make_plan(wishes_of(request), models_info(prior.info())));
  LIMBER_TRY(const Actor actor, actor_for(subject, asset, request));
  return follow_prior(plan, actor, prior, starter);
}

Result<Animation> follow_rule(const rig::Subject& subject, const Request& request) {
  LIMBER_CHECK_OK(check_things(request.prompt, Method::kRule, {}));
  LIMBER_TRY(const Actor actor, actor_for(subject, nullptr, request));
  return follow_rules(plan_for(request, Method::kRule), actor);
}

Result<Animation> follow_library(const rig::Subject& subject, const Request& request) {
  LIMBER_EXPECT(request.library.has_value(), "the request has no library");
  LIMBER_CHECK_OK(check_things(request.prompt, Method::kLibrary, {}));
  LIMBER_TRY(const Actor actor, actor_for(subject, nullptr, request));
  return follow_clips(plan_for(request, Method::kLibrary), actor);
}

Result<NativeAnimation> follow_native(const rig::Subject& subject, const asset::Asset* asset,
                                      const motion_space::MotionDenoiser& motions, const Request& request,
                                      const motion_space::MotionJudge* judge) {
  LIMBER_TRY(const Actor actor, actor_for(subject, asset, request));
  return follow_joints(plan_for(request, Method::kNative), actor, motions, judge);
}

Result<Animation> follow_pictures(const rig::Subject& subject, const asset::Asset* asset,
                                  const lift::SampledVideo& video, const Request& request) {
  LIMBER_TRY(const Actor actor, actor_for(subject, asset, request));
  return follow_frames(plan_for(request, Method::kVideo), actor, video);
}

Result<kinematics::Motion> finish_candidate(const rig::Subject& subject, const Request& request,
                                            const Animation& animation, std::size_t candidate) {
  LIMBER_TRY(const Actor actor, actor_for(subject, nullptr, request));
  return finish_other(finish_plan(request), actor, animation, candidate);
}

}  // namespace limber::animate
