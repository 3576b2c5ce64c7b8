// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/kinematics/motion.h"
#include "limber/metrics/clip_body.h"

/// Feet that are moved up or down by their legs alone. Private to `mend`. (`physics::lock_feet` makes feet stand still,
/// which those of a body that walks on the spot must not.)
namespace limber::mend {

/// Moves the foot of a leg by so much in every frame, in heights, > 0 upwards: its joints bend as little as will do,
/// and the foot keeps its direction. False, and nothing is changed, where the foot does not hang on a leg with a joint
/// to bend.
bool move_foot(const metrics::ClipBody& body, int limb, const std::vector<float>& lifts, kinematics::Motion& motion);

/// World from the frame in which a joint's angles turn it, without scale.
Mat3d angle_frame(const rig::Joint& joint, const Affined& world_from_parent);

/// Turns a joint by a rotation in the world, before what it has. `frame` is its `angle_frame`.
void turn_joint(const Mat3d& frame, const Mat3d& turn, Vec3& angles);

}  // namespace limber::mend
