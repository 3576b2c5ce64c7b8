// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "limber/base/result.h"
#include "limber/kinematics/ground_contact.h"
#include "limber/kinematics/motion.h"
#include "limber/physics/puppet.h"
#include "limber/physics/reference.h"
#include "limber/physics/repair.h"
#include "limber/physics/track.h"
#include "limber/rig/subject.h"

namespace limber::physics {

/// How a motion meets the ground.
enum class Ground {
  kAuto,     ///< what stands on something does, as the caller thinks best; what swims or flies does not
  kNone,     ///< not at all: the motion stays as it is
  kLock,     ///< feet that touch it stay where they are: the kinematic part alone, in a fraction of the time
  kSimulate  ///< and a simulated body can do it
};
std::string_view name(Ground ground);  ///< "lock"
std::optional<Ground> ground_named(std::string_view name);

struct GroundSettings {
  PuppetSettings puppet;
  ReferenceSettings reference;
  TrackSettings track;
  Ground ground = Ground::kSimulate;  ///< `kAuto`: simulated where it stands on something
};

struct Grounded {
  kinematics::Motion motion;  ///< what the body can do, frame for frame
  kinematics::Motion target;  ///< what it was asked to do: repaired and put on the ground
  /// Points of the skin that bear weight, in `motion` and in `target`.
  std::vector<kinematics::GroundContact> planted, target_planted;
  RepairReport repair;
  Reference reference;
  TrackReport track;
  double polish = 0;   ///< farthest that a joint was turned after the simulation so that feet stand, radians
  double carried = 0;  ///< farthest that the root was moved for that, heights
  double lost = 0;     ///< share of the motion that the simulation could not follow, and that stays as it was asked for
  double raised = 0;   ///< farthest that the body was raised at last, so that no skin is below the ground, heights
  Puppet puppet;
  std::vector<double> positions;  ///< of `motion`, frames x position_count
};

/// The nearest motion that the subject can perform under gravity, on the ground, by the torques of its joints (or as
/// much of that as `ground` says): repairs what is broken, puts it on the ground, tracks it in the simulator, and takes
/// the last of the sliding from the feet. Fails if the subject has no skin to weigh, the motion no frames, or
/// `track.progress` cancels.
Result<Grounded> ground_motion(const rig::Subject& subject, const kinematics::Motion& motion,
                               const GroundSettings& settings = {});

/// Takes a motion out of the ground, and changes nothing else: tails, ears and what else gives way bend up, then the
/// body is raised as a whole, evenly; what it only holds or wears does not raise it. Returns how far it was raised at
/// most, in the subject's units. What has no skin is left as it is.
double keep_above_ground(const rig::Subject& subject, kinematics::Motion& motion);

}  // namespace limber::physics
