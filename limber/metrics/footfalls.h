// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "limber/kinematics/motion.h"
#include "limber/metrics/feet.h"

/// When feet are down, and how far a cycle carries the body.
namespace limber::metrics {

/// A foot is down while it is about as low as it comes in the whole motion, whatever the height of the body is taken
/// for: pictures tell that to some 5 %. Of motions that travel and of those on the spot alike.
struct Footfalls {
  double duty = 0;        ///< share of the time that a foot is down, mean over feet; 1: none is ever lifted
  double leg_length = 0;  ///< mean over feet, in the subject's units
  double speed = 0;       ///< leg lengths a second: how fast the body goes over what its feet stand on
  double skate = 0;       ///< leg lengths a second: how fast feet that are down slide over the ground, on average
  Vec3d ground;           ///< how fast the ground goes by, units a second, level: zero under a body that travels
  std::vector<std::vector<bool>> down;  ///< per foot and frame
};

/// None of a body without feet, or of less than two frames. `feet`: of `find_feet`.
std::optional<Footfalls> find_footfalls(const rig::Rig& rig, std::span<const Foot> feet,
                                        const kinematics::Motion& motion);

/// How far one cycle carries the body, in leg lengths; `frequency`: cycles a second (`Gait`). 0 where there is none.
double stride_length(const Footfalls& falls, double frequency);

/// Sliding as UniMate counts it, from joints alone: the ground is where the lowest joint of a leg is at rest, L the
/// height of the highest one over that (of the root, they say, but roots of many rigs lie on the ground); a joint of a
/// leg is near the ground below 0.05 L.
struct NearGroundSteps {
  double skate = 0;  ///< share of the frames near the ground in which it goes on by more than 0.025 L
  double slide = 0;  ///< mean step there, in L, which counts the more the lower the joint is: from once to not at all
};
/// `ground`: as `Footfalls` has it. None where no joint of a leg comes near the ground. Steps are those of the motion's
/// own frames.
std::optional<NearGroundSteps> near_ground_steps(const rig::Rig& rig, const kinematics::Motion& motion, Vec3d ground);

}  // namespace limber::metrics
