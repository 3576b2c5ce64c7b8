// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/surface_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "limber/base/expect.h"

namespace limber::rig {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kLeafSize = 4;

struct Box {
  Vec3d low{kInfinity, kInfinity, kInfinity}, high{-kInfinity, -kInfinity, -kInfinity};
  void add(Vec3d p) { low = min(low, p), high = max(high, p); }

  double squared_distance(Vec3d p) const {
    const Vec3d outside = max(max(low - p, p - high), Vec3d{0, 0, 0});
    return squared_norm(outside);
  }
  /// Where a ray enters the box; infinite where it misses it.
  double entry(Vec3d origin, Vec3d inverse_direction, double reach) const {
    double from = 0, to = reach;
    for (int k = 0; k < 3; ++k) {
      const double a = (low[k] - origin[k]) * inverse_direction[k], b = (high[k] - origin[k]) * inverse_direction[k];
      // NaN, where the ray runs in a side of the box, counts as inside.
      from = std::max(from, std::isnan(a) || std::isnan(b) ? from : std::min(a, b));
      to = std::min(to, std::isnan(a) || std::isnan(b) ? to : std::max(a, b));
    }
    return from <= to ? from : kInfinity;
  }
};

struct Node {
  Box box;
  std::uint32_t first = 0, count = 0;  ///< triangles of a leaf; count 0: `first` is the left child, the right follows
};

/// Moeller and Trumbore 1997, either side.
double ray_distance(Vec3d origin, Vec3d direction, const std::array<Vec3d, 3>& corners) {
  const Vec3d ab = corners[1] - corners[0], ac = corners[2] - corners[0], p = cross(direction, ac);
  const double det = dot(ab, p);
  if (det == 0) return kInfinity;
  const Vec3d from = origin - corners[0], q = cross(from, ab);
  const double u = dot(from, p) / det, v = dot(direction, q) / det, t = dot(ac, q) / det;
  constexpr double kSlack = -1e-12;  // rays through an edge hit one of its triangles
  return u >= kSlack && v >= kSlack && u + v <= 1 - kSlack && t >= 0 ? t : kInfinity;
}

}  // namespace

SurfacePoint closest_on_triangle(Vec3d point, Vec3d a, Vec3d b, Vec3d c) {
  // Ericson, Real-Time Collision Detection, 5.1.5: by the Voronoi region of the triangle's features.
  const Vec3d ab = b - a, ac = c - a, ap = point - a, bp = point - b, cp = point - c;
  const double d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp), d5 = dot(ab, cp), d6 = dot(ac, cp);
  const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
  std::array<double, 3> share{};
  if (d1 <= 0 && d2 <= 0) {
    share = {1, 0, 0};
  } else if (d3 >= 0 && d4 <= d3) {
    share = {0, 1, 0};
  } else if (d6 >= 0 && d5 <= d6) {
    share = {0, 0, 1};
  } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    share[1] = d1 / (d1 - d3), share[0] = 1 - share[1];
  } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    share[2] = d2 / (d2 - d6), share[0] = 1 - share[2];
  } else if (va <= 0 && d4 >= d3 && d5 >= d6) {
    share[2] = (d4 - d3) / ((d4 - d3) + (d5 - d6)), share[1] = 1 - share[2];
  } else {
    const double sum = va + vb + vc;
    share = sum != 0 ? std::array<double, 3>{va / sum, vb / sum, vc / sum} : std::array<double, 3>{1, 0, 0};
  }
  SurfacePoint result;
  result.triangle = 0;
  result.barycentric = share;
  result.position = share[0] * a + share[1] * b + share[2] * c;
  result.distance = norm(result.position - point);
  return result;
}

struct SurfaceSearch::Tree {
  std::vector<std::array<Vec3d, 3>> triangles;
  std::vector<std::uint32_t> order;  ///< triangles, leaf by leaf
  std::vector<Node> nodes;

  void build();

 private:
  void split(std::uint32_t node, const std::vector<Vec3d>& centres);
};

void SurfaceSearch::Tree::build() {
  std::vector<Vec3d> centres(triangles.size());
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    centres[t] = (triangles[t][0] + triangles[t][1] + triangles[t][2]) / 3.0;
    if (is_finite(centres[t])) order.push_back(t);
  }
  if (order.empty()) return;
  nodes.reserve(order.size());
  nodes.emplace_back();
  nodes[0].count = static_cast<std::uint32_t>(order.size());
  for (std::uint32_t n = 0; n < nodes.size(); ++n) split(n, centres);
}

/// Halves a node at the median of its longest side.
void SurfaceSearch::Tree::split(std::uint32_t node, const std::vector<Vec3d>& centres) {
  const std::uint32_t first = nodes[node].first, count = nodes[node].count;
  Box spread;
  for (std::uint32_t i = first; i < first + count; ++i) {
    for (const Vec3d& corner : triangles[order[i]]) nodes[node].box.add(corner);
    spread.add(centres[order[i]]);
  }
  const Vec3d size = spread.high - spread.low;
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
  if (count <= kLeafSize || !(size[axis] > 0)) return;
  const std::uint32_t half = count / 2;
  const auto begin = order.begin() + first;
  std::nth_element(begin, begin + half, begin + count, [&](std::uint32_t a, std::uint32_t b) {
    return centres[a][axis] != centres[b][axis] ? centres[a][axis] < centres[b][axis] : a < b;
  });
  nodes[node].first = static_cast<std::uint32_t>(nodes.size());
  nodes[node].count = 0;
  Node left, right;
  left.first = first, left.count = half;
  right.first = first + half, right.count = count - half;
  nodes.push_back(left);
  nodes.push_back(right);
}

SurfaceSearch::SurfaceSearch(std::span<const Vec3d> points, std::span<const std::array<std::uint32_t, 3>> triangles)
    : tree_(std::make_unique<Tree>()) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (const auto& triangle : triangles) {
    std::array<Vec3d, 3> corners;
    for (std::size_t k = 0; k < 3; ++k) {
      corners[k] = triangle[k] < points.size() ? points[triangle[k]] : Vec3d{none, none, none};
    }
    tree_->triangles.push_back(corners);
  }
  tree_->build();
}

SurfaceSearch::~SurfaceSearch() = default;
SurfaceSearch::SurfaceSearch(SurfaceSearch&&) noexcept = default;
SurfaceSearch& SurfaceSearch::operator=(SurfaceSearch&&) noexcept = default;

std::array<Vec3d, 3> SurfaceSearch::corners(int triangle) const {
  LIMBER_EXPECT(triangle >= 0 && static_cast<std::size_t>(triangle) < tree_->triangles.size(),
                std::to_string(triangle));
  return tree_->triangles[static_cast<std::size_t>(triangle)];
}

namespace {

/// A node to visit, and the least that it can offer.
struct Visit {
  std::uint32_t node = 0;
  double bound = 0;
};

/// Visits the tree nearest first; `bound` says what a box can offer at best, `leaf` lowers `best`.
template <class Bound, class Leaf>
void search(const std::vector<Node>& nodes, double& best, const Bound& bound, const Leaf& leaf) {
  if (nodes.empty()) return;
  std::array<Visit, 128> stack;
  std::size_t depth = 0;
  stack[depth++] = {0, bound(nodes[0].box)};
  while (depth > 0) {
    const Visit visit = stack[--depth];
    if (!(visit.bound <= best)) continue;
    const Node& node = nodes[visit.node];
    if (node.count > 0) {
      leaf(node);
      continue;
    }
    Visit near{node.first, bound(nodes[node.first].box)}, far{node.first + 1, bound(nodes[node.first + 1].box)};
    if (far.bound < near.bound) std::swap(near, far);
    if (far.bound <= best && std::isfinite(far.bound)) stack[depth++] = far;
    if (near.bound <= best && std::isfinite(near.bound)) stack[depth++] = near;
  }
}

}  // namespace

RayHit SurfaceSearch::first_hit(Vec3d origin, Vec3d direction, double reach) const {
  RayHit hit;
  double best = reach;
  const Vec3d inverse_direction{1 / direction.x, 1 / direction.y, 1 / direction.z};
  search(
      tree_->nodes, best, [&](const Box& box) { return box.entry(origin, inverse_direction, best); },
      [&](const Node& node) {
        for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
          const double distance = ray_distance(origin, direction, tree_->triangles[tree_->order[i]]);
          if (distance > best || !std::isfinite(distance)) continue;
          if (hit.triangle < 0 || distance < best) hit = {static_cast<int>(tree_->order[i]), distance};
          best = distance;
        }
      });
  return hit;
}

SurfacePoint SurfaceSearch::closest(Vec3d point, double reach) const {
  SurfacePoint result;
  double best = reach * reach;
  search(
      tree_->nodes, best, [&](const Box& box) { return box.squared_distance(point); },
      [&](const Node& node) {
        for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
          const auto& corners = tree_->triangles[tree_->order[i]];
          SurfacePoint candidate = closest_on_triangle(point, corners[0], corners[1], corners[2]);
          const double squared = candidate.distance * candidate.distance;
          if (!(squared <= best) || (result.triangle >= 0 && !(squared < best))) continue;
          best = squared;
          candidate.triangle = static_cast<int>(tree_->order[i]);
          result = candidate;
        }
      });
  return result;
}

}  // namespace limber::rig
