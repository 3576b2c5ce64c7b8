// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/kinematics/motion.h"
#include "limber/metrics/clip_body.h"

/// How a clip meets the floor: what is below it, and whether feet that bear weight touch it.
namespace limber::metrics {

/// A time in which a leg's foot bears weight: it is low, and goes where the ground goes, which stands still under a
/// body that travels and slides back evenly under one that walks on the spot.
struct Stance {
  int limb = -1;         ///< the leg, of the body's limbs
  int from = 0, to = 0;  ///< frames; `to` is the first one after it
  float height = 0;      ///< heights over the floor: how low the leg's lowest point comes in that time
};

struct GroundMeeting {
  std::vector<float> lowest;      ///< per frame: the lowest point, heights over the floor; below zero under it
  std::vector<int> lowest_joint;  ///< per frame: the joint that it follows
  std::vector<std::vector<float>> leg_lowest;  ///< per leg, in the order of `legs`, per frame
  std::vector<int> legs;                       ///< limbs
  std::vector<Stance> stances;
};
GroundMeeting meet_ground(const ClipBody& body, const kinematics::Motion& motion);

inline constexpr float kTouching = 0.01f;    ///< heights: a stance that is no higher touches
inline constexpr float kSunkPoint = 0.005f;  ///< heights: what is no deeper is not seen to be below the floor

}  // namespace limber::metrics
