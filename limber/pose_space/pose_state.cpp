// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_state.h"

#include <cmath>

#include "limber/base/at.h"
#include "limber/base/expect.h"

namespace limber::pose_space {
namespace {

constexpr double kFlat = 1e-9;  // shorter columns have no direction

Mat3d about_up(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return Mat3d::from_columns({c, 0, -s}, {0, 1, 0}, {s, 0, c});
}

/// How far a rotation turns about up: its twist.
double heading_of(const Mat3d& rotation) {
  const Quatd q = to_quat(rotation);
  return q.y * q.y + q.w * q.w > 1e-12 ? 2 * std::atan2(q.y, q.w) : 0;
}

/// The two columns that a state holds, as they are.
struct Columns {
  Vec3d x, y;
};
Columns columns_at(std::span<const double> state, std::size_t joint) {
  const double* s = state.data() + joint * kStateSize + 3;
  const double u = kRotationUnit;
  return {{u * s[0] + 1, u * s[1], u * s[2]}, {u * s[3], u * s[4] + 1, u * s[5]}};
}

/// Gram-Schmidt, and what its derivative needs.
struct Orthonormal {
  Vec3d x, y;
  double x_length = 1, y_length = 1;  ///< before they were made unit
  bool flat = false;                  ///< no rotation could be found

  explicit Orthonormal(const Columns& from) {
    x_length = norm(from.x);
    flat = !(x_length > kFlat);
    if (flat) return;
    x = (1 / x_length) * from.x;
    const Vec3d level = from.y - dot(x, from.y) * x;
    y_length = norm(level);
    flat = !(y_length > kFlat);
    if (!flat) y = (1 / y_length) * level;
  }
  Mat3d matrix() const { return flat ? Mat3d::identity() : Mat3d::from_columns(x, y, cross(x, y)); }
};

void check_size(const PoseSkeleton& skeleton, std::size_t size) {
  LIMBER_EXPECT(size == kStateSize * skeleton.joints.size(),
                std::to_string(size) + " numbers for " + std::to_string(skeleton.size()) + " joints");
}

/// Places of all joints: each bone goes with its parent.
std::vector<Vec3d> places_of(const PoseSkeleton& skeleton, std::span<const Mat3d> turns) {
  std::vector<Vec3d> places(turns.size());
  for (std::size_t j = 1; j < turns.size(); ++j) {
    const PoseJoint& joint = skeleton.joints[j];
    places[j] = places[at(joint.parent)] + turns[at(joint.parent)] * joint.offset;
  }
  return places;
}

}  // namespace

std::vector<Mat3d> turns_of(const PoseSkeleton& skeleton, std::span<const Vec3> angles, double* heading) {
  LIMBER_EXPECT(angles.size() == skeleton.carriers.size(), std::to_string(angles.size()));
  std::vector<Mat3d> turns(skeleton.joints.size());
  for (std::size_t j = 0; j < turns.size(); ++j) {
    const PoseJoint& joint = skeleton.joints[j];
    const Mat3d own = kinematics::euler_matrix(angles[at(joint.joint)].cast<double>());
    turns[j] = joint.axes * own * transposed(joint.axes);
    if (joint.parent >= 0) turns[j] = turns[at(joint.parent)] * turns[j];
  }
  const double yaw = heading_of(turns[0]);
  const Mat3d back = about_up(-yaw);
  for (Mat3d& turn : turns) turn = back * turn;
  if (heading != nullptr) *heading = yaw;
  return turns;
}

PoseState state_of(const PoseSkeleton& skeleton, std::span<const Mat3d> turns) {
  LIMBER_EXPECT(turns.size() == skeleton.joints.size(), std::to_string(turns.size()));
  const std::vector<Vec3d> places = places_of(skeleton, turns);
  PoseState state;
  state.reserve(kStateSize * turns.size());
  for (std::size_t j = 0; j < turns.size(); ++j) {
    const Vec3d moved = (1 / kPositionUnit) * (places[j] - skeleton.joints[j].place);
    const Vec3d x = (1 / kRotationUnit) * (turns[j].column(0) - Vec3d{1, 0, 0});
    const Vec3d y = (1 / kRotationUnit) * (turns[j].column(1) - Vec3d{0, 1, 0});
    for (const Vec3d& v : {moved, x, y}) state.insert(state.end(), {v.x, v.y, v.z});
  }
  return state;
}

EncodedPose encode_pose(const PoseSkeleton& skeleton, const kinematics::Pose& pose) {
  EncodedPose encoded;
  encoded.place.translation = pose.root_translation;
  encoded.state = state_of(skeleton, turns_of(skeleton, pose.angles, &encoded.place.heading));
  return encoded;
}

PoseShape shape_of(const PoseSkeleton& skeleton, std::span<const double> state) {
  check_size(skeleton, state.size());
  PoseShape shape;
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j)
    shape.turns.push_back(Orthonormal(columns_at(state, j)).matrix());
  shape.places = places_of(skeleton, shape.turns);
  return shape;
}

kinematics::Pose decode_pose(const PoseSkeleton& skeleton, std::span<const double> state, const PosePlace& place,
                             std::span<const Vec3> previous) {
  const PoseShape shape = shape_of(skeleton, state);
  const Mat3d heading = about_up(place.heading);
  kinematics::Pose pose;
  pose.root_translation = place.translation;
  pose.angles.assign(skeleton.carriers.size(), {});
  for (std::size_t j = 0; j < shape.turns.size(); ++j) {
    const PoseJoint& joint = skeleton.joints[j];
    const Mat3d own =
        joint.parent < 0 ? heading * shape.turns[j] : transposed(shape.turns[at(joint.parent)]) * shape.turns[j];
    const Vec3d near = previous.empty() ? Vec3d{} : previous[at(joint.joint)].cast<double>();
    pose.angles[at(joint.joint)] =
        kinematics::euler_angles(transposed(joint.axes) * own * joint.axes, near).cast<float>();
  }
  return pose;
}

void shape_backward(const PoseSkeleton& skeleton, std::span<const double> state, const PoseShape& shape,
                    const PoseShape& grad_shape, std::span<double> grad_state) {
  check_size(skeleton, state.size());
  check_size(skeleton, grad_state.size());
  std::vector<Vec3d> grad_places = grad_shape.places;
  std::vector<Mat3d> grad_turns = grad_shape.turns;
  for (std::size_t j = shape.turns.size(); j-- > 1;) {
    const PoseJoint& joint = skeleton.joints[j];
    grad_places[at(joint.parent)] += grad_places[j];
    grad_turns[at(joint.parent)] += outer(grad_places[j], joint.offset);
  }
  for (std::size_t j = 0; j < shape.turns.size(); ++j) {
    const Columns from = columns_at(state, j);
    const Orthonormal to(from);
    if (to.flat) continue;
    // z = x cross y
    const Vec3d grad_z = grad_turns[j].column(2);
    Vec3d grad_x = grad_turns[j].column(0) + cross(to.y, grad_z);
    const Vec3d grad_y = grad_turns[j].column(1) + cross(grad_z, to.x);
    // y = level / |level|, level = from.y - (x . from.y) x
    const Vec3d grad_level = (1 / to.y_length) * (grad_y - dot(grad_y, to.y) * to.y);
    const Vec3d grad_from_y = grad_level - dot(grad_level, to.x) * to.x;
    grad_x -= dot(grad_level, to.x) * from.y + dot(to.x, from.y) * grad_level;
    const Vec3d grad_from_x = (1 / to.x_length) * (grad_x - dot(grad_x, to.x) * to.x);
    double* grad = grad_state.data() + j * kStateSize + 3;
    for (int k = 0; k < 3; ++k)
      grad[k] += kRotationUnit * grad_from_x[k], grad[3 + k] += kRotationUnit * grad_from_y[k];
  }
}

}  // namespace limber::pose_space
