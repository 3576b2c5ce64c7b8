// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/mend/leg_reach.h"

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/kinematics/forward.h"

namespace limber::mend {
namespace {

constexpr int kRounds = 6;
constexpr double kDamping = 4e-4;    ///< heights^2: what a leg that is nearly straight costs to stretch
constexpr float kLeastLift = 1e-5f;  ///< heights
constexpr double kMostTurn = 0.15;   ///< radians, of a joint in a round

/// The joint that leads most of what is low of a leg at rest.
int foot_joint(const metrics::ClipBody& body, int limb) {
  const rig::Subject& subject = body.subject;
  const rig::Rig& rig = subject.rig;
  std::vector<Vec3> rest;
  metrics::pose_points(subject, kinematics::bone_matrices(rig, kinematics::rest_pose(rig)), rest);
  const std::vector<int> leader = metrics::leaders(subject);
  std::vector<float> low(rig.joints().size(), 1e9f);
  for (std::size_t p = 0; p < rest.size(); ++p) low[at(leader[p])] = std::min(low[at(leader[p])], rest[p].y);
  int foot = -1;
  for (int j = 0; j < rig.joint_count(); ++j) {
    if (rig.joints()[at(j)].role.limb == limb && low[at(j)] < 1e8f && (foot < 0 || low[at(j)] < low[at(foot)]))
      foot = j;
  }
  return foot;
}

/// Joints from the leg's first one to its foot.
std::vector<int> leg_chain(const rig::Rig& rig, int limb, int foot) {
  std::vector<int> chain;
  for (int j = foot; j >= 0 && rig.joints()[at(j)].role.limb == limb; j = rig.joints()[at(j)].parent)
    chain.push_back(j);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

Affined above(const rig::Rig& rig, int joint, const std::vector<Affined>& world) {
  const int parent = rig.joints()[at(joint)].parent;
  return parent >= 0 ? world[at(parent)] : Affined{};
}

Mat3d rotation_of(const Affined& world) { return to_matrix(decompose(world).rotation); }

Mat3d turn_of(Vec3d vector) {
  const double angle = norm(vector);
  return angle < 1e-12 ? Mat3d::identity() : to_matrix(axis_angle((1 / angle) * vector, angle));
}

/// One frame: brings the last joint of the chain to `goal`, turned as it is.
void reach(const rig::Rig& rig, const std::vector<int>& chain, double lift, int index, kinematics::Motion& motion) {
  kinematics::FrameBufferT<double> buffer;
  std::vector<Affined> world(rig.joints().size());
  const auto update = [&] {
    kinematics::joints_forward<double>(rig, kinematics::motion_frame<double>(rig, motion, index, buffer), world);
  };
  update();
  const int foot = chain.back();
  const Mat3d direction = rotation_of(world[at(foot)]);
  const Vec3d goal = world[at(foot)].translation + Vec3d{0, lift, 0};
  const std::span<Vec3> angles = motion.frame_angles(index);
  for (int round = 0; round < kRounds; ++round) {
    const Vec3d place = world[at(foot)].translation;
    Mat3d normal = kDamping * Mat3d::identity();
    for (std::size_t k = 0; k + 1 < chain.size(); ++k) {
      // Turning about w moves the foot by w x arm: the sum of the squares of those three columns.
      const Vec3d arm = place - world[at(chain[k])].translation;
      normal += squared_norm(arm) * Mat3d::identity() + -1.0 * outer(arm, arm);
    }
    const Vec3d force = inverse(normal) * (goal - place);
    for (std::size_t k = 0; k + 1 < chain.size(); ++k) {
      const int joint = chain[k];
      Vec3d turn = cross(place - world[at(joint)].translation, force);
      if (norm(turn) > kMostTurn) turn = (kMostTurn / norm(turn)) * turn;
      turn_joint(angle_frame(rig.joints()[at(joint)], above(rig, joint, world)), turn_of(turn), angles[at(joint)]);
    }
    update();
    const Mat3d back = direction * transposed(rotation_of(world[at(foot)]));
    turn_joint(angle_frame(rig.joints()[at(foot)], above(rig, foot, world)), back, angles[at(foot)]);
    update();
  }
}

}  // namespace

Mat3d angle_frame(const rig::Joint& joint, const Affined& world_from_parent) {
  const Affined frame = world_from_parent * joint.parent_from_frame.cast<double>();
  return rotation_of(frame) *
         to_matrix(normalized(joint.rest.rotation.cast<double>()) * normalized(joint.axes.cast<double>()));
}

void turn_joint(const Mat3d& frame, const Mat3d& turn, Vec3& angles) {
  const Vec3d before = angles.cast<double>();
  const Mat3d local = transposed(frame) * turn * frame;
  angles = kinematics::euler_angles(local * kinematics::euler_matrix(before), before).cast<float>();
}

bool move_foot(const metrics::ClipBody& body, int limb, const std::vector<float>& lifts, kinematics::Motion& motion) {
  const rig::Rig& rig = body.subject.rig;
  const int foot = foot_joint(body, limb);
  if (foot < 0) return false;
  const std::vector<int> chain = leg_chain(rig, limb, foot);
  if (chain.size() < 2) return false;
  for (int f = 0; f < motion.frame_count(); ++f) {
    if (std::abs(lifts[at(f)]) > kLeastLift) reach(rig, chain, double(lifts[at(f)]), f, motion);
  }
  return true;
}

}  // namespace limber::mend
