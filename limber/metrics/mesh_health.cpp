// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/mesh_health.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "limber/asset/pose.h"
#include "limber/metrics/numbering.h"

namespace limber::metrics {
namespace {

constexpr double kWeld = 1e-5;   // of the diagonal
constexpr double kThin = 1e-14;  // of the diagonal squared: twice the area of a degenerate triangle

using Triangle = std::array<std::uint32_t, 3>;

/// All that the scene shows, as one list of vertices and triangles.
struct Soup {
  std::vector<Vec3d> posed;  ///< what a viewer shows
  std::vector<Vec3d> bound;  ///< skinned meshes as they were bound, others as posed
  std::vector<std::uint32_t> piece;
  std::vector<Triangle> triangles;
};

Soup collect(const asset::Asset& asset) {
  Soup soup;
  std::pair<int, int> last{-1, -1};
  std::uint32_t piece = 0;
  for (const asset::PosedPrimitive& part : asset::posed_geometry(asset, asset::rest_state(asset))) {
    const asset::Primitive& primitive =
        asset.meshes[static_cast<std::size_t>(part.mesh)].primitives[static_cast<std::size_t>(part.primitive)];
    if (const std::pair now{part.node, part.instance}; now != last) last = now, ++piece;
    const auto base = static_cast<std::uint32_t>(soup.posed.size());
    soup.posed.insert(soup.posed.end(), part.positions.begin(), part.positions.end());
    soup.piece.resize(soup.posed.size(), piece);
    if (asset.nodes[static_cast<std::size_t>(part.node)].skin >= 0 && !primitive.influences.empty()) {
      for (const Vec3& p : primitive.positions) soup.bound.push_back(p.cast<double>());
    } else {
      soup.bound.insert(soup.bound.end(), part.positions.begin(), part.positions.end());
    }
    for (auto [a, b, c] : asset::triangles(primitive)) {
      if (part.mirrored) std::swap(b, c);
      soup.triangles.push_back({base + a, base + b, base + c});
    }
  }
  return soup;
}

/// Which vertices the triangles use; all of them if there are no triangles.
std::vector<bool> used_vertices(const Soup& soup) {
  std::vector<bool> used(soup.posed.size(), soup.triangles.empty());
  for (const Triangle& triangle : soup.triangles) {
    for (const std::uint32_t v : triangle) used[v] = true;
  }
  return used;
}

std::pair<Vec3d, Vec3d> bounds(const std::vector<Vec3d>& points, const std::vector<bool>& used) {
  std::pair<Vec3d, Vec3d> box;
  bool first = true;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!used[i]) continue;
    box = first ? std::pair(points[i], points[i]) : std::pair(min(box.first, points[i]), max(box.second, points[i]));
    first = false;
  }
  return box;
}

/// Per vertex, the number of the welded vertex that it is part of.
std::vector<std::uint32_t> weld(const Soup& soup, double diagonal) {
  Numbering<4> distinct(soup.bound.size());
  std::vector<std::uint32_t> welded(soup.bound.size());
  const double per_cell = 1 / (kWeld * diagonal);
  // Rounded, and with one zero instead of two.
  const auto cell = [&](double x) { return std::bit_cast<std::uint64_t>(std::nearbyint(x * per_cell) + 0.0); };
  for (std::size_t i = 0; i < welded.size(); ++i) {
    const Vec3d p = soup.bound[i];
    welded[i] = distinct.number({cell(p.x), cell(p.y), cell(p.z), soup.piece[i]});
  }
  return welded;
}

/// Sets of vertices that grow together (union-find with path halving).
class Groups {
 public:
  explicit Groups(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0u); }
  std::uint32_t find(std::uint32_t a) {
    while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
    return a;
  }
  void join(std::uint32_t a, std::uint32_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<std::uint32_t> parent_;
};

/// Counts how often each edge is run along in either direction.
class Edges {
 public:
  explicit Edges(std::size_t triangles) : distinct_(triangles + triangles / 2) {}
  void add(std::uint32_t from, std::uint32_t to) {
    const auto [low, high] = std::minmax(from, to);
    const std::uint32_t edge = distinct_.number({(std::uint64_t{low} << 32) | high});
    if (edge == counts_.size()) counts_.emplace_back();
    ++counts_[edge][from < to ? 0 : 1];
  }
  void report(MeshHealth& health) const {
    for (const auto& [along, against] : counts_) {
      const std::uint32_t triangles = along + against;
      if (triangles == 1) ++health.boundary_edges;
      if (triangles > 2) ++health.nonmanifold_edges;
      if (triangles == 2 && along != 1) ++health.flipped_edges;
    }
  }

 private:
  Numbering<1> distinct_;
  std::vector<std::array<std::uint32_t, 2>> counts_;
};

void measure_topology(const Soup& soup, const std::vector<bool>& used, double diagonal, MeshHealth& health) {
  const std::vector<std::uint32_t> welded = weld(soup, diagonal);
  Groups groups(welded.size());
  Edges edges(soup.triangles.size());
  Numbering<2> distinct(soup.triangles.size());
  for (const auto& [i, j, k] : soup.triangles) {
    const std::uint32_t a = welded[i], b = welded[j], c = welded[k];
    groups.join(a, b), groups.join(b, c);
    const bool repeated = a == b || b == c || c == a;
    const double area = norm(cross(soup.bound[j] - soup.bound[i], soup.bound[k] - soup.bound[i]));
    if (repeated || area < kThin * diagonal * diagonal) ++health.degenerate_triangles;
    if (repeated) continue;
    Triangle sorted{a, b, c};
    std::sort(sorted.begin(), sorted.end());
    const std::size_t known = distinct.size();
    distinct.number({(std::uint64_t{sorted[0]} << 32) | sorted[1], sorted[2]});
    if (distinct.size() == known) ++health.duplicate_triangles;
    edges.add(a, b), edges.add(b, c), edges.add(c, a);
  }
  edges.report(health);

  std::vector<bool> seen(welded.size(), false), is_component(welded.size(), false);
  for (std::size_t i = 0; i < welded.size(); ++i) {
    if (!used[i]) continue;
    if (!seen[welded[i]]) ++health.welded_vertices;
    seen[welded[i]] = true;
    const std::uint32_t group = groups.find(welded[i]);
    if (!is_component[group]) ++health.components;
    is_component[group] = true;
  }
}

double signed_volume(const Soup& soup) {
  double volume = 0;
  for (const auto& [a, b, c] : soup.triangles) volume += dot(soup.posed[a], cross(soup.posed[b], soup.posed[c])) / 6;
  return volume;
}

}  // namespace

MeshHealth mesh_health(const asset::Asset& asset) {
  const Soup soup = collect(asset);
  const std::vector<bool> used = used_vertices(soup);
  MeshHealth health;
  health.vertices = soup.posed.size();
  health.triangles = soup.triangles.size();
  health.unreferenced_vertices = static_cast<std::size_t>(std::count(used.begin(), used.end(), false));
  std::tie(health.bounds_min, health.bounds_max) = bounds(soup.posed, used);
  const auto [low, high] = bounds(soup.bound, used);
  const double diagonal = norm(high - low);
  measure_topology(soup, used, diagonal > 0 ? diagonal : 1, health);
  health.inside_out = signed_volume(soup) < 0;
  return health;
}

}  // namespace limber::metrics
