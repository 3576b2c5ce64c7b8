// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "limber/kinematics/motion.h"
#include "limber/rig/rig.h"

namespace limber::metrics {

/// Mean angle between the upper arms and the way down along the trunk, radians: a right angle in a T-pose, which
/// must not stay when somebody walks; next to nothing where arms hang. The rig knows its limbs; none where it has no
/// arms, or the motion no frame.
std::optional<double> arm_angle(const rig::Rig& rig, const kinematics::Motion& motion);

}  // namespace limber::metrics
