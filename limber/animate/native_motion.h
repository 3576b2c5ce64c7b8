// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/animate/made.h"
#include "limber/animate/motion_doubt.h"
#include "limber/animate/motion_plan.h"
#include "limber/motion_space/motion_space.h"

/// The way of the network on joints (Method::kNative): chunks of two seconds, each of which knows the last frames of
/// the one before, joined. No pictures are drawn. Private to `animate`.
namespace limber::animate {

/// How the network draws chunks of these actions.
ChunkMaker chunk_maker(std::span<const prior::ActionWords> actions);

/// From this share of the progress on it is put on the ground.
inline constexpr double kDrawnByJoints = 0.8;

/// `space` is that of the upright body; `anchors` are in its world. `doubt`: has a say in which candidate is best; may
/// be null.
Result<Made> native_motion(const ByNative& asked, const Context& context, const motion_space::MotionSpace& space,
                           const Anchors& anchors, const MotionDoubt* doubt = nullptr);

/// Takes the steady turn and the drift aside out of the way of a body that faces +Z: it goes along its front.
void go_straight(const pose_space::PoseSkeleton& skeleton, kinematics::Motion& motion);

}  // namespace limber::animate
