// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/pose_error.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "limber/base/expect.h"
#include "limber/kinematics/forward.h"

namespace limber::metrics {

double joint_angle_error(const kinematics::Motion& motion, const kinematics::Motion& truth, int frame, int joint) {
  const auto turn = [frame, joint](const kinematics::Motion& m) {
    return to_quat(kinematics::euler_matrix(m.frame_angles(frame)[static_cast<std::size_t>(joint)].cast<double>()));
  };
  return angle_between(turn(motion), turn(truth));
}

PoseError pose_error(const rig::Rig& rig, const kinematics::Motion& motion, const kinematics::Motion& truth,
                     const std::vector<bool>& joints) {
  LIMBER_EXPECT(motion.frame_count() == truth.frame_count() && motion.joint_count == truth.joint_count,
                std::to_string(motion.frame_count()) + " and " + std::to_string(truth.frame_count()) + " frames");
  const std::vector<Affine> a = kinematics::joint_matrices(rig, motion), b = kinematics::joint_matrices(rig, truth);
  const std::span<const Affine> rest = rig.world_from_rest();
  double radius = 1e-9;
  for (const Affine& joint : rest) {
    radius = std::max(radius, static_cast<double>(norm(joint.translation - rest[0].translation)));
  }
  PoseError error;
  double angles = 0, positions = 0;
  const auto count = static_cast<std::size_t>(rig.joint_count());
  for (int t = 0; t < motion.frame_count(); ++t) {
    const std::size_t row = static_cast<std::size_t>(t) * count;
    const Affine a_root = inverse(a[row]), b_root = inverse(b[row]);
    for (std::size_t j = 1; j < count; ++j) {
      error.position += static_cast<double>(norm(a_root * a[row + j].translation - b_root * b[row + j].translation));
      positions += radius;
      if (!joints.empty() && !joints[j]) continue;
      error.angle += joint_angle_error(motion, truth, t, static_cast<int>(j)), angles += 1;
    }
  }
  error.angle /= std::max(angles, 1.0), error.position /= std::max(positions, radius);
  return error;
}

double correct_points(std::span<const Vec2> points, std::span<const Vec2> truth, double share) {
  LIMBER_EXPECT(points.size() == truth.size(), std::to_string(points.size()) + " points");
  if (points.empty()) return 0;
  Vec2 low = truth[0], high = truth[0];
  for (const Vec2& p : truth) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
  const double reach = share * static_cast<double>(std::max(high.x - low.x, high.y - low.y));
  double good = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    good += static_cast<double>(std::hypot(points[i].x - truth[i].x, points[i].y - truth[i].y)) <= reach;
  }
  return good / static_cast<double>(points.size());
}

}  // namespace limber::metrics
