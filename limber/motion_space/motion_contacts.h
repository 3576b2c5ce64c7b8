// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
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

/// Says of every foot of a state whether it stands (1) or not (-1), as networks are taught it; joints that are no feet
/// say nothing (0). Where frames that stand alone do not tell how low others get, a foot that is higher than
/// `most_above_rest` of its leg over where it rests does not stand either.
void put_standing(const pose_space::PoseSkeleton& skeleton, const std::vector<bool>& feet, MotionState& state,
                  bool way_known = true, std::optional<double> most_above_rest = std::nullopt);

}  // namespace limber::motion_space
