// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/physics/puppet.h"
#include "limber/physics/puppet_flesh.h"

/// How the joints of a puppet move: which of them do, from where, about which axes. Private to `physics`.
namespace limber::physics {

/// What a motion does with one joint.
struct JointUse {
  Mat3d mean = Mat3d::identity();  ///< average rotation
  double range = 0;                ///< largest angle from it
  double middle = 0;               ///< largest absolute middle angle
  Vec3d lower, upper;              ///< of the angles
};

/// Which joints get hinges.
struct Mobility {
  int base = 0;                    ///< the joint that is the model's root
  std::vector<bool> moves;         ///< per joint: has hinges; else it is welded to what it hangs on
  std::vector<JointUse> uses;      ///< per joint
  std::vector<std::string> notes;  ///< for a person

  /// Whether the joint hangs on the base; the others are part of it.
  bool below_base(const PuppetTree& tree, int joint) const { return joint != base && tree.descends(joint, base); }
};

/// Welds light twigs and joints that do nothing, and more where there are too many bodies.
Mobility choose_moving(const PuppetInput& in, const PuppetTree& tree, const Flesh& flesh, int base);

/// Poses the rig as it is where all hinges are at zero: where the rig's own angles serve, at rest; else in the middle
/// of what the motion does. Fills in all but `body` and `hinge` of each joint.
std::vector<PuppetJoint> pose_zero(const PuppetInput& in, const PuppetTree& tree, const Mobility& mobility);

}  // namespace limber::physics
