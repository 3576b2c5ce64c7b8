// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/wanted_turns.h"

#include <algorithm>
#include <array>
#include <string>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/kinematics/forward.h"

namespace limber::pose_space {
namespace {

/// The derivatives of Rx(a) Ry(b) Rz(c) by its three angles.
std::array<Mat3d, 3> euler_derivatives(Vec3d angles) {
  const Mat3d rotation = kinematics::euler_matrix(angles);
  const Mat3d x = kinematics::euler_matrix(Vec3d{angles.x, 0, 0}), z = kinematics::euler_matrix(Vec3d{0, 0, angles.z});
  // About x in front of all, about z behind all, about y between them.
  const Mat3d about_x = Mat3d::from_columns({0, 0, 0}, {0, 0, 1}, {0, -1, 0});
  const Mat3d about_y = Mat3d::from_columns({0, 0, -1}, {0, 0, 0}, {1, 0, 0});
  const Mat3d about_z = Mat3d::from_columns({0, 1, 0}, {-1, 0, 0}, {0, 0, 0});
  const Mat3d y = kinematics::euler_matrix(Vec3d{0, angles.y, 0});
  return {about_x * rotation, x * about_y * y * z, rotation * about_z};
}

/// Sum of the products of all entries: the trace of a^T b.
double inner(const Mat3d& a, const Mat3d& b) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) sum += dot(a.row(k), b.row(k));
  return sum;
}

}  // namespace

std::vector<Mat3d> own_turns(const PoseSkeleton& skeleton, std::span<const double> state) {
  const PoseShape shape = shape_of(skeleton, state);
  std::vector<Mat3d> rotations(shape.turns.size(), Mat3d::identity());
  for (std::size_t j = 1; j < rotations.size(); ++j) {
    const PoseJoint& joint = skeleton.joints[j];
    rotations[j] = transposed(joint.axes) * transposed(shape.turns[at(joint.parent)]) * shape.turns[j] * joint.axes;
  }
  return rotations;
}

double add_turns(const PoseSkeleton& skeleton, const kinematics::Motion& motion, std::span<const Mat3d> wanted,
                 std::span<const float> weights, double scale, kinematics::MotionGradient& gradient) {
  kinematics::size_gradient(motion, gradient);
  const std::size_t joints = skeleton.joints.size();
  if (joints < 2 || motion.frame_count() == 0) return 0;
  LIMBER_EXPECT(wanted.size() == at(motion.frame_count()) * joints, std::to_string(wanted.size()));
  LIMBER_EXPECT(weights.empty() || weights.size() == motion.angles.size(), std::to_string(weights.size()));
  const double share = 1 / (static_cast<double>(motion.frame_count()) * static_cast<double>(joints - 1));
  double sum = 0;
  for (int f = 0; f < motion.frame_count(); ++f) {
    for (std::size_t j = 1; j < joints; ++j) {
      const std::size_t index = at(f) * at(motion.joint_count) + at(skeleton.joints[j].joint);
      const double weight = share * (weights.empty() ? 1.0 : double{weights[index]});
      const Vec3d angles = motion.angles[index].cast<double>();
      const Mat3d& target = wanted[at(f) * joints + j];
      // The trace of a rotation by an angle is 1 + 2 cos.
      sum += weight * (3 - inner(kinematics::euler_matrix(angles), target));
      const std::array<Mat3d, 3> derivatives = euler_derivatives(angles);
      for (std::size_t k = 0; k < 3; ++k)
        gradient.angles[index][static_cast<int>(k)] -=
            static_cast<float>(scale * weight * inner(derivatives[k], target));
    }
  }
  return sum;
}

kinematics::Motion lean_on_turns(const PoseSkeleton& skeleton, const kinematics::Motion& motion,
                                 std::span<const Mat3d> wanted, std::span<const float> confidence) {
  const std::size_t joints = skeleton.joints.size();
  LIMBER_EXPECT(confidence.size() == motion.angles.size(), std::to_string(confidence.size()));
  LIMBER_EXPECT(wanted.size() == at(motion.frame_count()) * joints, std::to_string(wanted.size()));
  kinematics::Motion leant = motion;
  parallel_for(at(motion.frame_count()), 1, [&](std::size_t f, std::size_t) {
    for (std::size_t j = 1; j < joints; ++j) {
      const std::size_t index = f * at(motion.joint_count) + at(skeleton.joints[j].joint);
      const double unsure = 1 - std::clamp(double{confidence[index]}, 0.0, 1.0);
      const Vec3d before = motion.angles[index].cast<double>();
      const Quatd turn = slerp(to_quat(kinematics::euler_matrix(before)), to_quat(wanted[f * joints + j]), unsure);
      leant.angles[index] = kinematics::euler_angles(to_matrix(turn), before).cast<float>();
    }
  });
  return leant;
}

}  // namespace limber::pose_space
