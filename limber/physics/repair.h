// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/kinematics/motion.h"

namespace limber::physics {

/// What was wrong with a motion before any physics.
struct RepairReport {
  int not_finite = 0;       ///< frames with a NaN or an infinity, filled in from their neighbours
  int spikes = 0;           ///< frames that leave and come back at once, filled in
  int jumps = 0;            ///< places where the root is somewhere else for good; what follows was moved back
  std::vector<int> frames;  ///< all of these, in order
};

/// A motion without numbers that are not finite and without teleporting: a root that covers more than `kFastest`
/// heights a second, or a joint that turns faster than a body can, all of a sudden. A motion without a single good
/// frame becomes the rest pose.
struct Repaired {
  kinematics::Motion motion;
  RepairReport report;
};
Repaired repair_motion(kinematics::Motion motion);

}  // namespace limber::physics
