// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/clip_body.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "limber/anatomy/find_roles.h"
#include "limber/base/at.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/skinning.h"

namespace limber::metrics {
namespace {

constexpr std::size_t kThinPoints = 3000;
constexpr double kMost = 0.5;  ///< share of the body: what carries it leads at least as much

/// Points at every joint of a rig without skin that follow it; beyond those on which nothing hangs another, so that it
/// is seen that they turn.
void add_joint_points(rig::Subject& subject) {
  std::vector<int> bone_of(subject.rig.joints().size(), -1);
  const std::span<const rig::Bone> bones = subject.rig.bones();
  for (std::size_t b = 0; b < bones.size(); ++b) bone_of[at(bones[b].joint)] = static_cast<int>(b);
  std::vector<bool> carries(bone_of.size(), false);
  for (const rig::Joint& joint : subject.rig.joints()) {
    if (joint.parent >= 0) carries[at(joint.parent)] = true;
  }
  std::vector<std::vector<rig::Influence>> rows;
  const std::span<const Affine> rest = subject.rig.world_from_rest();
  for (int j = 0; j < subject.rig.joint_count(); ++j) {
    const int bone = bone_of[at(j)], parent = subject.rig.joints()[at(j)].parent;
    if (bone < 0) continue;
    const Affine bind_from_joint = inverse(bones[at(bone)].joint_from_bind);
    const auto add = [&](Vec3 point) {
      subject.points.push_back(bind_from_joint * point);
      rows.push_back({{static_cast<std::uint16_t>(bone), 1.0f}});
    };
    add({});
    if (carries[at(j)] || parent < 0) continue;
    add(inverse(rest[at(j)]) * (2.0f * rest[at(j)].translation - rest[at(parent)].translation));
  }
  subject.normals.assign(subject.points.size(), {0, 1, 0});
  subject.weights = rig::make_skin_weights(rows, 4);
}

rig::Subject thinned(const rig::Subject& subject) {
  rig::Subject thin{subject.rig, {}, {}, {}, {}, {}, subject.asset_scale, subject.asset_offset, {}, subject.facing};
  const auto stride = static_cast<std::size_t>(subject.weights.stride);
  thin.weights.stride = subject.weights.stride;
  const std::size_t every = std::max<std::size_t>(1, subject.points.size() / kThinPoints);
  for (std::size_t p = 0; p < subject.points.size(); p += every) {
    thin.points.push_back(subject.points[p]);
    for (std::size_t k = p * stride; k < (p + 1) * stride; ++k) {
      thin.weights.bones.push_back(subject.weights.bones[k]);
      thin.weights.weights.push_back(subject.weights.weights[k]);
    }
  }
  return thin;
}

/// Down from the root as long as one child carries most of the body and the joint itself leads next to nothing.
int find_trunk(const rig::Rig& rig, const std::vector<double>& own, const std::vector<double>& carried) {
  int joint = 0;
  for (;;) {
    if (own[at(joint)] > 0.02 * carried[0]) return joint;
    int next = -1;
    for (int j = joint + 1; j < rig.joint_count(); ++j) {
      if (rig.joints()[at(j)].parent == joint && carried[at(j)] > kMost * carried[0]) next = j;
    }
    if (next < 0) return joint;
    joint = next;
  }
}

}  // namespace

std::vector<int> leaders(const rig::Subject& subject) {
  // Rows have the heaviest bone first.
  std::vector<int> result(subject.points.size());
  const auto stride = static_cast<std::size_t>(subject.weights.stride);
  for (std::size_t p = 0; p < result.size(); ++p) {
    result[p] = subject.rig.bones()[subject.weights.bones[p * stride]].joint;
  }
  return result;
}

void pose_points(const rig::Subject& subject, std::span<const Affine> bones, std::vector<Vec3>& posed) {
  posed.resize(subject.points.size());
  kinematics::SkinInput input;
  input.weights = &subject.weights, input.points = subject.points, input.bones = bones;
  input.bone_count = subject.rig.bone_count(), input.frame_count = 1;
  kinematics::SkinOutput output;
  output.points = posed;
  kinematics::skin_forward(input, output);
}

ClipBody make_clip_body(rig::Subject upright) {
  upright.rig = anatomy::with_roles(upright.rig, upright.facing);
  ClipBody body{upright, upright, {}, 0, true, 0};
  body.has_skin = !body.subject.points.empty();
  if (!body.has_skin) add_joint_points(body.subject);
  body.thin = thinned(body.subject);
  const rig::Rig& rig = body.subject.rig;
  std::vector<double> own(rig.joints().size(), 0);
  for (const int joint : leaders(body.subject)) own[at(joint)] += 1;
  std::vector<double> carried = own;
  for (int j = rig.joint_count() - 1; j > 0; --j) carried[at(rig.joints()[at(j)].parent)] += carried[at(j)];
  for (const double share : carried) body.shown.push_back(share > 0);
  // Of a skeleton alone every joint has a point: what branches carries.
  if (!body.has_skin) std::fill(own.begin(), own.end(), 0);
  body.trunk = find_trunk(rig, own, carried);
  return body;
}

Vec3d GroundMove::undo(Vec3d point) const {
  const Vec3d arm = point - from - way;
  const double c = std::cos(turn), s = std::sin(turn);
  return from + Vec3d{c * arm.x - s * arm.z, arm.y, s * arm.x + c * arm.z};
}

GroundMove ground_move(const Affine& trunk_before, const Affine& trunk_after) {
  GroundMove move;
  const Affined before = trunk_before.cast<double>(), after = trunk_after.cast<double>();
  move.from = before.translation;
  move.way = after.translation - before.translation;
  move.way.y = 0;
  const Quatd turned = decompose(after).rotation * conjugate(decompose(before).rotation);
  // The part of the rotation that is about +Y; none where it is upside down.
  if (std::hypot(turned.y, turned.w) > 1e-6) move.turn = std::remainder(2 * std::atan2(turned.y, turned.w), 2 * kPi);
  return move;
}

}  // namespace limber::metrics
