// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/weld.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace limber::body {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// Disjoint sets with path halving; the smaller number is the representative, so that the result does not depend on
/// the order of the unions.
class Sets {
 public:
  explicit Sets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0u); }
  std::uint32_t find(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = find(a), b = find(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

struct CellHash {
  std::size_t operator()(const std::array<std::int64_t, 3>& c) const {
    auto mix = [](std::uint64_t z) {
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
      return z ^ (z >> 31);
    };
    return static_cast<std::size_t>(mix(static_cast<std::uint64_t>(c[0]) * 0x9e3779b97f4a7c15ull ^
                                        mix(static_cast<std::uint64_t>(c[1]) ^ mix(static_cast<std::uint64_t>(c[2])))));
  }
};

/// The bounding box of the finite points.
void measure_box(std::span<const Vec3> points, WeldedSurface& surface) {
  const double inf = std::numeric_limits<double>::infinity();
  surface.low = {inf, inf, inf}, surface.high = {-inf, -inf, -inf};
  for (const Vec3& p : points) {
    if (!is_finite(p)) continue;
    surface.low = min(surface.low, p.cast<double>()), surface.high = max(surface.high, p.cast<double>());
  }
  if (!is_finite(surface.low)) surface.low = surface.high = Vec3d{};
}

/// Each point joins the first earlier one within the tolerance, looked up in a hashed grid of that spacing.
void weld_points(std::span<const Vec3> points, double tolerance, WeldedSurface& surface) {
  const Vec3d middle = 0.5 * (surface.low + surface.high);
  const double spacing = std::max(tolerance * norm(surface.high - surface.low), 1e-300);
  std::unordered_map<std::array<std::int64_t, 3>, std::uint32_t, CellHash> first_in_cell;
  first_in_cell.reserve(points.size());
  std::vector<std::uint32_t> next_in_cell;
  surface.welded.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3d p = is_finite(points[i]) ? points[i].cast<double>() : middle;
    const Vec3d scaled = (1 / spacing) * (p - surface.low);
    const std::array<std::int64_t, 3> cell{static_cast<std::int64_t>(std::floor(scaled.x)),
                                           static_cast<std::int64_t>(std::floor(scaled.y)),
                                           static_cast<std::int64_t>(std::floor(scaled.z))};
    std::uint32_t found = kNone;
    for (int k = 0; k < 27 && found == kNone; ++k) {
      const int n = (k + 13) % 27;  // the middle cell first
      const auto hit = first_in_cell.find({cell[0] + n % 3 - 1, cell[1] + n / 3 % 3 - 1, cell[2] + n / 9 - 1});
      if (hit == first_in_cell.end()) continue;
      for (std::uint32_t q = hit->second; q != kNone && found == kNone; q = next_in_cell[q]) {
        if (squared_norm(surface.points[q] - p) <= spacing * spacing) found = q;
      }
    }
    if (found == kNone) {
      found = static_cast<std::uint32_t>(surface.points.size());
      surface.points.push_back(p);
      const auto [place, fresh] = first_in_cell.try_emplace(cell, found);
      next_in_cell.push_back(fresh ? kNone : place->second);
      place->second = found;
    }
    surface.welded[i] = found;
  }
}

void keep_good_triangles(std::span<const Triangle> triangles, WeldedSurface& surface) {
  std::vector<std::pair<Triangle, std::uint32_t>> sorted;
  sorted.reserve(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    Triangle corners = triangles[t];
    bool good = true;
    for (std::uint32_t& c : corners) {
      good = good && c < surface.welded.size();
      c = good ? surface.welded[c] : 0;
    }
    good = good && corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0];
    if (good) {
      const Vec3d a = surface.points[corners[0]], b = surface.points[corners[1]], c = surface.points[corners[2]];
      const double area = norm(cross(b - a, c - a));
      good = area > 1e-14 * std::max({squared_norm(b - a), squared_norm(c - a), squared_norm(c - b)});
    }
    if (!good) {
      ++surface.degenerate;
      continue;
    }
    std::sort(corners.begin(), corners.end());
    sorted.emplace_back(corners, static_cast<std::uint32_t>(t));
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint32_t> kept;
  kept.reserve(sorted.size());
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    if (k > 0 && sorted[k].first == sorted[k - 1].first) {
      ++surface.duplicate;
    } else {
      kept.push_back(sorted[k].second);
    }
  }
  std::sort(kept.begin(), kept.end());
  for (const std::uint32_t t : kept) {
    surface.triangles.push_back(
        {surface.welded[triangles[t][0]], surface.welded[triangles[t][1]], surface.welded[triangles[t][2]]});
    surface.source.push_back(t);
  }
}

struct HalfEdge {
  std::uint32_t low, high, triangle;
  bool forward;  ///< the triangle runs from low to high
  bool operator<(const HalfEdge& other) const {
    return std::tie(low, high, triangle) < std::tie(other.low, other.high, other.triangle);
  }
};

std::vector<HalfEdge> sorted_edges(const std::vector<Triangle>& triangles) {
  std::vector<HalfEdge> edges;
  edges.reserve(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = triangles[t][k], b = triangles[t][(k + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), static_cast<std::uint32_t>(t), a < b});
    }
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

/// Two triangles on a manifold edge, and whether they run along it the same way.
struct Link {
  std::uint32_t triangle;
  bool disagree;
};

/// Turns every patch of triangles joined by manifold edges so that its sides agree and its volume is positive.
void orient(WeldedSurface& surface) {
  const std::vector<HalfEdge> edges = sorted_edges(surface.triangles);
  std::vector<std::array<Link, 3>> links(surface.triangles.size());
  std::vector<std::uint8_t> link_count(surface.triangles.size(), 0);
  for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
    while (end < edges.size() && edges[end].low == edges[begin].low && edges[end].high == edges[begin].high) ++end;
    if (end - begin == 1) ++surface.boundary_edges;
    if (end - begin > 2) ++surface.nonmanifold_edges;
    if (end - begin != 2) continue;
    const HalfEdge &a = edges[begin], &b = edges[begin + 1];
    const bool disagree = a.forward == b.forward;
    links[a.triangle][link_count[a.triangle]++] = {b.triangle, disagree};
    links[b.triangle][link_count[b.triangle]++] = {a.triangle, disagree};
  }
  const Vec3d middle = 0.5 * (surface.low + surface.high);
  std::vector<std::int8_t> side(surface.triangles.size(), 0);
  std::vector<std::uint32_t> patch;
  for (std::uint32_t seed = 0; seed < surface.triangles.size(); ++seed) {
    if (side[seed] != 0) continue;
    patch.assign(1, seed);
    side[seed] = 1;
    double volume = 0;
    for (std::size_t k = 0; k < patch.size(); ++k) {
      const std::uint32_t t = patch[k];
      const Triangle& c = surface.triangles[t];
      const Vec3d p = surface.points[c[0]] - middle, q = surface.points[c[1]] - middle,
                  r = surface.points[c[2]] - middle;
      volume += side[t] * dot(p, cross(q, r));
      for (std::uint8_t n = 0; n < link_count[t]; ++n) {
        const Link& link = links[t][n];
        if (side[link.triangle] != 0) continue;
        side[link.triangle] = static_cast<std::int8_t>(link.disagree ? -side[t] : side[t]);
        patch.push_back(link.triangle);
      }
    }
    for (const std::uint32_t t : patch) {
      if ((side[t] > 0) == (volume >= 0)) continue;
      std::swap(surface.triangles[t][1], surface.triangles[t][2]);
      ++surface.turned;
    }
  }
}

void number_components(WeldedSurface& surface) {
  Sets sets(surface.points.size());
  for (const Triangle& t : surface.triangles) sets.join(t[0], t[1]), sets.join(t[1], t[2]);
  surface.component.assign(surface.points.size(), -1);
  for (std::uint32_t i = 0; i < surface.points.size(); ++i) {
    const std::uint32_t first = sets.find(i);
    if (first == i) surface.component[i] = surface.component_count++;
    surface.component[i] = surface.component[first];
  }
}

}  // namespace

double WeldedSurface::longest_side() const {
  const Vec3d size = high - low;
  return std::max({size.x, size.y, size.z});
}

WeldedSurface weld(std::span<const Vec3> points, std::span<const Triangle> triangles, double tolerance) {
  WeldedSurface surface;
  measure_box(points, surface);
  weld_points(points, tolerance, surface);
  keep_good_triangles(triangles, surface);
  orient(surface);
  number_components(surface);
  return surface;
}

}  // namespace limber::body
