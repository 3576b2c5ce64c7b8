// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "limber/training/posed_bodies.h"
#include "limber/training/posed_rig.h"

/// Limbs of a rig as the reader is taught them. Private to `training`.
namespace limber::training {

/// A limb's joints from where it leaves to its last one, and the point of its skin that is its tip.
struct TaughtLimb {
  rig::LimbKind kind = rig::LimbKind::kTrunk;
  rig::Side side = rig::Side::kMiddle;
  std::vector<int> chain;
  int tip_bone = -1;  ///< that carries the tip; -1: the tip is where the last joint is
  Vec3 tip;           ///< in the bone's bind space
};

class TaughtLimbs {
 public:
  TaughtLimbs() = default;
  /// The trunk reaches from the hips, or without legs from its hind end, to where it carries necks, heads or arms.
  /// Collar bones and the like are trunk.
  explicit TaughtLimbs(const PosableRig& body);

  /// Calls `point` for skin points at rest: a joint, one of its bones and a place in its bind space. The tip of a limb
  /// is the point of its last joint that is farthest from there.
  using Point = std::function<void(int joint, int bone, Vec3 place)>;
  void find_tips(const PosableRig& body, const std::function<void(const Point&)>& for_each_point);

  int limb_of(int joint) const { return limb_of_[static_cast<std::size_t>(joint)]; }
  const std::vector<TaughtLimb>& limbs() const { return limbs_; }

  /// The limbs as posed: joints from root to tip, one line for each.
  std::vector<std::vector<Vec3>> lines(const PosedRig& posed) const;

 private:
  void follow(const PosableRig& body, int limb);
  void lay_trunk(const PosableRig& body);

  std::vector<TaughtLimb> limbs_;  ///< the rig's, some without joints
  std::vector<int> limb_of_;       ///< per joint
};

/// How far along a line the point of it is that is nearest to `place`, 0 to 1.
float along_line(std::span<const Vec3> line, Vec3 place);

}  // namespace limber::training
