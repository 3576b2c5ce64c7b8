// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/motion_space/motion_conditions.h"

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"

namespace limber::motion_space {
namespace {

/// From every joint to the middle of the skin that follows it most.
std::vector<Vec3> find_flesh(const pose_space::PoseSkeleton& skeleton,
                             const std::vector<pose_space::SurfacePoint>& points) {
  std::vector<Vec3d> sums(skeleton.joints.size());
  std::vector<double> weights(skeleton.joints.size(), 0);
  for (const pose_space::SurfacePoint& point : points) {
    const std::size_t j = point.joints[0];
    sums[j] += static_cast<double>(point.share) * (point.place.cast<double>() - skeleton.joints[j].place);
    weights[j] += point.share;
  }
  std::vector<Vec3> flesh(sums.size());
  for (std::size_t j = 0; j < sums.size(); ++j) {
    if (weights[j] > 0) flesh[j] = ((1 / weights[j]) * sums[j]).cast<float>();
  }
  return flesh;
}

std::vector<std::uint8_t> find_relations(const pose_space::PoseSkeleton& skeleton) {
  const int count = skeleton.size(), slots = 1 + count;
  const std::vector<std::uint8_t> steps = skeleton.tree_distances();
  std::vector<std::uint8_t> relations(at(slots * slots), kElsewhere);
  const auto relation = [&](int j, int k) -> std::uint8_t& { return relations[at((1 + j) * slots + 1 + k)]; };
  for (int j = 0; j < count; ++j) {
    for (int k = 0; k < count; ++k) {
      relation(j, k) = std::min<std::uint8_t>(steps[at(j * count + k)], pose_space::kFarthest);
    }
  }
  for (int j = 0; j < count; ++j) {
    for (int up = skeleton.joints[at(j)].parent; up >= 0; up = skeleton.joints[at(up)].parent) {
      relation(j, up) = static_cast<std::uint8_t>(relation(j, up) + kAbove);
      relation(up, j) = static_cast<std::uint8_t>(relation(up, j) + kBelow);
    }
    relations[at((1 + j) * slots)] = kToBody, relations[at(1 + j)] = kOfBody;
  }
  for (int j = 0; j < count; ++j) {
    if (skeleton.joints[at(j)].partner >= 0) relation(j, skeleton.joints[at(j)].partner) = kAcross;
  }
  relations[0] = kItself;
  return relations;
}

/// The last joint that is looked at of every leg.
std::vector<bool> find_feet(const pose_space::PoseSkeleton& skeleton) {
  const rig::Rig& rig = skeleton.rig;
  std::vector<int> last(rig.limbs().size(), -1);
  for (int j = 0; j < skeleton.size(); ++j) {
    const rig::Role role = rig.joints()[at(skeleton.joints[at(j)].joint)].role;
    if (role.limb < 0 || rig.limbs()[at(role.limb)].kind != rig::LimbKind::kLeg) continue;
    int& known = last[at(role.limb)];
    if (known < 0 || role.section >= rig.joints()[at(skeleton.joints[at(known)].joint)].role.section) known = j;
  }
  std::vector<bool> feet(skeleton.joints.size(), false);
  for (const int j : last) {
    if (j >= 0) feet[at(j)] = true;
  }
  return feet;
}

}  // namespace

std::vector<float> MotionConditions::all_features() const {
  std::vector<float> all;
  all.reserve(at(joints * kFeatures));
  const auto place = [&](int j) { return features.data() + j * pose_space::kJointFeatures; };
  float lowest = 0;
  for (int j = 0; j < joints; ++j) lowest = std::min(lowest, place(j)[1]);
  for (int j = 0; j < joints; ++j) {
    all.insert(all.end(), place(j), place(j) + pose_space::kJointFeatures);
    const Vec3 middle = flesh[at(j)];
    const float length = norm(middle), soft = 1 / (length + static_cast<float>(kSoftFlesh));
    for (int k = 0; k < 3; ++k) all.push_back(2 * middle[k]);
    for (int k = 0; k < 3; ++k) all.push_back(soft * middle[k]);
    all.push_back(2 * length), all.push_back(place(j)[1] - lowest), all.push_back(feet[at(j)] ? 1.0f : 0.0f);
  }
  return all;
}

MotionConditions make_motion_conditions(const pose_space::PoseSkeleton& skeleton,
                                        const pose_space::SkinnedSurface& surface) {
  MotionConditions conditions;
  pose_space::PoseConditions pose = pose_space::make_conditions(skeleton);
  conditions.flesh.assign(skeleton.joints.size(), {});
  const std::vector<pose_space::SurfacePoint> points = pose_space::sample_surface(skeleton, surface);
  if (!points.empty()) {
    conditions.flesh = find_flesh(skeleton, points);
    pose_space::put_girths(skeleton, points, pose);
  }
  conditions.joints = pose.joints;
  conditions.features = std::move(pose.features), conditions.parents = std::move(pose.parents);
  conditions.relations = find_relations(skeleton);
  conditions.feet = find_feet(skeleton);
  return conditions;
}

MotionBody make_motion_body(const rig::Subject& subject, const rig::Facing& facing) {
  pose_space::JointChoice choice;
  choice.most = kMostJoints;
  MotionBody body{pose_space::make_pose_skeleton(subject.rig, facing, choice), {}};
  body.conditions = make_motion_conditions(body.skeleton, {subject.points, subject.triangles, subject.weights});
  return body;
}

}  // namespace limber::motion_space
