// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/base/math.h"
#include "limber/rig/subject.h"

/// Where a body's feet are.
namespace limber::metrics {

/// Per joint: the leg that it belongs to, with all that hangs on that, toes too; -1 for none. The rig knows its limbs.
std::vector<int> leg_of_joints(const rig::Rig& rig);

/// What a leg stands on.
struct Foot {
  int limb = -1;
  int joint = 0;
  Vec3 sole;          ///< the middle of what is lowest at rest, in the joint's rest frame
  double length = 0;  ///< how high the leg leaves the body at rest, over its sole
};

/// One for every leg that has skin and comes down to the ground at rest; `subject` stands upright and knows its limbs
/// (`anatomy::with_roles`).
std::vector<Foot> find_feet(const rig::Subject& subject);

}  // namespace limber::metrics
