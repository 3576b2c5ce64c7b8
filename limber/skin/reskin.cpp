// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skin/reskin.h"

#include <algorithm>
#include <limits>

#include "limber/base/at.h"

namespace limber::skin {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// Joints that some of the points follow; where there are none, those that the skins list.
std::vector<bool> deforming_joints(const asset::Asset& asset, const rig::Subject& subject,
                                   const std::vector<std::size_t>& points) {
  std::vector<bool> deforms(subject.rig.joints().size(), false);
  const auto stride = at(subject.weights.stride);
  for (const std::size_t point : points) {
    for (std::size_t k = point * stride; k < (point + 1) * stride; ++k) {
      if (subject.weights.weights[k] > 0) deforms[at(subject.rig.bones()[subject.weights.bones[k]].joint)] = true;
    }
  }
  if (std::count(deforms.begin(), deforms.end(), true) > 1) return deforms;
  // One joint alone is where points without weight go.
  for (std::size_t j = 0; j < deforms.size(); ++j) {
    const int node = subject.rig.joints()[j].node;
    for (const asset::Skin& skin : asset.skins) {
      if (std::find(skin.joints.begin(), skin.joints.end(), node) != skin.joints.end()) deforms[j] = true;
    }
  }
  return deforms;
}

}  // namespace

Result<Reskinned> reskin(const asset::Asset& asset, const rig::Subject& subject, const SkinSettings& settings) {
  Reskinned result;
  std::vector<std::uint32_t> place(subject.points.size(), kNone);
  std::vector<Vec3> points;
  for (const rig::PointRange& range : subject.ranges) {
    if (asset.nodes[at(range.node)].skin < 0) continue;
    for (std::size_t i = range.first; i < range.first + range.count; ++i) {
      place[i] = static_cast<std::uint32_t>(points.size());
      points.push_back(subject.points[i]);
      result.points.push_back(i);
    }
  }
  if (points.empty()) return Error{"has no mesh with a skin", asset.name};
  std::vector<body::Triangle> triangles;
  for (const body::Triangle& t : subject.triangles) {
    const body::Triangle moved{place[t[0]], place[t[1]], place[t[2]]};
    if (std::find(moved.begin(), moved.end(), kNone) == moved.end()) triangles.push_back(moved);
  }
  result.joints = skin_joints(subject.rig, deforming_joints(asset, subject, result.points));
  SkinResult solved = solve_skin(points, triangles, result.joints, settings);
  result.weights = std::move(solved.weights);
  result.report = std::move(solved.report);
  return result;
}

}  // namespace limber::skin
