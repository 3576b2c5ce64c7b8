// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/rig/rig.h"

/// AKD's unknowns (section 4.4): per frame a 6-DoF root and three angles per joint.
namespace limber::kinematics {

/// One frame. `angles[0]` turns the root joint, so root translation and `angles[0]` are the 6-DoF root.
struct Pose {
  Vec3 root_translation;     ///< added in world space
  std::vector<Vec3> angles;  ///< per joint, radians, about Joint::axes
};

/// Local translation and scale of one joint where a clip has them beyond the rotations: they replace `rest.translation`
/// and `rest.scale`, per frame. An empty array keeps the rest value. Constants for the optimisers.
struct JointOverride {
  int joint = 0;
  std::vector<Vec3> translations, scales;  ///< per frame, in Joint's frame
};

/// Frames at a steady rate. Frame i is at i / fps seconds; a loop's last frame is followed by its first.
struct Motion {
  double fps = 24;
  bool loops = false;  ///< the pose after the last frame is the first again (root translation continues)
  int joint_count = 0;
  std::vector<Vec3> root_translations;   ///< per frame
  std::vector<Vec3> angles;              ///< frames x joints
  std::vector<JointOverride> overrides;  ///< at most one per joint

  int frame_count() const { return static_cast<int>(root_translations.size()); }
  std::span<Vec3> frame_angles(int frame) {
    return std::span(angles).subspan(static_cast<std::size_t>(frame) * joint_count,
                                     static_cast<std::size_t>(joint_count));
  }
  std::span<const Vec3> frame_angles(int frame) const {
    return std::span(angles).subspan(static_cast<std::size_t>(frame) * joint_count,
                                     static_cast<std::size_t>(joint_count));
  }
};

/// All joints at rest.
Pose rest_pose(const rig::Rig& rig);
/// `frames` frames at rest.
Motion rest_motion(const rig::Rig& rig, int frames, double fps);

/// Rotation of the three angles about the axes' own x, y', z'': Rx(a) Ry(b) Rz(c).
template <class T>
Mat3T<T> euler_matrix(Vec3T<T> angles);

/// Angles of a rotation, as near to `previous` as the angles' ambiguity allows, so that motions stay continuous. Exact
/// to rounding; within 1e-7 rad of the gimbal, where only the sum of two angles counts, they share the change evenly
/// and the rotation is met to 1e-7 rad.
Vec3d euler_angles(const Mat3d& rotation, Vec3d previous = {});

}  // namespace limber::kinematics
