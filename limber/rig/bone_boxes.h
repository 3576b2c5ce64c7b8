// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "limber/base/math.h"
#include "limber/rig/subject.h"

namespace limber::rig {

/// A cuboid around the skin of one joint, in the subject's world at rest. It moves rigidly with the joint:
/// posed = world_from_joint * inverse(world_from_rest of that joint) * point.
struct BoneBox {
  int joint = 0;
  Vec3 centre;
  Mat3 axes = Mat3::identity();  ///< its columns are the directions of its edges
  Vec3 half;                     ///< half the lengths of its edges, > 0
  /// Points of the skin that reach farthest towards the box's corners and faces, at most 14: what touches the ground
  /// first, whatever way the bone is turned. Unlike the corners they are never outside the skin.
  std::vector<Vec3> touching;

  std::array<Vec3, 8> corners() const;
  float volume() const { return 8 * half.x * half.y * half.z; }
};

/// One box for every joint that is the main influence of at least one point, in the order of the joints. Boxes stand
/// upright where that wraps the skin about as tightly, so that soles are flat; else they lie along the skin's longest
/// direction. The ground loss and the simulator share them.
std::vector<BoneBox> bone_boxes(const Subject& subject);

}  // namespace limber::rig
