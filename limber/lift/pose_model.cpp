// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/pose_model.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "limber/base/expect.h"
#include "limber/kinematics/forward.h"

namespace limber::lift {
namespace {

Mat3d cross_matrix(Vec3d a) {
  Mat3d m;
  m.m[0] = {0, -a.z, a.y};
  m.m[1] = {a.z, 0, -a.x};
  m.m[2] = {-a.y, a.x, 0};
  return m;
}

}  // namespace

SkinPoint skin_point(const rig::Subject& subject, std::uint32_t triangle, Vec3 barycentric) {
  SkinPoint point;
  const auto stride = static_cast<std::size_t>(subject.weights.stride);
  for (int corner = 0; corner < 3; ++corner) {
    const std::uint32_t vertex = subject.triangles[triangle][static_cast<std::size_t>(corner)];
    const auto share = static_cast<double>(barycentric[corner]);
    for (std::size_t k = vertex * stride; k < (vertex + 1) * stride; ++k) {
      const double weight = share * static_cast<double>(subject.weights.weights[k]);
      if (weight == 0) continue;
      const int bone = subject.weights.bones[k];
      auto term = std::find_if(point.begin(), point.end(), [bone](const SkinTerm& t) { return t.bone == bone; });
      if (term == point.end()) term = point.insert(point.end(), SkinTerm{bone, {}, 0});
      term->position += weight * subject.points[vertex].cast<double>();
      term->weight += weight;
    }
  }
  return point;
}

SkinPoint skin_point(const splat::Gaussians& gaussians, std::size_t index) {
  SkinPoint point;
  const auto stride = static_cast<std::size_t>(gaussians.influences);
  for (std::size_t k = index * stride; k < (index + 1) * stride; ++k) {
    const auto weight = static_cast<double>(gaussians.weights[k]);
    if (weight > 0) point.push_back({gaussians.bones[k], weight * gaussians.means[index].cast<double>(), weight});
  }
  return point;
}

MainJoint main_joint(const rig::Rig& rig, const SkinPoint& point) {
  std::vector<MainJoint> joints;
  for (const SkinTerm& term : point) {
    const int joint = rig.bones()[static_cast<std::size_t>(term.bone)].joint;
    auto entry = std::find_if(joints.begin(), joints.end(), [joint](const MainJoint& j) { return j.joint == joint; });
    if (entry == joints.end()) entry = joints.insert(joints.end(), MainJoint{joint, 0});
    entry->weight += term.weight;
  }
  MainJoint best;
  for (const MainJoint& entry : joints) {
    if (entry.weight > best.weight) best = entry;
  }
  return best;
}

PoseModel::PoseModel(rig::Rig rig, const std::vector<bool>& free) : rig_(std::move(rig)) {
  const auto joints = static_cast<std::size_t>(rig_.joint_count());
  LIMBER_EXPECT(free.empty() || free.size() == joints, std::to_string(free.size()) + " flags");
  first_unknown_.assign(joints, -1);
  for (std::size_t j = 0; j < joints; ++j) {
    if (!free.empty() && !free[j]) continue;
    first_unknown_[j] = unknown_count();
    free_joints_.push_back(static_cast<int>(j));
  }
  world_from_joint_.resize(joints);
  posed_from_bind_.resize(static_cast<std::size_t>(rig_.bone_count()));
  turns_.resize(free_joints_.size());
}

std::vector<double> PoseModel::unknowns(const kinematics::Pose& pose) const {
  std::vector<double> x(static_cast<std::size_t>(unknown_count()));
  for (int k = 0; k < 3; ++k) x[static_cast<std::size_t>(k)] = static_cast<double>(pose.root_translation[k]);
  for (std::size_t i = 0; i < free_joints_.size(); ++i) {
    const Vec3 angles = pose.angles[static_cast<std::size_t>(free_joints_[i])];
    for (int k = 0; k < 3; ++k) x[3 + 3 * i + static_cast<std::size_t>(k)] = static_cast<double>(angles[k]);
  }
  return x;
}

kinematics::Pose PoseModel::pose(std::span<const double> x, const kinematics::Pose& base) const {
  kinematics::Pose result = base;
  result.root_translation = Vec3d{x[0], x[1], x[2]}.cast<float>();
  for (std::size_t i = 0; i < free_joints_.size(); ++i) {
    const double* at = x.data() + 3 + 3 * i;
    result.angles[static_cast<std::size_t>(free_joints_[i])] = Vec3d{at[0], at[1], at[2]}.cast<float>();
  }
  return result;
}

void PoseModel::set(std::span<const double> x, const kinematics::Pose& base) {
  LIMBER_EXPECT(x.size() == static_cast<std::size_t>(unknown_count()), std::to_string(x.size()) + " unknowns");
  std::vector<Vec3d> angles;
  for (const Vec3& a : base.angles) angles.push_back(a.cast<double>());
  for (std::size_t i = 0; i < free_joints_.size(); ++i) {
    const double* at = x.data() + 3 + 3 * i;
    angles[static_cast<std::size_t>(free_joints_[i])] = {at[0], at[1], at[2]};
  }
  kinematics::FrameT<double> frame;
  frame.root_translation = {x[0], x[1], x[2]};
  frame.angles = angles;
  kinematics::joints_forward<double>(rig_, frame, world_from_joint_);
  kinematics::bones_forward<double>(rig_, world_from_joint_, posed_from_bind_);

  for (std::size_t i = 0; i < free_joints_.size(); ++i) {
    const auto j = static_cast<std::size_t>(free_joints_[i]);
    const rig::Joint& joint = rig_.joints()[j];
    // The frame in which the three angles turn: world from the joint's axes, before they do.
    Mat3d linear = joint.parent_from_frame.linear.cast<double>() * to_matrix(joint.rest.rotation.cast<double>()) *
                   to_matrix(joint.axes.cast<double>());
    if (joint.parent >= 0) linear = world_from_joint_[static_cast<std::size_t>(joint.parent)].linear * linear;
    const Mat3d back = inverse(linear);
    const Mat3d first = kinematics::euler_matrix(Vec3d{angles[j].x, 0, 0});
    const Mat3d both = kinematics::euler_matrix(Vec3d{angles[j].x, angles[j].y, 0});
    const std::array<Vec3d, 3> axes{Vec3d{1, 0, 0}, first.column(1), both.column(2)};
    turns_[i].center = world_from_joint_[j].translation;
    for (std::size_t k = 0; k < 3; ++k) turns_[i].generator[k] = linear * cross_matrix(axes[k]) * back;
  }
}

Vec3d PoseModel::place(const SkinPoint& point) const {
  Vec3d sum;
  for (const SkinTerm& term : point) sum += posed_term(posed_from_bind_[static_cast<std::size_t>(term.bone)], term);
  return sum;
}

void PoseModel::derivatives(const SkinPoint& point, std::vector<PointDerivative>& result) const {
  result.clear();
  double weight = 0;
  for (const SkinTerm& term : point) weight += term.weight;
  for (int k = 0; k < 3; ++k) {
    Vec3d along;
    along[k] = weight;
    result.push_back({k, along});
  }
  // What hangs below each free joint: the sum of its terms, and of their weights.
  struct Hanging {
    int unknown;
    Vec3d sum;
    double weight;
  };
  std::vector<Hanging> hanging;
  for (const SkinTerm& term : point) {
    const Vec3d posed = posed_term(posed_from_bind_[static_cast<std::size_t>(term.bone)], term);
    int joint = rig_.bones()[static_cast<std::size_t>(term.bone)].joint;
    for (; joint >= 0; joint = rig_.joints()[static_cast<std::size_t>(joint)].parent) {
      const int unknown = first_unknown(joint);
      if (unknown < 0) continue;
      auto entry =
          std::find_if(hanging.begin(), hanging.end(), [unknown](const Hanging& h) { return h.unknown == unknown; });
      if (entry == hanging.end()) entry = hanging.insert(hanging.end(), Hanging{unknown, {}, 0});
      entry->sum += posed, entry->weight += term.weight;
    }
  }
  for (const Hanging& h : hanging) {
    const Turn& turn = turns_[static_cast<std::size_t>(h.unknown / 3 - 1)];
    const Vec3d arm = h.sum - h.weight * turn.center;
    for (int k = 0; k < 3; ++k) result.push_back({h.unknown + k, turn.generator[k] * arm});
  }
}

}  // namespace limber::lift
