// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/kinematics/motion.h"
#include "limber/rig/subject.h"

/// Whether a body gets on, and whether it does so on the ground.
namespace limber::metrics {

/// A leg length is how high the legs leave the body at rest, a size its longest side then. Walks of large and small
/// bodies, with short legs and long, differ least in leg lengths; how far somebody shifts who stays, in sizes.
struct Travel {
  bool legged = false;
  double speed = 0;  ///< sizes a second: how far the middle of the body gets over the ground y = 0, on average
  double pace = 0;   ///< the same in leg lengths; without legs in sizes
  /// Leg lengths: height of the legs' lowest point in the middle one of all frames; without legs 0.
  double clearance = 0;
};

/// Swaying to and fro is no travel, and going round in a circle is. A motion shorter than a second is measured from its
/// first frame to its last.
Travel measure_travel(const rig::Subject& subject, const kinematics::Motion& motion);

}  // namespace limber::metrics
