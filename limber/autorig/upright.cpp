// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/autorig/upright.h"

namespace limber::autorig {

Mat3d upright_from(Vec3 up) {
  const Vec3d from = normalized(up.cast<double>());
  // Upside down: any axis at right angles will do, and about X the sides stay where they are.
  if (from.y < -1 + 1e-9) return Mat3d::diagonal({1, -1, -1});
  // Rodrigues' formula; a quaternion would round even where axes go to axes.
  const Vec3d axis = cross(from, Vec3d{0, 1, 0});
  const auto turn = [&](Vec3d p) { return p + cross(axis, p) + (1 / (1 + from.y)) * cross(axis, cross(axis, p)); };
  return Mat3d::from_columns(turn({1, 0, 0}), turn({0, 1, 0}), turn({0, 0, 1}));
}

std::vector<Vec3> turned(const std::vector<Vec3>& points, const Mat3d& turn) {
  std::vector<Vec3> result;
  result.reserve(points.size());
  for (const Vec3& p : points) result.push_back((turn * p.cast<double>()).cast<float>());
  return result;
}

skeleton::SkeletonPlan turned(skeleton::SkeletonPlan plan, const Mat3d& turn) {
  if (turn == Mat3d::identity()) return plan;  // even the signs of zeros
  for (skeleton::PlannedJoint& joint : plan.joints) {
    joint.at = turn * joint.at;
    if (joint.tail) joint.tail = turn * *joint.tail;
  }
  plan.up = turn * plan.up, plan.forward = turn * plan.forward;
  return plan;
}

}  // namespace limber::autorig
