// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/kinematics/motion.h"
#include "limber/metrics/clip_body.h"

/// Whether a clip can be played round and round.
namespace limber::metrics {

/// How the last frame of a motion meets its first one. What the body travels and turns over the ground in between is
/// taken back before they are compared: clips with root motion close, too, and going astray is `drift`'s.
struct LoopGap {
  double gap = 0;           ///< heights: farthest that a point of the last frame is from where it is in the first
  double jolt = 0;          ///< heights a second: largest change of a point's velocity over the seam
  double jolt_within = 0;   ///< the same from frame to frame inside
  double step = 0;          ///< heights: farthest that a point goes from a frame to the next
  bool lacks_last = false;  ///< the first frame follows as if it were the next one: a closing frame is all it lacks
  double reach = 0;         ///< heights: farthest that a point of any frame is from where it is in the first
};

/// `motion` has its last frame: it does not `loop`. Of fewer than three frames nothing is said.
LoopGap loop_gap(const ClipBody& body, const kinematics::Motion& motion);

inline constexpr double kOpenLoop = 1e-4;  ///< heights
/// Velocities meet where the seam's jolt is at most so many times as large as those inside, or hardly any.
inline constexpr double kJoltBeyond = 1.5, kLeastJolt = 0.1;
inline bool velocities_meet(const LoopGap& loop) {
  return loop.jolt <= kJoltBeyond * loop.jolt_within || loop.jolt <= kLeastJolt;
}

}  // namespace limber::metrics
