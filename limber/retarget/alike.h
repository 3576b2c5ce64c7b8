// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/kinematics/motion.h"
#include "limber/rig/rig.h"

/// Motions from one rig to another that has the same joints, by their names.
namespace limber::retarget {

/// Whether motions of one rig make sense on the other: most joints have the same name and are turned alike at rest.
bool are_alike(const rig::Rig& a, const rig::Rig& b);

/// A motion of `from` on `to`: angles of joints with the same name, root and joint translations relative to rest, in
/// proportion to how high the joints are. The rigs must be alike; joints that only one has stay at rest.
kinematics::Motion copy_motion(const kinematics::Motion& motion, const rig::Rig& from, const rig::Rig& to);

}  // namespace limber::retarget
