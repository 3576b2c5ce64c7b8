// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/kinematics/motion.h"
#include "limber/metrics/clip_body.h"

/// Where a clip leads the body as a whole.
namespace limber::metrics {

struct Drift {
  double turn = 0;   ///< radians: how far the trunk is turned about +Y from the first frame to the last, to the left
  double way = 0;    ///< heights: how far over the ground the trunk gets from the first frame to the last
  double bend = 0;   ///< share of the way: how far its path leaves the straight line, over sway
  double speed = 0;  ///< heights a second
  /// Joints from the root down to the trunk that carry the body along: one where root motion is on one node. Empty
  /// where it stays.
  std::vector<int> carriers;
  bool travels() const { return way > kLeastWay && speed > kLeastSpeed; }

  static constexpr double kLeastWay = 0.15, kLeastSpeed = 0.08;
};
Drift drift(const ClipBody& body, const kinematics::Motion& motion);

inline constexpr double kMostTurn = 0.0174533;  ///< radians: one degree
inline constexpr double kMostWay = 0.01;        ///< heights that a clip in place may end away from where it began
inline constexpr double kMostBend = 0.05;       ///< of the way

}  // namespace limber::metrics
