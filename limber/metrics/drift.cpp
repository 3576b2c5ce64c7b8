// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/drift.h"

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/kinematics/forward.h"

namespace limber::metrics {
namespace {

constexpr double kSway = 0.03;     ///< heights: a body that walks straight sways as far to either side
constexpr double kCarries = 0.01;  ///< heights: a joint that goes as far in its parent carries the body

Vec3d level(Vec3d v) { return {v.x, 0, v.z}; }

/// Joints from the root to `joint`, that included.
std::vector<int> path_to(const rig::Rig& rig, int joint) {
  std::vector<int> path;
  for (; joint >= 0; joint = rig.joints()[at(joint)].parent) path.push_back(joint);
  std::reverse(path.begin(), path.end());
  return path;
}

/// What a joint's own translation adds to the way of all that hangs on it.
Vec3d own_way(const rig::Rig& rig, const kinematics::Motion& motion, int joint) {
  const auto last = motion.root_translations.size() - 1;
  Vec3d way;
  if (joint == 0) way = (motion.root_translations[last] - motion.root_translations[0]).cast<double>();
  for (const kinematics::JointOverride& over : motion.overrides) {
    if (over.joint != joint || over.translations.empty()) continue;
    const rig::Joint& moved = rig.joints()[at(joint)];
    Mat3d world = moved.parent_from_frame.linear.cast<double>();
    if (moved.parent >= 0) world = rig.world_from_rest()[at(moved.parent)].linear.cast<double>() * world;
    way += world * (over.translations[last] - over.translations[0]).cast<double>();
  }
  return level(way);
}

}  // namespace

Drift drift(const ClipBody& body, const kinematics::Motion& motion) {
  Drift result;
  const int frames = motion.frame_count();
  if (frames < 2) return result;
  const rig::Rig& rig = body.subject.rig;
  const std::vector<Affine> joints = kinematics::joint_matrices(rig, motion);
  const auto trunk = [&](int f) { return joints[at(f) * rig.joints().size() + at(body.trunk)]; };
  const GroundMove move = ground_move(trunk(0), trunk(frames - 1));
  result.turn = move.turn, result.way = norm(move.way);
  result.speed = result.way * motion.fps / (frames - 1);
  for (const int joint : path_to(rig, body.trunk)) {
    if (norm(own_way(rig, motion, joint)) > kCarries) result.carriers.push_back(joint);
  }
  if (result.way < 1e-6) return result;
  const Vec3d ahead = (1 / result.way) * move.way;
  for (int f = 1; f < frames; ++f) {
    const Vec3d from_start = level(trunk(f).translation.cast<double>() - move.from);
    const double aside = norm(from_start - dot(from_start, ahead) * ahead);
    result.bend = std::max(result.bend, (aside - kSway) / result.way);
  }
  return result;
}

}  // namespace limber::metrics
