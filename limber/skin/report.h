// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/skin/skin_body.h"

namespace limber::skin {

/// How a component of a surface takes a range of motion: every joint in turn bends by 45 degrees to two sides, with all
/// that hangs on it. Means over the bends that move the component; 0 is best.
struct MotionScores {
  double stretch = 0;  ///< mean squared change of edge lengths, by length
  double volume = 0;   ///< mean share of the enclosed volume gained or lost
  double bleed = 0;    ///< share of the weight on bones that can only be reached across a gap
  double total() const { return stretch + volume + bleed; }
};

/// One entry per component of the surface; `rows` per welded point, counting `bones`.
std::vector<MotionScores> range_of_motion(const SkinBody& body, std::span<const SkinJoint> joints,
                                          std::span<const SkinBone> bones,
                                          std::span<const std::vector<rig::Influence>> rows);

}  // namespace limber::skin
