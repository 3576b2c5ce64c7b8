// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "limber/base/at.h"
#include "limber/exporter/exporter.h"

namespace limber::exporter {
namespace {

/// Per joint of the rig its place in a skin: its own, or that of the nearest joint above that the skin has; -1 for
/// none.
std::vector<int> places_in_skin(const asset::Skin& skin, const rig::Rig& rig) {
  std::vector<int> place(rig.joints().size(), -1);
  for (std::size_t j = 0; j < place.size(); ++j) {
    const auto found = std::find(skin.joints.begin(), skin.joints.end(), rig.joints()[j].node);
    if (rig.joints()[j].node >= 0 && found != skin.joints.end()) {
      place[j] = static_cast<int>(found - skin.joints.begin());
    } else if (rig.joints()[j].parent >= 0) {
      place[j] = place[at(rig.joints()[j].parent)];
    }
  }
  return place;
}

/// The rows of `weights` from `first` on, in the skin's joints. A row that has none of them is kept as `before` has it.
std::vector<asset::InfluenceSet> skin_rows(const rig::SkinWeights& weights, std::size_t first, std::size_t count,
                                           const std::vector<int>& place,
                                           const std::vector<asset::InfluenceSet>& before) {
  const auto stride = at(weights.stride);
  std::vector<asset::InfluenceSet> sets(1);
  const auto room = [&](std::size_t number) {
    while (sets.size() < number) sets.emplace_back();
    for (asset::InfluenceSet& set : sets) set.joints.resize(count), set.weights.resize(count);
  };
  room(1);
  for (std::size_t v = 0; v < count; ++v) {
    std::vector<std::pair<int, double>> row;
    double sum = 0;
    for (std::size_t k = (first + v) * stride; k < (first + v + 1) * stride; ++k) {
      const int joint = weights.weights[k] > 0 ? place[weights.bones[k]] : -1;
      if (joint < 0) continue;
      const auto same =
          std::find_if(row.begin(), row.end(), [joint](const auto& entry) { return entry.first == joint; });
      if (same == row.end()) {
        row.emplace_back(joint, weights.weights[k]);
      } else {
        same->second += weights.weights[k];
      }
      sum += weights.weights[k];
    }
    if (row.empty()) {
      room(before.size());
      for (std::size_t s = 0; s < before.size(); ++s) {
        sets[s].joints[v] = before[s].joints[v], sets[s].weights[v] = before[s].weights[v];
      }
      continue;
    }
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k / 4 >= sets.size()) room(k / 4 + 1);
      sets[k / 4].joints[v][k % 4] = static_cast<std::uint16_t>(row[k].first);
      sets[k / 4].weights[v][static_cast<int>(k % 4)] = static_cast<float>(row[k].second / sum);
    }
  }
  return sets;
}

}  // namespace

Status replace_weights(asset::Asset& asset, const rig::Subject& subject, const skin::Reskinned& skin) {
  std::map<std::pair<int, int>, int> weighted;  // mesh and skin -> the mesh that has its weights
  std::map<int, std::vector<asset::Primitive>> changed;
  std::size_t first = 0;
  for (const rig::PointRange& range : subject.ranges) {
    const asset::Node& node = asset.nodes[at(range.node)];
    if (node.skin < 0) continue;
    LIMBER_EXPECT(first + range.count <= skin.points.size() && skin.points[first] == range.first,
                  fmt::format("range at {} is not among the reskinned points", range.first));
    const std::vector<int> place = places_in_skin(asset.skins[at(node.skin)], subject.rig);
    const auto shared = weighted.find({range.mesh, node.skin});
    if (shared == weighted.end() || shared->second == range.node) {
      weighted[{range.mesh, node.skin}] = range.node;
      auto& primitives = changed.try_emplace(range.node, asset.meshes[at(range.mesh)].primitives).first->second;
      asset::Primitive& primitive = primitives[at(range.primitive)];
      primitive.influences = skin_rows(skin.weights, first, range.count, place, primitive.influences);
    }
    first += range.count;
  }
  // A mesh that another skin moves too gets a copy for each skin.
  std::map<int, bool> taken;
  std::map<std::pair<int, int>, int> copies;
  for (auto& [owner, primitives] : changed) {
    const int mesh = asset.nodes[at(owner)].mesh;
    int target = mesh;
    if (taken[mesh]) {
      target = static_cast<int>(asset.meshes.size());
      asset.meshes.push_back(asset.meshes[at(mesh)]);
    }
    taken[mesh] = true;
    asset.meshes[at(target)].primitives = std::move(primitives);
    copies[{mesh, asset.nodes[at(owner)].skin}] = target;
  }
  for (asset::Node& node : asset.nodes) {
    const auto copy = copies.find({node.mesh, node.skin});
    if (node.skin >= 0 && copy != copies.end()) node.mesh = copy->second;
  }
  return Done{};
}

}  // namespace limber::exporter
