// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "limber/base/math.h"
#include "limber/rig/facing.h"
#include "limber/rig/rig.h"

/// A rig as the pose space sees it: turned to face +Z with +Y up, its root in the origin, its farthest joint at a
/// distance of one.
namespace limber::pose_space {

/// Joints that a network looks at. Of larger rigs those with most of the body behind them; the others keep their rest
/// rotation relative to their parents.
inline constexpr int kMostJoints = 64;

struct PoseJoint {
  int joint = 0;     ///< of the rig
  int parent = -1;   ///< among the pose joints; smaller than its own index, -1 for the root
  Vec3d place;       ///< at rest
  Vec3d offset;      ///< from the parent, at rest
  Mat3d axes;        ///< the three axes of its angles at rest, orthogonal; a mirror where the rig is mirrored there
  int partner = -1;  ///< the same joint of the other side, -1 for none
};

struct PoseSkeleton {
  rig::Rig rig;                          ///< knows its limbs
  std::vector<PoseJoint> joints;         ///< 1 to kMostJoints: the root first, parents before children
  std::vector<int> carriers;             ///< per joint of the rig: the nearest pose joint at or above it
  double radius = 1;                     ///< what one is, in the rig's world
  Vec3d root;                            ///< where the origin is, in the rig's world
  Mat3d from_world = Mat3d::identity();  ///< turns the rig's world

  int size() const { return static_cast<int>(joints.size()); }
  int riders() const { return rig.joint_count() - size(); }  ///< joints that only ride along
  /// Steps along the tree between any two pose joints, row by row.
  std::vector<std::uint8_t> tree_distances() const;
};

/// Which joints of a rig are looked at.
struct JointChoice {
  int most = kMostJoints;      ///< 1 or more; no more than kMostJoints
  std::vector<bool> left_out;  ///< per joint of the rig, the root aside; empty: none
};

/// Finds the limbs of a rig that does not know them. `facing` is the way it stands at rest; where that is not known,
/// glTF's (+Y up, facing +Z).
PoseSkeleton make_pose_skeleton(const rig::Rig& rig, const rig::Facing& facing = {}, const JointChoice& choice = {});

}  // namespace limber::pose_space
