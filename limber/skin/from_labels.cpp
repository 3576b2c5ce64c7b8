// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skin/from_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "limber/skin/diffusion.h"

namespace limber::skin {
namespace {

constexpr double kFirm = 1e4;  ///< times one over the squared size: as good as fixed

/// Edges of the surface, by point.
struct Ring {
  std::vector<std::size_t> first;
  std::vector<std::uint32_t> neighbour;
};

Ring make_ring(const body::WeldedSurface& surface) {
  Ring ring;
  ring.first.assign(surface.points.size() + 1, 0);
  for (const body::Triangle& t : surface.triangles) {
    for (const std::uint32_t corner : t) ring.first[corner + 1] += 2;
  }
  for (std::size_t v = 0; v < surface.points.size(); ++v) ring.first[v + 1] += ring.first[v];
  ring.neighbour.resize(ring.first.back());
  std::vector<std::size_t> next(ring.first.begin(), ring.first.end() - 1);
  for (const body::Triangle& t : surface.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      ring.neighbour[next[t[k]]++] = t[(k + 1) % 3];
      ring.neighbour[next[t[k]]++] = t[(k + 2) % 3];
    }
  }
  return ring;
}

/// How far every point is from the next part, along edges.
std::vector<double> border_distances(const body::WeldedSurface& surface, std::span<const int> parts) {
  const Ring ring = make_ring(surface);
  std::vector<double> distance(surface.points.size(), std::numeric_limits<double>::infinity());
  using Front = std::pair<double, std::uint32_t>;
  std::priority_queue<Front, std::vector<Front>, std::greater<>> front;
  for (std::uint32_t v = 0; v < surface.points.size(); ++v) {
    for (std::size_t n = ring.first[v]; n < ring.first[v + 1]; ++n) {
      const std::uint32_t u = ring.neighbour[n];
      if (parts[u] == parts[v]) continue;
      // The border runs through the middle of the edge.
      const double half = 0.5 * norm(surface.points[u] - surface.points[v]);
      if (half < distance[v]) distance[v] = half, front.emplace(half, v);
    }
  }
  while (!front.empty()) {
    const auto [way, v] = front.top();
    front.pop();
    if (way > distance[v]) continue;
    for (std::size_t n = ring.first[v]; n < ring.first[v + 1]; ++n) {
      const std::uint32_t u = ring.neighbour[n];
      const double longer = way + norm(surface.points[u] - surface.points[v]);
      if (longer < distance[u]) distance[u] = longer, front.emplace(longer, u);
    }
  }
  return distance;
}

}  // namespace

std::vector<int> parts_of(const BoneBinding& binding) {
  std::vector<int> parts;
  for (const std::vector<int>& bones : binding.bones) parts.push_back(bones.front());
  return parts;
}

std::vector<std::vector<rig::Influence>> skin_parts(const SkinBody& body, std::span<const SkinBone> bones,
                                                    std::span<const int> parts, const PartSettings& settings) {
  const body::WeldedSurface& surface = body.surface;
  LIMBER_EXPECT(parts.size() == surface.points.size(), fmt::format("{} parts", parts.size()));
  const std::vector<double> border = border_distances(surface, parts);
  const double size = std::max(norm(surface.high - surface.low), 1e-30), firm = kFirm / (size * size);
  std::vector<Hold> holds(parts.size());
  std::vector<std::vector<bool>> cored(static_cast<std::size_t>(surface.component_count));
  // The point of each part and component that is deepest in it stands for the core where nothing is deep enough.
  std::vector<std::uint32_t> order(parts.size());
  for (std::uint32_t v = 0; v < order.size(); ++v) order[v] = v;
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return border[a] != border[b] ? border[a] > border[b] : a < b; });
  for (const std::uint32_t v : order) {
    const auto bone = static_cast<std::size_t>(parts[v]);
    LIMBER_EXPECT(bone < bones.size(), fmt::format("part {}", parts[v]));
    double radius = std::numeric_limits<double>::infinity();
    for (const body::Segment& segment : bones[bone].segments) {
      radius = std::min(radius, norm(surface.points[v] - body::closest_on_segment(surface.points[v], segment)));
    }
    std::vector<bool>& seen = cored[static_cast<std::size_t>(surface.component[v])];
    seen.resize(bones.size(), false);
    if (border[v] <= settings.softness * radius && seen[bone]) continue;
    seen[bone] = true;
    holds[v] = {firm, {parts[v]}};
  }
  return diffuse_holds(body, holds, bones.size());
}

}  // namespace limber::skin
