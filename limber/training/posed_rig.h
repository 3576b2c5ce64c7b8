// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "limber/base/rng.h"
#include "limber/kinematics/motion.h"
#include "limber/rig/rig.h"
#include "limber/training/posed_bodies.h"

/// Poses and proportions that no clip has, on any rig.
namespace limber::training {

/// A rig that knows its roles, and what its joints are parts of.
struct PosableRig {
  PosableRig(rig::Rig skeleton, BodyParts read);

  rig::Rig rig;
  BodyParts parts;
  std::vector<int> carriers;  ///< per joint: the parent, or where it hangs elsewhere (a foot on the root) what it goes
                              ///< with; -1 for the root
  std::vector<int> order;     ///< joints after their carriers
  std::vector<int> nexts;     ///< per joint: that at the end of its bone, -1 for none
  std::vector<int> starts;    ///< per joint: that which starts its region
  int hips = 0;               ///< where the trunk starts
  std::vector<bool> steady;   ///< per joint: not to be turned, as all would turn with it
};

/// How a body differs from what its artist made.
struct BodyChange {
  std::array<float, anatomy::kRegionCount> lengths, girths;  ///< factors, along bones and across
  std::vector<Vec3> turns;                                   ///< per joint: radians, about the axes of its frame
  std::vector<float> folds;  ///< per joint: radians by which an elbow or knee folds more
  Vec3 stretch{1, 1, 1};     ///< of the whole, along each axis
  float sprawl = 0;          ///< radians by which legs are spread to the sides; shanks hang down from there
};
BodyChange draw_change(const PosableRig& body, Rng& rng);

/// A body as posed.
struct PosedRig {
  std::vector<Affine> bones;  ///< per bone: posed from bind
  std::vector<Vec3> joints;   ///< per joint: where it is
  std::vector<Vec3> starts;   ///< per joint: where its region starts
  anatomy::BodyKind kind = anatomy::BodyKind::kOther;
};

/// A frame of a motion, or without one the rest pose, changed; facing +Z. None where the body is not upright.
std::optional<PosedRig> pose_rig(const PosableRig& body, const kinematics::Motion* motion, int frame,
                                 const BodyChange& change);
PosedRig rest_rig(const PosableRig& body);

}  // namespace limber::training
