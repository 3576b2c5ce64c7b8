// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/kinematics/motion.h"
#include "limber/metrics/clip_body.h"

/// Joints that flip: of a motion those that are seen to, and in a clip's keys what some players make a flip of.
namespace limber::metrics {

struct JointFlip {
  int joint = 0;
  int frame = 0;     ///< the one after the flip
  double angle = 0;  ///< radians
};

/// Joints with skin that turn by more than `kMostStep` from a frame to the next.
std::vector<JointFlip> joint_flips(const ClipBody& body, const kinematics::Motion& motion);

/// Whether two keys in a row of a rotation lie on opposite sides, per channel: the number of places. Both are the same
/// rotation, but players that interpolate the numbers go the long way round.
std::vector<std::size_t> sign_changes(const asset::Clip& clip);

/// Whether a key of a rotation lies on the other side than the one before it.
bool changes_sign(const asset::Channel& channel, std::size_t key);

/// Turns every such key round, and its tangents with it: the same rotations, and no changes.
void align_signs(asset::Clip& clip);

inline constexpr double kMostStep = 1.5707963;  ///< radians

}  // namespace limber::metrics
