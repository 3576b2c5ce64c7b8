// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/base/math.h"

namespace limber::kinematics {

/// A point of a joint that should stay where it is while it bears weight: what physics plants and metrics judge.
struct GroundContact {
  int joint = 0;
  Vec3 point;                 ///< in the joint's rest frame
  std::vector<bool> planted;  ///< per frame of the motion
};

}  // namespace limber::kinematics
