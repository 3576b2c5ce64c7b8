// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/base/math.h"
#include "limber/rig/subject.h"

/// A body by its limbs, as retargeting needs it. Private to `retarget`.
namespace limber::retarget {

/// The joints of a limb, each hanging on the one before.
struct Chain {
  std::string name;  ///< "leg.1.L": the foremost of the left legs; "tail" where there is one
  rig::Limb limb;
  std::vector<int> joints;     ///< from the trunk outward
  std::vector<double> shares;  ///< per joint: where along the chain it is, 0 to 1
  double length = 0;           ///< along the joints, to the end
  Vec3d end;                   ///< where the last joint's flesh ends, at rest; the joint itself where nothing tells
  bool has_end = false;
  int ankle = 0;        ///< of legs: in `joints`; what comes from there on is the foot, which keeps its direction
  Vec3d sole;           ///< of legs: what touches the ground, at rest ...
  int sole_joint = -1;  ///< ... and the joint that carries it
  /// Where the sole is when it stands: between where both of its pair are, since some bodies rest in the middle of a
  /// step.
  Vec3d stand;
};

/// Stands along +Y, facing +Z.
struct Body {
  rig::Rig rig;               ///< knows its limbs
  std::vector<Vec3d> places;  ///< of the joints, at rest
  std::vector<Chain> chains;  ///< those of the trunk first
  int trunk = -1;             ///< the joint that carries all limbs
  double leg_length = 0;      ///< mean, from hip to sole as they stand at rest; 0 without legs
  double size = 1;            ///< longest side of the box around the joints

  Vec3d place(int joint) const { return places[static_cast<std::size_t>(joint)]; }
  bool has(rig::LimbKind kind) const;
  /// Of the chain named so, -1 for none.
  int find(const std::string& chain) const;
};

Body make_body(const rig::Subject& upright);

/// Whether a limb's sections point somewhere by themselves, whatever the rest pose: arms and wings.
bool points(rig::LimbKind kind);

}  // namespace limber::retarget
