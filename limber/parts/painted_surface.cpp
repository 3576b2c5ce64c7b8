// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/painted_surface.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <utility>

#include "limber/base/threads.h"
#include "limber/body/triangle_bvh.h"

namespace limber::parts {
namespace {

constexpr double kLeastFacing = 0.05;
constexpr double kLeastArea = 1e-9;        // of the surface: triangles without any have a colour too
constexpr double kMirrorTolerance = 0.02;  // of the longest side
constexpr double kLargest = std::numeric_limits<double>::max();

}  // namespace

PaintedSurface::PaintedSurface(std::span<const Vec3> points, std::span<const Triangle> triangles)
    : welded(body::weld(points, triangles)), neighbors(welded.triangles.size()), colors(welded.triangles.size()) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> edges;
  double total = 0;
  for (std::size_t i = 0; i < welded.triangles.size(); ++i) {
    const Triangle& t = welded.triangles[i];
    const Vec3d a = welded.points[t[0]], b = welded.points[t[1]], c = welded.points[t[2]];
    middles.push_back((a + b + c) / 3.0), shares.push_back(norm(cross(b - a, c - a)));
    loose.push_back(welded.component[t[0]]);
    total += shares.back();
    for (std::size_t k = 0; k < 3; ++k) edges[std::minmax(t[k], t[(k + 1) % 3])].push_back(i);
  }
  for (double& share : shares) share = std::max(share / std::max(total, 1e-300), kLeastArea);
  for (const auto& [edge, sides] : edges) {
    const double border = norm(welded.points[edge.first] - welded.points[edge.second]);
    // In a row rather than all with all: a file may hang any number of triangles on one edge.
    for (std::size_t i = 0; i + 1 < sides.size(); ++i) {
      if (sides[i] == sides[i + 1]) continue;
      neighbors[sides[i]].push_back({sides[i + 1], border}), neighbors[sides[i + 1]].push_back({sides[i], border});
    }
  }
}

void PaintedSurface::take_colors(std::span<const PaintedViews> views) {
  std::uint32_t count = 0;  // triangles of the input
  for (const std::uint32_t source : welded.source) count = std::max(count, source + 1);
  std::vector<Vec3d> sums(count);
  std::vector<double> weights(count);
  for (const PaintedViews& set : views) {
    for (std::size_t i = 0; i < set.colors.size(); ++i) {
      if (set.pictures.triangles[i] < 0) continue;
      const auto triangle = static_cast<std::size_t>(set.pictures.triangles[i]);
      if (triangle >= count) continue;  // the last ones may have no area
      const double weight = std::max(double(set.pictures.facings[i]), kLeastFacing);
      sums[triangle] += weight * set.colors[i].cast<double>(), weights[triangle] += weight;
    }
  }
  using Entry = std::pair<double, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  std::vector<double> distance(colors.size(), kLargest);
  for (std::size_t i = 0; i < colors.size(); ++i) {
    const std::size_t source = welded.source[i];
    if (!(weights[source] > 0)) continue;
    colors[i] = sums[source] / weights[source];
    distance[i] = 0, open.push({0, i});
  }
  while (!open.empty()) {
    const auto [reached, from] = open.top();
    open.pop();
    if (reached > distance[from]) continue;
    for (const Neighbor& next : neighbors[from]) {
      const double there = reached + norm(middles[next.triangle] - middles[from]);
      if (there >= distance[next.triangle]) continue;
      distance[next.triangle] = there, colors[next.triangle] = colors[from];
      open.push({there, next.triangle});
    }
  }
}

bool PaintedSurface::mirror_colors(const CodeFrame& frame, double share) {
  const double middle = 0.5 * (welded.low.x + welded.high.x), reach = kMirrorTolerance * welded.longest_side();
  const body::TriangleBvh tree(welded.points, welded.triangles);
  std::vector<std::optional<body::SurfacePoint>> other(colors.size());
  parallel_for(colors.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      other[i] = tree.closest({2 * middle - middles[i].x, middles[i].y, middles[i].z}, reach);
  });
  double matched = 0;
  for (std::size_t i = 0; i < colors.size(); ++i) matched += other[i] ? shares[i] : 0;
  if (matched < share) return false;
  const std::vector<Vec3d> own = colors;
  for (std::size_t i = 0; i < colors.size(); ++i) {
    if (!other[i]) continue;
    Vec3 place = frame.world(code_of_part_color(own[other[i]->triangle].cast<float>()));
    place.x = static_cast<float>(2 * middle) - place.x;
    colors[i] = 0.5 * (own[i] + part_color(frame.code(place)).cast<double>());
  }
  return true;
}

}  // namespace limber::parts
