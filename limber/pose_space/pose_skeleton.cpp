// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_skeleton.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "limber/anatomy/find_roles.h"
#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/pose_space/limb_pairs.h"

namespace limber::pose_space {
namespace {

/// How much a joint's bone counts where joints have to be left out.
double weight_of(const rig::Rig& rig, const rig::Joint& joint) {
  if (joint.role.limb < 0) return 1;
  switch (rig.limbs()[at(joint.role.limb)].kind) {
    case rig::LimbKind::kFinger:
    case rig::LimbKind::kEar:
    case rig::LimbKind::kHorn:
    case rig::LimbKind::kAntenna:
    case rig::LimbKind::kProp:
      return 0.2;
    default:
      return 1;
  }
}

/// The joints with the longest bones at and below them, in the rig's order. A parent has at least what its children
/// have, so that whoever stays, stays with all that carries it.
std::vector<int> choose_joints(const rig::Rig& rig, const JointChoice& choice) {
  std::vector<int> chosen;
  for (int j = 0; j < rig.joint_count(); ++j) {
    if (j == 0 || choice.left_out.empty() || !choice.left_out[at(j)]) chosen.push_back(j);
  }
  if (static_cast<int>(chosen.size()) <= choice.most) return chosen;
  std::vector<double> lengths(at(rig.joint_count()), 0);
  for (int j = rig.joint_count() - 1; j > 0; --j) {
    const rig::Joint& joint = rig.joints()[at(j)];
    const Vec3 bone = rig.world_from_rest()[at(j)].translation - rig.world_from_rest()[at(joint.parent)].translation;
    lengths[at(j)] += weight_of(rig, joint) * norm(bone);
    lengths[at(joint.parent)] += lengths[at(j)];
  }
  std::stable_sort(chosen.begin(), chosen.end(), [&](int a, int b) { return lengths[at(a)] > lengths[at(b)]; });
  chosen.resize(at(choice.most));
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

/// The orthogonal matrix next to `linear`, mirrored where that is.
Mat3d orthogonal(const Mat3d& linear) {
  const Transformd parts = decompose(Affined{linear, {}});
  return to_matrix(parts.rotation) * Mat3d::diagonal({parts.scale.x < 0 ? -1.0 : 1.0, 1, 1});
}

/// The axes that a joint's angles turn about, at rest in the rig's world.
Mat3d rest_axes(const rig::Rig& rig, int j) {
  const rig::Joint& joint = rig.joints()[at(j)];
  Mat3d frame = joint.parent_from_frame.cast<double>().linear;
  if (joint.parent >= 0) frame = rig.world_from_rest()[at(joint.parent)].cast<double>().linear * frame;
  return orthogonal(frame) * to_matrix(normalized(joint.rest.rotation.cast<double>())) *
         to_matrix(normalized(joint.axes.cast<double>()));
}

/// Joints of the other side are those of the same place in the limb that is the other of its pair.
void find_partners(const rig::Rig& rig, std::vector<PoseJoint>& joints) {
  using Key = std::tuple<rig::LimbKind, rig::Side, int, int, int>;  // ... pair, section, which of those
  const std::vector<int> pairs = limb_pairs(rig);
  std::map<Key, int> places;
  std::vector<Key> keys;
  for (int j = 0; j < static_cast<int>(joints.size()); ++j) {
    const rig::Role role = rig.joints()[at(joints[at(j)].joint)].role;
    Key key{rig::LimbKind::kTrunk, rig::Side::kMiddle, 0, role.section, 0};
    if (role.limb >= 0) {
      const rig::Limb& limb = rig.limbs()[at(role.limb)];
      key = {limb.kind, limb.side, pairs[at(role.limb)], role.section, 0};
    }
    while (!places.emplace(key, j).second) ++std::get<4>(key);
    keys.push_back(key);
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    Key other = keys[j];
    if (std::get<1>(other) == rig::Side::kMiddle) continue;
    std::get<1>(other) = rig::mirrored(std::get<1>(other));
    const auto found = places.find(other);
    if (found != places.end()) joints[j].partner = found->second;
  }
}

}  // namespace

std::vector<std::uint8_t> PoseSkeleton::tree_distances() const {
  const std::size_t count = joints.size();
  std::vector<std::uint8_t> steps(count * count, 0);
  for (std::size_t j = 1; j < count; ++j) {
    const auto parent = at(joints[j].parent);
    for (std::size_t k = 0; k < j; ++k)
      steps[j * count + k] = steps[k * count + j] = static_cast<std::uint8_t>(steps[parent * count + k] + 1);
  }
  return steps;
}

PoseSkeleton make_pose_skeleton(const rig::Rig& rig, const rig::Facing& facing, const JointChoice& choice) {
  LIMBER_EXPECT(choice.most >= 1 && choice.most <= kMostJoints, std::to_string(choice.most));
  PoseSkeleton skeleton{anatomy::with_roles(rig, facing), {}, {}, 1, {}, Mat3d::identity()};
  const Vec3d up = facing.up.cast<double>(), forward = facing.forward.cast<double>();
  skeleton.from_world = transposed(Mat3d::from_columns(cross(up, forward), up, forward));
  const std::span<const Affine> rest = skeleton.rig.world_from_rest();
  skeleton.root = rest[0].translation.cast<double>();
  const std::vector<int> chosen = choose_joints(skeleton.rig, choice);
  skeleton.carriers.assign(rest.size(), -1);
  double farthest = 0;
  for (const int j : chosen) {
    const Vec3d place = skeleton.from_world * (rest[at(j)].translation.cast<double>() - skeleton.root);
    skeleton.carriers[at(j)] = skeleton.size();
    int above = skeleton.rig.joints()[at(j)].parent;
    while (above >= 0 && skeleton.carriers[at(above)] < 0) above = skeleton.rig.joints()[at(above)].parent;
    const int parent = above < 0 ? -1 : skeleton.carriers[at(above)];
    skeleton.joints.push_back({j, parent, place, {}, skeleton.from_world * rest_axes(skeleton.rig, j), -1});
    farthest = std::max(farthest, norm(place));
  }
  for (std::size_t j = 0; j < rest.size(); ++j) {
    if (skeleton.carriers[j] < 0) skeleton.carriers[j] = skeleton.carriers[at(skeleton.rig.joints()[j].parent)];
  }
  // A rig whose joints are all in one place has no size: its own unit, its height, is as good as any.
  if (farthest > 1e-9) skeleton.radius = farthest;
  for (PoseJoint& joint : skeleton.joints) joint.place *= 1 / skeleton.radius;
  for (PoseJoint& joint : skeleton.joints) {
    if (joint.parent >= 0) joint.offset = joint.place - skeleton.joints[at(joint.parent)].place;
  }
  find_partners(skeleton.rig, skeleton.joints);
  return skeleton;
}

}  // namespace limber::pose_space
