// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/arm_angle.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "limber/base/at.h"
#include "limber/kinematics/forward.h"

namespace limber::metrics {
namespace {

/// A bone from one joint to another.
struct Bone {
  int from = 0, to = 0;
};

double length(const rig::Rig& rig, Bone bone) {
  return double(
      norm(rig.world_from_rest()[at(bone.to)].translation - rig.world_from_rest()[at(bone.from)].translation));
}

/// Bones of a limb from where it leaves the body on, along its joints.
std::vector<Bone> bones_of(const rig::Rig& rig, int limb) {
  std::vector<Bone> bones;
  for (int j = 0; j < rig.joint_count(); ++j) {
    const rig::Joint& joint = rig.joints()[at(j)];
    if (joint.parent < 0 || joint.role.limb != limb) continue;
    if (rig.joints()[at(joint.parent)].role.limb != limb) continue;
    if (!bones.empty() && bones.back().to != joint.parent) continue;  // a branch
    bones.push_back({joint.parent, j});
  }
  return bones;
}

/// The longer one of the first two bones: a collar bone may come before the upper arm.
std::optional<Bone> upper_arm(const rig::Rig& rig, int limb) {
  const std::vector<Bone> bones = bones_of(rig, limb);
  if (bones.empty()) return std::nullopt;
  if (bones.size() > 2 && length(rig, bones[1]) > length(rig, bones[0])) return bones[1];
  return bones[0];
}

Vec3d along(std::span<const Affine> joints, Bone bone) {
  return (joints[at(bone.to)].translation - joints[at(bone.from)].translation).cast<double>();
}

}  // namespace

std::optional<double> arm_angle(const rig::Rig& rig, const kinematics::Motion& motion) {
  std::vector<Bone> arms;
  for (std::size_t l = 0; l < rig.limbs().size(); ++l) {
    if (rig.limbs()[l].kind != rig::LimbKind::kArm) continue;
    if (const std::optional<Bone> arm = upper_arm(rig, static_cast<int>(l))) arms.push_back(*arm);
  }
  // The trunk from its last joint, where it is highest, to its first.
  Bone down{0, 0};
  for (int j = 0; j < rig.joint_count(); ++j) {
    if (rig.joints()[at(j)].role.limb == 0) down.from = j;
  }
  if (arms.empty() || motion.frame_count() == 0) return std::nullopt;
  const std::vector<Affine> joints = kinematics::joint_matrices(rig, motion);
  const std::size_t count = at(rig.joint_count());
  double sum = 0;
  for (int f = 0; f < motion.frame_count(); ++f) {
    const std::span<const Affine> frame = std::span(joints).subspan(at(f) * count, count);
    Vec3d trunk = along(frame, down);
    if (down.from == 0 || norm(trunk) < 1e-6) trunk = {0, -1, 0};
    for (const Bone& arm : arms) {
      const Vec3d upper = along(frame, arm);
      const double lengths = norm(upper) * norm(trunk);
      if (lengths > 0) sum += std::acos(std::clamp(dot(upper, trunk) / lengths, -1.0, 1.0));
    }
  }
  return sum / static_cast<double>(arms.size()) / motion.frame_count();
}

}  // namespace limber::metrics
