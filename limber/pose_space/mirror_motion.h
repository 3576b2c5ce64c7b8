// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/kinematics/motion.h"
#include "limber/pose_space/pose_skeleton.h"

namespace limber::pose_space {

/// The motion as a mirror shows it: what the left did, the right does, and the path bends the other way. Turns from
/// rest are mirrored, so that a body whose sides differ keeps its own shape. Riders and overrides stay as they are.
kinematics::Motion mirrored_motion(const PoseSkeleton& skeleton, const kinematics::Motion& motion);

}  // namespace limber::pose_space
