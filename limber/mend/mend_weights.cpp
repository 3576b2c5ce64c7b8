// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/mend/mend.h"
#include "limber/metrics/rig_health.h"

namespace limber::mend {
namespace {

using metrics::difference;
using Row = metrics::WeightRow;

double sum_of(const Row& row) {
  double sum = 0;
  for (const auto& [joint, weight] : row) sum += weight;
  return sum;
}

/// The four heaviest, summing to one.
Row finished(const Row& row) {
  std::vector<std::pair<double, std::uint16_t>> order;
  for (const auto& [joint, weight] : row) order.push_back({-weight, joint});
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), metrics::kMostInfluences));
  Row result;
  double sum = 0;
  for (const auto& [weight, joint] : order) sum -= weight;
  for (const auto& [weight, joint] : order) result[joint] = -weight / sum;
  return result;
}

void write_row(const Row& row, asset::Primitive& primitive, std::size_t v) {
  for (asset::InfluenceSet& set : primitive.influences) set.joints[v] = {}, set.weights[v] = {0, 0, 0, 0};
  std::vector<std::pair<double, std::uint16_t>> order;
  for (const auto& [joint, weight] : row) order.push_back({-weight, joint});
  std::sort(order.begin(), order.end());
  for (std::size_t k = 0; k < order.size(); ++k) {
    primitive.influences[0].joints[v][k] = order[k].second;
    primitive.influences[0].weights[v][static_cast<int>(k)] = static_cast<float>(-order[k].first);
  }
}

/// The vertices of one mesh, whatever primitives they are in.
class MeshRows {
 public:
  explicit MeshRows(asset::Mesh& mesh) : mesh_(mesh), numbers_(metrics::number_copies(mesh)) {
    for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
      for (std::size_t v = 0; v < mesh.primitives[p].positions.size(); ++v) {
        places_.push_back({p, v});
        rows_.push_back(metrics::weight_row(mesh.primitives[p], v));
        skinned_.push_back(!mesh.primitives[p].influences.empty());
      }
    }
    wanted_ = rows_;
  }

  void mend(WeightChange& change) {
    finish_sums();
    adopt();
    join_copies();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!skinned_[i] || wanted_[i] == rows_[i]) continue;
      write_row(wanted_[i], mesh_.primitives[places_[i].first], places_[i].second);
      ++change.vertices, change.mean += difference(wanted_[i], rows_[i]);
    }
  }

 private:
  void finish_sums() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const bool bad =
          std::abs(sum_of(rows_[i]) - 1) > metrics::kBadWeightSum || rows_[i].size() > metrics::kMostInfluences;
      if (!rows_[i].empty() && bad) wanted_[i] = finished(rows_[i]);
    }
  }

  /// What follows nothing follows what the nearest vertex does.
  void adopt() {
    const std::vector<Row> before = wanted_;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!skinned_[i] || !rows_[i].empty()) continue;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < rows_.size(); ++k) {
        if (before[k].empty()) continue;
        const double distance = double(squared_norm(position(k) - position(i)));
        if (distance < least) least = distance, wanted_[i] = before[k];
      }
    }
  }

  /// The mean of all copies of a vertex, where they differ.
  void join_copies() {
    std::vector<std::vector<std::size_t>> copies(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (skinned_[i]) copies[numbers_[i]].push_back(i);
    }
    for (const std::vector<std::size_t>& group : copies) {
      const bool differ = std::any_of(group.begin(), group.end(), [&](std::size_t i) {
        return difference(finished(wanted_[i]), finished(wanted_[group[0]])) > 0.5 * metrics::kPartedWeights;
      });
      if (!differ) continue;
      Row mean;
      for (const std::size_t i : group) {
        for (const auto& [joint, weight] : finished(wanted_[i])) mean[joint] += weight;
      }
      mean = finished(mean);
      for (const std::size_t i : group) wanted_[i] = mean;
    }
  }

  Vec3 position(std::size_t i) const { return mesh_.primitives[places_[i].first].positions[places_[i].second]; }

  asset::Mesh& mesh_;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::pair<std::size_t, std::size_t>> places_;
  std::vector<Row> rows_, wanted_;
  std::vector<bool> skinned_;
};

}  // namespace

WeightChange mend_weights(asset::Asset& asset) {
  WeightChange change;
  std::vector<bool> skinned(asset.meshes.size(), false);
  for (const asset::Node& node : asset.nodes) {
    if (node.mesh >= 0 && node.skin >= 0) skinned[static_cast<std::size_t>(node.mesh)] = true;
  }
  for (std::size_t m = 0; m < asset.meshes.size(); ++m) {
    if (skinned[m]) MeshRows(asset.meshes[m]).mend(change);
  }
  if (change.vertices > 0) change.mean /= static_cast<double>(change.vertices);
  return change;
}

}  // namespace limber::mend
