// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/motion_space/motion_state.h"

/// Which feet of a motion stand on the ground, by how low and how slow they are: what networks are taught, and what
/// tells them so of frames that are known.
namespace limber::motion_space {

/// `places`: kFrames x joints, over the ground, in radii. `feet`: per joint. `way_known`: else how fast a foot moves
/// over the ground tells nothing. kFrames x joints.
std::vector<bool> find_standing(const pose_space::PoseSkeleton& skeleton, const std::vector<bool>& feet,
                                std::span<const Vec3d> places, bool way_known = true);

/// Where the joints are: kFrames x joints, over the ground that the first frame is above, in radii.
std::vector<Vec3d> ground_places(const pose_space::PoseSkeleton& skeleton, const MotionState& state);

}  // namespace limber::motion_space
