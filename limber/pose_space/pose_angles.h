// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/pose_space/pose_skeleton.h"

/// From turns in the skeleton's space to the angles that a rig has, and their limits.
namespace limber::pose_space {

/// Whether any of the three angles is held back at all.
bool is_limited(const rig::JointLimits& limits);

/// The angles of a joint that is turned by `own` relative to its parent, those nearest to the middle of their limits.
Vec3d angles_within(const PoseJoint& joint, const Mat3d& own, const rig::JointLimits& limits);

Vec3d clamped(Vec3d angles, const rig::JointLimits& limits);

/// The turn relative to the parent that angles make.
Mat3d turn_of(const PoseJoint& joint, Vec3d angles);

}  // namespace limber::pose_space
