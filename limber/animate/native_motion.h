// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/animate/animation.h"
#include "limber/animate/motion_doubt.h"
#include "limber/animate/motion_plan.h"
#include "limber/motion_space/motion_space.h"

/// The way of the network on joints (Method::kNative): chunks of two seconds, each of which knows the last frames of
/// the one before, joined and finished. No pictures are drawn. Private to `animate`.
namespace limber::animate {

/// How the network draws chunks of these actions.
ChunkMaker chunk_maker(std::span<const prior::ActionWords> actions);

/// `subject` stands upright and faces +Z, and `space` is its own; `anchors` are in its world. `doubt`: has a say in
/// which candidate is best; may be null.
Result<Animation> native_motion(const rig::Subject& subject, const motion_space::MotionSpace& space,
                                const Request& request, const Anchors& anchors, const MotionDoubt* doubt = nullptr);

/// Takes the steady turn and the drift aside out of the way of a body that faces +Z: it goes along its front.
void go_straight(const pose_space::PoseSkeleton& skeleton, kinematics::Motion& motion);

}  // namespace limber::animate
