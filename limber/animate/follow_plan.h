// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/animate/animate_subject.h"
#include "limber/animate/context.h"
#include "limber/animate/plan.h"
#include "limber/animate/upright.h"

/// Plans are followed here, each by the stages of its method: a plan in, a result out. Private to `animate`.
namespace limber::animate {

/// A body that a plan is followed with.
struct Actor {
  const rig::Subject& subject;          ///< as its file has it
  const asset::Asset* asset = nullptr;  ///< the file; may be null
  Upright upright;
  Listeners listeners;
  Study study;

  Context context() const { return {upright.subject, asset, listeners, study, Device::kCpu}; }
};
/// What a request says of neither body nor plan goes along.
Result<Actor> make_actor(const rig::Subject& subject, const asset::Asset* asset, const rig::Facing& facing,
                         const Request& request);

/// BySample, ByAkd or ByPlanar. `starter` as for `follow_prompt`.
Result<Animation> follow_prior(const Plan& plan, const Actor& actor, prior::VideoPrior& prior,
                               prior::VideoPrior* starter);
/// ByRule.
Result<Animation> follow_rules(const Plan& plan, const Actor& actor);
/// ByNative. `judge`: has a say in which candidate is best; may be null.
Result<NativeAnimation> follow_joints(const Plan& plan, const Actor& actor, const motion_space::MotionDenoiser& motions,
                                      const motion_space::MotionJudge* judge);
/// ByLibrary.
Result<Animation> follow_clips(const Plan& plan, const Actor& actor);
/// ByVideo.
Result<Animation> follow_frames(const Plan& plan, const Actor& actor, const lift::SampledVideo& video);

/// Another of an animation's candidates, finished like the chosen one but without distillation and simulation.
Result<kinematics::Motion> finish_other(const FinishPlan& plan, const Actor& actor, const Animation& animation,
                                        std::size_t candidate);

}  // namespace limber::animate
