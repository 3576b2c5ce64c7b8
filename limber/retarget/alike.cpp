// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/alike.h"

#include <algorithm>
#include <string>

#include "limber/base/at.h"
#include "limber/base/expect.h"

namespace limber::retarget {
namespace {

double mean_joint_height(const rig::Rig& rig) {
  double sum = 0;
  for (const Affine& joint : rig.world_from_rest()) sum += joint.translation.y;
  return sum / rig.joint_count();
}

/// Joint of `b` by joint of `a`, -1 where there is none of that name.
std::vector<int> matching_joints(const rig::Rig& a, const rig::Rig& b) {
  std::vector<int> matches;
  for (const rig::Joint& joint : a.joints()) matches.push_back(b.find(joint.name));
  return matches;
}

}  // namespace

bool are_alike(const rig::Rig& a, const rig::Rig& b) {
  const std::vector<int> matches = matching_joints(a, b);
  int shared = 0;
  double turned = 0;
  for (int j = 0; j < a.joint_count(); ++j) {
    const int other = matches[at(j)];
    if (other < 0) continue;
    ++shared;
    const Quatd p = decompose(a.world_from_rest()[at(j)].cast<double>()).rotation;
    const Quatd q = decompose(b.world_from_rest()[at(other)].cast<double>()).rotation;
    turned += angle_between(p, q);
  }
  const int most = std::max(a.joint_count(), b.joint_count());
  return matches[0] == 0 && 20 * shared >= 17 * most && turned < 0.35 * shared;
}

kinematics::Motion copy_motion(const kinematics::Motion& motion, const rig::Rig& from, const rig::Rig& to) {
  LIMBER_EXPECT(motion.joint_count == from.joint_count(), std::to_string(motion.joint_count));
  const std::vector<int> matches = matching_joints(from, to);
  const auto ratio = static_cast<float>(mean_joint_height(to) / std::max(1e-3, mean_joint_height(from)));
  kinematics::Motion result = kinematics::rest_motion(to, motion.frame_count(), motion.fps);
  result.loops = motion.loops;
  for (int f = 0; f < motion.frame_count(); ++f) {
    result.root_translations[at(f)] = ratio * motion.root_translations[at(f)];
    for (int j = 0; j < motion.joint_count; ++j) {
      if (matches[at(j)] >= 0) result.frame_angles(f)[at(matches[at(j)])] = motion.frame_angles(f)[at(j)];
    }
  }
  for (const kinematics::JointOverride& change : motion.overrides) {
    const int joint = matches[at(change.joint)];
    if (joint < 0) continue;
    const rig::Joint &source = from.joints()[at(change.joint)], &target = to.joints()[at(joint)];
    // Joints' own units differ from rig to rig: in proportion to the bones, or else to the heights.
    const float a = norm(source.rest.translation), b = norm(target.rest.translation);
    const float scale = a > 0 && b > 0.5f * a && b < 2 * a ? b / a : ratio;
    kinematics::JointOverride moved{joint, {}, {}};
    for (const Vec3& t : change.translations) {
      moved.translations.push_back(target.rest.translation + scale * (t - source.rest.translation));
    }
    for (const Vec3& s : change.scales) {
      const Vec3 r = source.rest.scale;
      moved.scales.push_back(scaled(target.rest.scale, {s.x / r.x, s.y / r.y, s.z / r.z}));
    }
    result.overrides.push_back(std::move(moved));
  }
  return result;
}

}  // namespace limber::retarget
