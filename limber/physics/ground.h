// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/base/result.h"
#include "limber/kinematics/motion.h"
#include "limber/physics/puppet.h"
#include "limber/physics/reference.h"
#include "limber/physics/repair.h"
#include "limber/physics/track.h"
#include "limber/rig/subject.h"

namespace limber::physics {

struct GroundSettings {
  PuppetSettings puppet;
  ReferenceSettings reference;
  TrackSettings track;
  /// False: the kinematic part alone, in a fraction of the time: repaired, on the ground, feet locked.
  bool simulate = true;
};

/// A point of the skin that bears weight, and when.
struct PlantedPoint {
  int joint = 0;
  Vec3 point;                 ///< in the joint's frame
  std::vector<bool> planted;  ///< per frame of the motion
};

struct Grounded {
  kinematics::Motion motion;          ///< what the body can do, frame for frame
  kinematics::Motion target;          ///< what it was asked to do: repaired and put on the ground
  std::vector<PlantedPoint> planted;  ///< of the target
  RepairReport repair;
  Reference reference;
  TrackReport track;
  double polish = 0;  ///< farthest that a joint was turned after the simulation so that feet stand, radians
  Puppet puppet;
  std::vector<double> positions;  ///< of `motion`, frames x position_count
};

/// The nearest motion that the subject can perform under gravity, on the ground, by the torques of its joints: repairs
/// what is broken, puts it on the ground, tracks it in the simulator, and takes the last of the sliding from the feet.
/// Fails if the subject has no skin to weigh, the motion no frames, or `track.progress` cancels.
Result<Grounded> ground_motion(const rig::Subject& subject, const kinematics::Motion& motion,
                               const GroundSettings& settings = {});

}  // namespace limber::physics
