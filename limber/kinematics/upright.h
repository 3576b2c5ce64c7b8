// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/base/result.h"
#include "limber/kinematics/motion.h"
#include "limber/rig/facing.h"
#include "limber/rig/subject.h"

/// Bodies as the stages know them, and the way back.
namespace limber::kinematics {

/// A subject turned for the work: up is +Y, it faces +Z, stands on y = 0 and is one high. Its joints' angles are those
/// of the subject itself; the path of the root differs, and in translations of joints the unit.
struct Upright {
  rig::Subject subject;
  Mat3 world_from_upright = Mat3::identity();  ///< a rotation
  float world_unit = 1;                        ///< of the upright world, in units of the subject's own
};

/// A body that stands or looks along other axes than the usual ones changes places and signs of its numbers alone, so
/// that bodies which differ in nothing else become the same to the last bit. Where that leaves more than a degree, it
/// is turned by it, too.
Result<Upright> stand_upright(const rig::Subject& subject, const rig::Facing& facing);

/// A motion of the subject itself as one of the upright subject.
void turn_upright(const Upright& upright, kinematics::Motion& motion);

/// The other way round.
void turn_back(const Upright& upright, kinematics::Motion& motion);

}  // namespace limber::kinematics
