// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "limber/asset/asset.h"

namespace limber::metrics {

/// How well an asset's skins are made. Vertices count once per node that shows them with a skin.
struct RigHealth {
  std::size_t skins = 0;
  std::size_t joints = 0;                 ///< distinct nodes that are a joint of some skin
  std::size_t roots = 0;                  ///< joints with no joint above them
  std::size_t loose_siblings = 0;         ///< roots beside other roots, with no joint below: no hierarchy to speak of
  std::size_t joints_without_weight = 0;  ///< that no vertex follows
  std::size_t skinned_vertices = 0;
  std::size_t unweighted_vertices = 0;  ///< of those, with no positive weight
  std::size_t bad_weight_sums = 0;      ///< of those, whose weights sum to something further than 0.01 from one
  double worst_weight_sum_error = 0;    ///< greatest |sum - 1| over the vertices that have weights
  std::size_t max_influences = 0;       ///< positive weights of one vertex
  std::size_t many_influences = 0;      ///< vertices with more than `kMostInfluences`
  /// Vertices that follow other joints than another one of their mesh at the very same place: along a seam of texture
  /// coordinates or normals, where the skin cracks open.
  std::size_t parted_copies = 0;
};

RigHealth rig_health(const asset::Asset& asset);

inline constexpr std::size_t kMostInfluences = 4;  ///< what every engine plays
inline constexpr double kBadWeightSum = 0.01;      ///< further from one is bad
inline constexpr double kPartedWeights = 0.01;     ///< difference of weights, summed over the joints

/// What a vertex follows: its positive weights by joint, as the file has them.
using WeightRow = std::map<std::uint16_t, double>;
WeightRow weight_row(const asset::Primitive& primitive, std::size_t vertex);
/// Summed over the joints of both.
double difference(const WeightRow& a, const WeightRow& b);

/// Vertices of a mesh at the same place: a number per vertex, of all its primitives one after the other, that copies
/// share.
std::vector<std::uint32_t> number_copies(const asset::Mesh& mesh);

}  // namespace limber::metrics
