// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/physics/puppet.h"
#include "limber/physics/rotation.h"

namespace limber::physics {

/// How far a joint of the rig has turned in the world from where all hinges are at zero. Private to `physics`.
inline Mat3d world_turn(const PuppetJoint& joint, const Affined& world_from_joint) {
  return proper(orthonormal(world_from_joint.linear * inverse(joint.zero.linear)));
}

}  // namespace limber::physics
