// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/asset.h"

#include <algorithm>

namespace limber::asset {

float Clip::duration() const {
  float end = 0;
  for (const Channel& channel : channels) {
    if (!channel.times.empty()) end = std::max(end, channel.times.back());
  }
  return end;
}

std::vector<int> parents(const Asset& asset) {
  std::vector<int> result(asset.nodes.size(), -1);
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    for (const int child : asset.nodes[i].children) result[static_cast<std::size_t>(child)] = static_cast<int>(i);
  }
  return result;
}

Affine local_matrix(const Node& node) { return node.matrix ? *node.matrix : to_affine(node.local); }

std::vector<std::array<std::uint32_t, 3>> triangles(const Primitive& primitive) {
  const auto count = primitive.indices.empty() ? primitive.positions.size() : primitive.indices.size();
  const auto index = [&](std::size_t i) {
    return primitive.indices.empty() ? static_cast<std::uint32_t>(i) : primitive.indices[i];
  };
  std::vector<std::array<std::uint32_t, 3>> result;
  switch (primitive.mode) {
    case PrimitiveMode::kTriangles:
      result.reserve(count / 3);
      for (std::size_t i = 0; i + 2 < count; i += 3) result.push_back({index(i), index(i + 1), index(i + 2)});
      break;
    case PrimitiveMode::kTriangleStrip:
      // Every second triangle of a strip runs the other way round.
      for (std::size_t i = 0; i + 2 < count; ++i) {
        result.push_back({index(i), index(i + 1 + i % 2), index(i + 2 - i % 2)});
      }
      break;
    case PrimitiveMode::kTriangleFan:
      for (std::size_t i = 1; i + 1 < count; ++i) result.push_back({index(i), index(i + 1), index(0)});
      break;
    default:
      break;
  }
  return result;
}

}  // namespace limber::asset
