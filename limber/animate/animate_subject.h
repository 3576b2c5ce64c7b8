// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/animate/animation.h"
#include "limber/animate/request.h"
#include "limber/asset/asset.h"
#include "limber/lift/video_sample.h"
#include "limber/motion_space/motion_denoiser.h"
#include "limber/motion_space/motion_judge.h"
#include "limber/prior/video_prior.h"
#include "limber/rig/subject.h"

/// From a subject to a motion, without files around it: what `animate_asset` does between casting and clips. The body
/// faces as the request says, else as the subject does.
namespace limber::animate {

/// As a prompt says: a prior draws it, joints are fitted to that, refined by distillation, put on the ground. `asset`
/// gives the colours that priors of real videos see; the built-in prior needs none. `starter` draws what a distillation
/// starts from (Start::kSample). Fails if a prior fails or it was cancelled.
Result<Animation> follow_prompt(const rig::Subject& subject, const asset::Asset* asset, prior::VideoPrior& prior,
                                const Request& request, prior::VideoPrior* starter = nullptr);

/// As a prompt says, by the zoo's rules (`rule_motion`): no prior is asked. Fails where the prompt names nothing that
/// the zoo does, or several things.
Result<Animation> follow_rule(const rig::Subject& subject, const Request& request);

/// As a prompt says, by the clip of the request's `library` whose name says it (`library_motion`). Fails where no name
/// does, where none of such clips fits the body, and where the prompt asks for several things.
Result<Animation> follow_library(const rig::Subject& subject, const Request& request);

/// As a prompt says, by the network on joints: no pictures are drawn. One that fails its own check
/// (`find_native_failure`) is drawn again from other seeds, three times at most; where all fail, `failed` says why the
/// first one did, and it is returned. Unless the request has `no_fallback`: then the first one it is. `asset`: of clips
/// to be continued; may be null where none is. `judge`: has a say in which candidate is best; may be null.
struct NativeAnimation {
  Animation animation;
  std::optional<std::string> failed;
};
Result<NativeAnimation> follow_native(const rig::Subject& subject, const asset::Asset* asset,
                                      const motion_space::MotionDenoiser& motions, const Request& request,
                                      const motion_space::MotionJudge* judge = nullptr);

/// As pictures of a video show; the request's own video is not looked at. Fails if they do not tell how the body moves
/// (unless `anyway`), or it was cancelled. `asset` as for `lift::lift_video`.
Result<Animation> follow_pictures(const rig::Subject& subject, const asset::Asset* asset,
                                  const lift::SampledVideo& video, const Request& request);

/// Another of an animation's candidates, finished like the chosen one but without distillation and simulation.
Result<kinematics::Motion> finish_candidate(const rig::Subject& subject, const Request& request,
                                            const Animation& animation, std::size_t candidate);

/// Whether the prior draws sketches in several views, so that its samples can be lifted.
bool draws_sketches(const prior::PriorInfo& info);

}  // namespace limber::animate
