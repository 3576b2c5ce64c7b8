// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "limber/kinematics/motion.h"
#include "limber/rig/rig.h"

/// Motions of people on bodies with other joints, other proportions and another rest pose.
namespace limber::retarget {

/// Whether motions of people make sense on a rig: two legs with hip, knee and ankle below a trunk, each joint hanging
/// on the one before, and two arms. It stands at rest, +Y up, facing +Z.
bool moves_like_people(const rig::Rig& rig);

/// A motion of `from` on `to`, by what their joints are parts of:
///   - sections of arms and legs point where they point in the source, whatever the rest poses are;
///   - trunk, neck, head, shoulders, hands and feet turn as far from rest as in the source, spread over as many joints
///     as there are;
///   - the hips move in proportion to the length of the legs;
///   - a foot that stands in the source stands here: legs are bent to bring it back (and the hips lowered where it is
///     out of reach), and in between the correction passes from one foothold to the next.
/// Joints that only `to` has follow their parents. On the same rig nothing changes. None where one of the rigs does not
/// move like people. Translations and scales of joints are not carried over.
std::optional<kinematics::Motion> retarget_by_limbs(const kinematics::Motion& motion, const rig::Rig& from,
                                                    const rig::Rig& to);

}  // namespace limber::retarget
