// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_prior.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/pose_space/pose_motion.h"

namespace limber::pose_space {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

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

/// Where the network has every pose joint of a frame, as rotations that the rig's angles make.
std::vector<Mat3d> wanted_rotations(const PoseSpace& space, const kinematics::Pose& pose, double time) {
  const PoseSkeleton& skeleton = space.skeleton();
  const PoseShape shape = shape_of(skeleton, space.settle(encode_pose(skeleton, pose).state, time));
  std::vector<Mat3d> rotations(shape.turns.size(), Mat3d::identity());
  for (std::size_t j = 1; j < rotations.size(); ++j) {
    const PoseJoint& joint = skeleton.joints[j];
    rotations[j] = transposed(joint.axes) * transposed(shape.turns[at(joint.parent)]) * shape.turns[j] * joint.axes;
  }
  return rotations;
}

}  // namespace

PosePriorEnergy::PosePriorEnergy(PoseSpace space, PosePriorSettings settings)
    : space_(std::move(space)), settings_(std::move(settings)) {
  LIMBER_EXPECT(settings_.time > 0 && settings_.time <= 1 && settings_.period > 0, std::to_string(settings_.time));
}

void PosePriorEnergy::ask(const kinematics::Motion& motion) const {
  const std::size_t joints = space_.skeleton().joints.size();
  wanted_.resize(at(motion.frame_count()) * joints);
  parallel_for(at(motion.frame_count()), 1, [&](std::size_t f, std::size_t) {
    const std::vector<Mat3d> frame = wanted_rotations(space_, pose_at(motion, static_cast<int>(f)), settings_.time);
    std::copy(frame.begin(), frame.end(), wanted_.begin() + static_cast<std::ptrdiff_t>(f * joints));
  });
}

double PosePriorEnergy::add(const kinematics::Motion& motion, double scale,
                            kinematics::MotionGradient& gradient) const {
  const PoseSkeleton& skeleton = space_.skeleton();
  LIMBER_EXPECT(motion.joint_count == skeleton.rig.joint_count(), std::to_string(motion.joint_count));
  LIMBER_EXPECT(settings_.weights.empty() || settings_.weights.size() == motion.angles.size(),
                std::to_string(settings_.weights.size()));
  kinematics::size_gradient(motion, gradient);
  const std::size_t joints = skeleton.joints.size();
  if (joints < 2 || motion.frame_count() == 0) return 0;
  if (calls_++ % settings_.period == 0 || wanted_.size() != at(motion.frame_count()) * joints) ask(motion);
  const double share = 1 / (static_cast<double>(motion.frame_count()) * static_cast<double>(joints - 1));
  double sum = 0;
  for (int f = 0; f < motion.frame_count(); ++f) {
    for (std::size_t j = 1; j < joints; ++j) {
      const std::size_t index = at(f) * at(motion.joint_count) + at(skeleton.joints[j].joint);
      const double weight = share * (settings_.weights.empty() ? 1.0 : double{settings_.weights[index]});
      const Vec3d angles = motion.angles[index].cast<double>();
      const Mat3d& wanted = wanted_[at(f) * joints + j];
      // The trace of a rotation by an angle is 1 + 2 cos.
      sum += weight * (3 - inner(kinematics::euler_matrix(angles), wanted));
      const std::array<Mat3d, 3> derivatives = euler_derivatives(angles);
      for (std::size_t k = 0; k < 3; ++k)
        gradient.angles[index][static_cast<int>(k)] -=
            static_cast<float>(scale * weight * inner(derivatives[k], wanted));
    }
  }
  return sum;
}

kinematics::Motion lean_on_prior(const PoseSpace& space, const kinematics::Motion& motion,
                                 std::span<const float> confidence, double time) {
  LIMBER_EXPECT(confidence.size() == motion.angles.size(), std::to_string(confidence.size()));
  const PoseSkeleton& skeleton = space.skeleton();
  kinematics::Motion leant = motion;
  parallel_for(at(motion.frame_count()), 1, [&](std::size_t f, std::size_t) {
    const int frame = static_cast<int>(f);
    const std::vector<Mat3d> wanted = wanted_rotations(space, pose_at(motion, frame), time);
    for (std::size_t j = 1; j < wanted.size(); ++j) {
      const std::size_t joint = at(skeleton.joints[j].joint);
      const double unsure = 1 - std::clamp(double{confidence[f * at(motion.joint_count) + joint]}, 0.0, 1.0);
      const Vec3d before = motion.frame_angles(frame)[joint].cast<double>();
      const Quatd turn = slerp(to_quat(kinematics::euler_matrix(before)), to_quat(wanted[j]), unsure);
      leant.frame_angles(frame)[joint] = kinematics::euler_angles(to_matrix(turn), before).cast<float>();
    }
  });
  return leant;
}

}  // namespace limber::pose_space
