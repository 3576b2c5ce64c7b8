// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_conditions.h"

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/pose_space/limb_pairs.h"

namespace limber::pose_space {
namespace {

double distance_to_bone(Vec3d point, Vec3d from, Vec3d to) {
  const Vec3d along = to - from;
  const double length = squared_norm(along);
  const double t = length > 0 ? std::clamp(dot(point - from, along) / length, 0.0, 1.0) : 0.0;
  return norm(point - from - t * along);
}

void put(std::span<float> row, int first, Vec3d v) {
  for (int k = 0; k < 3; ++k) row[at(first + k)] = static_cast<float>(v[k]);
}

/// Depth, joints below and children of every joint, brought to about one.
void put_tree(const PoseSkeleton& skeleton, PoseConditions& conditions) {
  const std::size_t count = skeleton.joints.size();
  std::vector<int> depth(count, 0), below(count, 0), children(count, 0);
  for (std::size_t j = count; j-- > 1;) {
    const std::size_t parent = at(skeleton.joints[j].parent);
    below[parent] += below[j] + 1, ++children[parent];
  }
  for (std::size_t j = 0; j < count; ++j) {
    if (j > 0) depth[j] = depth[at(skeleton.joints[j].parent)] + 1;
    float* row = conditions.features.data() + j * kJointFeatures + kTreeFeature;
    row[0] = 0.1f * static_cast<float>(depth[j]);
    row[1] = 0.5f * std::log1p(static_cast<float>(below[j]));
    row[2] = 0.5f * static_cast<float>(children[j]);
  }
}

/// What a joint is in the body.
void put_role(const rig::Rig& rig, rig::Role role, std::span<const int> pairs, std::span<const int> sections,
              std::span<float> row) {
  if (role.limb < 0) {
    row[at(kKindFeature + rig::kLimbKindCount)] = 1, row[at(kSideFeature)] = 1;
    return;
  }
  const rig::Limb& limb = rig.limbs()[at(role.limb)];
  row[at(kKindFeature + static_cast<int>(limb.kind))] = 1;
  row[at(kSideFeature + static_cast<int>(limb.side))] = 1;
  row[at(kPairFeature + std::min(pairs[at(role.limb)], kPairClasses - 1))] = 1;
  row[at(kStationFeature)] = limb.station;
  row[at(kSectionFeature + std::clamp(role.section, 0, kSectionClasses - 1))] = 1;
  const int last = sections[at(role.limb)];
  row[at(kAlongFeature)] = last > 0 ? static_cast<float>(role.section) / static_cast<float>(last) : 0.0f;
}

void put_relations(const PoseSkeleton& skeleton, PoseConditions& conditions) {
  conditions.relations = skeleton.tree_distances();
  for (std::uint8_t& steps : conditions.relations) steps = std::min<std::uint8_t>(steps, kFarthest);
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    if (skeleton.joints[j].partner >= 0)
      conditions.relations[j * skeleton.joints.size() + at(skeleton.joints[j].partner)] = kAcross;
  }
}

}  // namespace

std::vector<double> girths_of(const PoseSkeleton& skeleton, std::span<const SurfacePoint> points) {
  const std::size_t count = skeleton.joints.size();
  std::vector<std::vector<std::size_t>> children(count);
  for (std::size_t j = 1; j < count; ++j) children[at(skeleton.joints[j].parent)].push_back(j);
  std::vector<double> sums(count, 0), weights(count, 0);
  for (const SurfacePoint& point : points) {
    const std::size_t j = point.joints[0];
    const Vec3d place = point.place.cast<double>(), joint = skeleton.joints[j].place;
    double nearest = norm(place - joint);
    for (const std::size_t child : children[j])
      nearest = std::min(nearest, distance_to_bone(place, joint, skeleton.joints[child].place));
    sums[j] += point.share * nearest, weights[j] += point.share;
  }
  for (std::size_t j = 0; j < count; ++j) sums[j] = weights[j] > 0 ? sums[j] / weights[j] : 0;
  return sums;
}

void put_girths(const PoseSkeleton& skeleton, std::span<const SurfacePoint> points, PoseConditions& conditions) {
  const std::vector<double> girths = girths_of(skeleton, points);
  for (std::size_t j = 0; j < girths.size(); ++j) {
    float* row = conditions.features.data() + j * kJointFeatures + kGirthFeature;
    row[0] = static_cast<float>(4 * girths[j]), row[1] = girths[j] > 0 ? 1.0f : 0.0f;
  }
}

PoseConditions make_conditions(const PoseSkeleton& skeleton) {
  PoseConditions conditions;
  conditions.joints = skeleton.size();
  conditions.features.assign(skeleton.joints.size() * kJointFeatures, 0);
  const rig::Rig& rig = skeleton.rig;
  const std::vector<int> pairs = limb_pairs(rig);
  std::vector<int> sections(rig.limbs().size(), 0);
  for (const rig::Joint& joint : rig.joints()) {
    if (joint.role.limb >= 0)
      sections[at(joint.role.limb)] = std::max(sections[at(joint.role.limb)], joint.role.section);
  }
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const PoseJoint& joint = skeleton.joints[j];
    const std::span<float> row = std::span(conditions.features).subspan(j * kJointFeatures, kJointFeatures);
    put(row, kPlaceFeature, joint.place), put(row, kOffsetFeature, joint.offset);
    row[at(kPartnerFeature)] = joint.partner >= 0 ? 1.0f : 0.0f;
    put_role(rig, rig.joints()[at(joint.joint)].role, pairs, sections, row);
    conditions.parents.push_back(static_cast<std::int8_t>(joint.parent));
  }
  put_tree(skeleton, conditions);
  put_relations(skeleton, conditions);
  return conditions;
}

PoseConditions make_conditions(const PoseSkeleton& skeleton, const SkinnedSurface& surface) {
  PoseConditions conditions = make_conditions(skeleton);
  std::vector<SurfacePoint> points = sample_surface(skeleton, surface);
  if (points.empty()) return conditions;
  put_girths(skeleton, points, conditions);
  points.resize(kSurfacePoints);
  conditions.surface = std::move(points);
  return conditions;
}

}  // namespace limber::pose_space
