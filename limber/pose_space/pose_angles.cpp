// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_angles.h"

#include <algorithm>

#include "limber/kinematics/motion.h"

namespace limber::pose_space {

bool is_limited(const rig::JointLimits& limits) {
  const Vec3 range = limits.upper - limits.lower;
  return std::min({range.x, range.y, range.z}) < 6.2f;
}

Vec3d angles_within(const PoseJoint& joint, const Mat3d& own, const rig::JointLimits& limits) {
  const Vec3d middle = 0.5 * (limits.lower + limits.upper).cast<double>();
  return kinematics::euler_angles(transposed(joint.axes) * own * joint.axes, middle);
}

Vec3d clamped(Vec3d angles, const rig::JointLimits& limits) {
  return min(max(angles, limits.lower.cast<double>()), limits.upper.cast<double>());
}

Mat3d turn_of(const PoseJoint& joint, Vec3d angles) {
  return joint.axes * kinematics::euler_matrix(angles) * transposed(joint.axes);
}

}  // namespace limber::pose_space
