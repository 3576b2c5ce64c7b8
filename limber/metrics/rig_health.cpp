// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/rig_health.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "limber/base/at.h"
#include "limber/metrics/numbering.h"

namespace limber::metrics {
namespace {

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
    if (count > kMostInfluences) ++health.many_influences;
    if (count == 0) {
      ++health.unweighted_vertices;
      continue;
    }
    const double error = std::abs(sum - 1);
    if (error > kBadWeightSum) ++health.bad_weight_sums;
    health.worst_weight_sum_error = std::max(health.worst_weight_sum_error, error);
  }
}

/// Shares of the sum.
WeightRow shares(WeightRow row) {
  double sum = 0;
  for (const auto& [joint, weight] : row) sum += weight;
  for (auto& [joint, weight] : row) weight /= sum;
  return row;
}

std::size_t count_parted(const asset::Mesh& mesh) {
  const std::vector<std::uint32_t> numbers = number_copies(mesh);
  std::vector<std::size_t> copies(numbers.size(), 0);
  for (const std::uint32_t number : numbers) ++copies[number];
  // The first one of each place is what the others are compared with.
  std::vector<const WeightRow*> first(numbers.size(), nullptr);
  std::vector<WeightRow> rows;
  rows.reserve(numbers.size());
  std::size_t parted = 0, next = 0;
  for (const asset::Primitive& primitive : mesh.primitives) {
    for (std::size_t v = 0; v < primitive.positions.size(); ++v) {
      const std::uint32_t number = numbers[next++];
      if (primitive.influences.empty() || copies[number] < 2) continue;
      rows.push_back(shares(weight_row(primitive, v)));
      if (first[number] == nullptr) {
        first[number] = &rows.back();
      } else if (difference(rows.back(), *first[number]) > kPartedWeights) {
        ++parted;
      }
    }
  }
  return parted;
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

WeightRow weight_row(const asset::Primitive& primitive, std::size_t vertex) {
  WeightRow row;
  for (const asset::InfluenceSet& set : primitive.influences) {
    for (int k = 0; k < 4; ++k) {
      const double weight = set.weights[vertex][k];
      if (weight > 0) row[set.joints[vertex][at(k)]] += weight;
    }
  }
  return row;
}

double difference(const WeightRow& a, const WeightRow& b) {
  double sum = 0;
  for (const auto& [joint, weight] : a) {
    const auto other = b.find(joint);
    sum += std::abs(weight - (other == b.end() ? 0 : other->second));
  }
  for (const auto& [joint, weight] : b) sum += a.contains(joint) ? 0 : weight;
  return sum;
}

std::vector<std::uint32_t> number_copies(const asset::Mesh& mesh) {
  std::size_t count = 0;
  for (const asset::Primitive& primitive : mesh.primitives) count += primitive.positions.size();
  Numbering<2> places(count);
  std::vector<std::uint32_t> numbers;
  numbers.reserve(count);
  // Zero has two signs.
  const auto bits = [](float x) { return std::uint64_t{std::bit_cast<std::uint32_t>(x == 0 ? 0.0f : x)}; };
  for (const asset::Primitive& primitive : mesh.primitives) {
    for (const Vec3& p : primitive.positions)
      numbers.push_back(places.number({bits(p.x) << 32 | bits(p.y), bits(p.z)}));
  }
  return numbers;
}

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
    health.parted_copies += count_parted(asset.meshes[at(node.mesh)]);
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
