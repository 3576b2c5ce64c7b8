// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/rigged_surface.h"

#include <algorithm>
#include <map>

#include "limber/base/at.h"
#include "limber/body/triangle_bvh.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/motion.h"

namespace limber::metrics {
namespace {

/// Adds the weights of a row, joint by joint through `joint_of`, times `share`.
void add_row(const SkinRow& row, const std::vector<int>& joint_of, double share, SkinRow& sum) {
  for (const rig::Influence& influence : row) {
    const int joint = joint_of[influence.bone];
    const auto weight = static_cast<float>(share * influence.weight);
    if (joint < 0 || !(weight > 0)) continue;
    const auto same =
        std::find_if(sum.begin(), sum.end(), [joint](const rig::Influence& i) { return i.bone == joint; });
    if (same != sum.end()) {
      same->weight += weight;
    } else {
      sum.push_back({static_cast<std::uint16_t>(joint), weight});
    }
  }
}

/// Whether both have the same points in the same order, but for rounding.
bool same_points(const RiggedSurface& a, const RiggedSurface& b) {
  if (a.points.size() != b.points.size()) return false;
  const UnitCube cube_a = unit_cube(a.points), cube_b = unit_cube(b.points);
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    if (!(norm(cube_a(a.points[i]) - cube_b(b.points[i])) < 1e-3)) return false;
  }
  return true;
}

}  // namespace

RiggedSurface rigged_surface(const asset::Asset& asset, const rig::Subject& subject) {
  RiggedSurface result;
  const Affined asset_from_subject = rig::asset_from_subject(subject);
  for (std::size_t j = 0; j < subject.rig.joints().size(); ++j) {
    result.skeleton.names.push_back(subject.rig.joints()[j].name);
    result.skeleton.parents.push_back(subject.rig.joints()[j].parent);
    result.skeleton.joints.push_back(asset_from_subject * subject.rig.world_from_rest()[j].translation.cast<double>());
  }
  const std::vector<Affine> bones = kinematics::bone_matrices(subject.rig, kinematics::rest_pose(subject.rig));
  const auto stride = at(subject.weights.stride);
  result.weights.resize(subject.points.size());
  for (std::size_t i = 0; i < subject.points.size(); ++i) {
    Vec3d rest;
    for (std::size_t k = i * stride; k < (i + 1) * stride; ++k) {
      const float weight = subject.weights.weights[k];
      if (!(weight > 0)) continue;
      const std::uint16_t bone = subject.weights.bones[k];
      rest += double(weight) * (bones[bone].cast<double>() * subject.points[i].cast<double>());
      const int joint = subject.rig.bones()[bone].joint;
      result.weights[i].push_back({static_cast<std::uint16_t>(joint), weight});
    }
    result.points.push_back(asset_from_subject * rest);
  }
  result.triangles = subject.triangles;
  result.skinned.assign(subject.points.size(), false);
  for (const rig::PointRange& range : subject.ranges) {
    const bool skinned = asset.nodes[at(range.node)].skin >= 0;
    std::fill_n(result.skinned.begin() + static_cast<std::ptrdiff_t>(range.first), range.count, skinned);
  }
  return result;
}

RiggedSurface rigged_surface(const rig::TextRig& rig, const rig::TextSurface& surface) {
  RiggedSurface result;
  for (const rig::TextJoint& joint : rig.joints) {
    result.skeleton.names.push_back(joint.name);
    result.skeleton.joints.push_back(joint.position);
    result.skeleton.parents.push_back(joint.parent);
  }
  result.points = surface.points;
  result.triangles = surface.triangles;
  result.weights.resize(surface.points.size());
  for (const rig::TextSkinRow& row : rig.skin) {
    if (row.vertex >= surface.points.size()) continue;
    for (const rig::TextInfluence& influence : row.influences) {
      result.weights[row.vertex].push_back(
          {static_cast<std::uint16_t>(influence.joint), static_cast<float>(influence.weight)});
    }
  }
  result.skinned.assign(surface.points.size(), true);
  return result;
}

RiggedSurface without_idle_joints(RiggedSurface surface) {
  SkeletonGraph& skeleton = surface.skeleton;
  std::vector<bool> used(skeleton.joints.size(), false);
  for (const SkinRow& row : surface.weights) {
    for (const rig::Influence& influence : row) used[influence.bone] = used[influence.bone] || influence.weight > 0;
  }
  if (std::find(used.begin(), used.end(), true) == used.end()) return surface;

  std::vector<int> place(used.size(), -1);
  SkeletonGraph kept;
  for (std::size_t j = 0; j < used.size(); ++j) {
    if (!used[j]) continue;
    place[j] = static_cast<int>(kept.joints.size());
    kept.joints.push_back(skeleton.joints[j]);
    if (!skeleton.names.empty()) kept.names.push_back(skeleton.names[j]);
  }
  for (std::size_t j = 0; j < used.size(); ++j) {
    if (!used[j]) continue;
    int parent = skeleton.parents[j];
    while (parent >= 0 && !used[at(parent)]) parent = skeleton.parents[at(parent)];
    kept.parents.push_back(parent >= 0 ? place[at(parent)] : -1);
  }
  skeleton = std::move(kept);
  for (SkinRow& row : surface.weights) {
    SkinRow moved;
    add_row(row, place, 1, moved);
    row = std::move(moved);
  }
  return surface;
}

std::vector<int> matching_joints(const SkeletonGraph& from, const SkeletonGraph& to, double tolerance) {
  std::map<std::string, int> by_name;
  for (std::size_t j = 0; j < to.names.size(); ++j) by_name.emplace(to.names[j], static_cast<int>(j));
  std::vector<int> match(from.joints.size(), -1);
  for (std::size_t j = 0; j < match.size(); ++j) {
    const auto named = j < from.names.size() ? by_name.find(from.names[j]) : by_name.end();
    if (named != by_name.end()) {
      match[j] = named->second;
      continue;
    }
    double best = tolerance;
    for (std::size_t k = 0; k < to.joints.size(); ++k) {
      const double distance = norm(from.joints[j] - to.joints[k]);
      if (distance <= best) best = distance, match[j] = static_cast<int>(k);
    }
  }
  return match;
}

MatchedWeights match_weights(const RiggedSurface& from, const RiggedSurface& to) {
  MatchedWeights result;
  const UnitCube cube = unit_cube(to.points);
  const std::vector<int> joint_of = matching_joints(from.skeleton, to.skeleton, 0.0025 / cube.scale);
  std::vector<bool> lost(joint_of.size(), false);
  for (const SkinRow& row : from.weights) {
    for (const rig::Influence& i : row) lost[i.bone] = lost[i.bone] || (i.weight > 0 && joint_of[i.bone] < 0);
  }
  result.unmatched_joints = static_cast<int>(std::count(lost.begin(), lost.end(), true));
  result.rows.resize(to.points.size());
  result.transferred = !same_points(from, to);
  if (!result.transferred) {
    for (std::size_t i = 0; i < to.points.size(); ++i) add_row(from.weights[i], joint_of, 1, result.rows[i]);
    return result;
  }
  const body::TriangleBvh search(from.points, from.triangles);
  for (std::size_t i = 0; i < to.points.size(); ++i) {
    const auto nearest = search.closest(to.points[i]);
    if (!nearest) continue;
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t corner = from.triangles[nearest->triangle][static_cast<std::size_t>(k)];
      add_row(from.weights[corner], joint_of, nearest->barycentric[k], result.rows[i]);
    }
  }
  return result;
}

}  // namespace limber::metrics
