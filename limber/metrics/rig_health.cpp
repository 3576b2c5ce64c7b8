// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/rig_health.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace limber::metrics {
namespace {

constexpr double kBadSum = 0.02;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Adds the vertices of one primitive, and marks the joints (by place in the skin) that they follow.
void add_weights(const asset::Primitive& primitive, std::vector<bool>& follows, RigHealth& health) {
  for (std::size_t v = 0; v < primitive.positions.size(); ++v) {
    double sum = 0;
    std::size_t count = 0;
    for (const asset::InfluenceSet& set : primitive.influences) {
      for (int k = 0; k < 4; ++k) {
        const double weight = set.weights[v][k];
        if (!(weight > 0)) continue;
        sum += weight, ++count;
        if (set.joints[v][at(k)] < follows.size()) follows[set.joints[v][at(k)]] = true;
      }
    }
    ++health.skinned_vertices;
    health.max_influences = std::max(health.max_influences, count);
    if (count == 0) {
      ++health.unweighted_vertices;
      continue;
    }
    const double error = std::abs(sum - 1);
    if (error > kBadSum) ++health.bad_weight_sums;
    health.worst_weight_sum_error = std::max(health.worst_weight_sum_error, error);
  }
}

void measure_hierarchy(const asset::Asset& asset, const std::vector<bool>& is_joint, RigHealth& health) {
  const std::vector<int> parent = asset::parents(asset);
  // Per node: whether a joint is above it, found from the nearest ancestor already known, so that deep chains stay
  // cheap.
  enum Above : char { kUnknown, kNo, kYes };
  std::vector<char> above(asset.nodes.size(), kUnknown);
  std::vector<bool> joint_below(asset.nodes.size(), false);
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    std::vector<std::size_t> path;
    std::size_t node = i;
    while (above[node] == kUnknown) {
      path.push_back(node);
      const int up = parent[node];
      if (up < 0 || is_joint[at(up)]) {
        above[node] = up < 0 ? kNo : kYes;
        break;
      }
      node = at(up);
    }
    for (const std::size_t step : path) above[step] = above[node];
    // A joint with a joint above it gives that one a joint below.
    if (!is_joint[i] || above[i] != kYes) continue;
    int up = parent[i];
    while (!is_joint[at(up)]) up = parent[at(up)];
    joint_below[at(up)] = true;
  }
  std::vector<std::size_t> bare_roots(asset.nodes.size() + 1, 0);  // per parent, the last entry for none
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    if (!is_joint[i] || above[i] != kNo) continue;
    ++health.roots;
    if (!joint_below[i]) ++bare_roots[parent[i] < 0 ? asset.nodes.size() : at(parent[i])];
  }
  for (const std::size_t count : bare_roots) health.loose_siblings += count > 1 ? count : 0;
}

}  // namespace

RigHealth rig_health(const asset::Asset& asset) {
  RigHealth health;
  health.skins = asset.skins.size();
  std::vector<bool> is_joint(asset.nodes.size(), false), weighted(asset.nodes.size(), false);
  for (const asset::Skin& skin : asset.skins) {
    for (const int joint : skin.joints) is_joint[at(joint)] = true;
  }
  for (const asset::Node& node : asset.nodes) {
    if (node.mesh < 0 || node.skin < 0) continue;
    const std::vector<int>& joints = asset.skins[at(node.skin)].joints;
    std::vector<bool> follows(joints.size(), false);
    for (const asset::Primitive& primitive : asset.meshes[at(node.mesh)].primitives) {
      if (!primitive.influences.empty()) add_weights(primitive, follows, health);
    }
    for (std::size_t j = 0; j < joints.size(); ++j) {
      if (follows[j]) weighted[at(joints[j])] = true;
    }
  }
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    if (!is_joint[i]) continue;
    ++health.joints;
    if (!weighted[i]) ++health.joints_without_weight;
  }
  measure_hierarchy(asset, is_joint, health);
  return health;
}

}  // namespace limber::metrics
