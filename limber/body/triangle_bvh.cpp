// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/triangle_bvh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace limber::body {
namespace {

constexpr std::uint32_t kLeafSize = 4;
constexpr int kMaxDepth = 60;

double box_distance(Vec3 low, Vec3 high, Vec3d p) {
  double sum = 0;
  for (int a = 0; a < 3; ++a) {
    const double gap = std::max({static_cast<double>(low[a]) - p[a], p[a] - static_cast<double>(high[a]), 0.0});
    sum += gap * gap;
  }
  return sum;
}

/// Where the ray enters the box, or nothing.
std::optional<double> box_entry(Vec3 low, Vec3 high, Vec3d origin, Vec3d inverse, double near, double far) {
  for (int a = 0; a < 3; ++a) {
    double t0 = (static_cast<double>(low[a]) - origin[a]) * inverse[a];
    double t1 = (static_cast<double>(high[a]) - origin[a]) * inverse[a];
    if (t0 > t1) std::swap(t0, t1);
    // NaN (a ray in the plane of a face) leaves the interval as it is.
    if (t0 > near) near = t0;
    if (t1 < far) far = t1;
  }
  if (near > far) return std::nullopt;
  return near;
}

float below(double x) { return std::nextafter(static_cast<float>(x), -std::numeric_limits<float>::infinity()); }
float above(double x) { return std::nextafter(static_cast<float>(x), std::numeric_limits<float>::infinity()); }

}  // namespace

Vec3d closest_barycentric(Vec3d p, Vec3d a, Vec3d b, Vec3d c) {
  const Vec3d ab = b - a, ac = c - a, ap = p - a;
  const double d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return {1, 0, 0};
  const Vec3d bp = p - b;
  const double d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return {0, 1, 0};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    const double v = d1 - d3 > 0 ? d1 / (d1 - d3) : 0;
    return {1 - v, v, 0};
  }
  const Vec3d cp = p - c;
  const double d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return {0, 0, 1};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    const double w = d2 - d6 > 0 ? d2 / (d2 - d6) : 0;
    return {1 - w, 0, w};
  }
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double sum = (d4 - d3) + (d5 - d6);
    const double w = sum > 0 ? (d4 - d3) / sum : 0;
    return {0, 1 - w, w};
  }
  const double sum = va + vb + vc;
  if (!(sum > 0)) return {1, 0, 0};
  return {va / sum, vb / sum, vc / sum};
}

TriangleBvh::TriangleBvh(std::span<const Vec3d> points, std::span<const Triangle> triangles) {
  if (triangles.empty()) return;
  std::vector<Vec3> centres(triangles.size());
  std::vector<Corners> all(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    all[t] = {points[triangles[t][0]], points[triangles[t][1]], points[triangles[t][2]]};
    centres[t] = ((1.0 / 3) * (all[t].a + all[t].b + all[t].c)).cast<float>();
  }
  order_.resize(triangles.size());
  std::iota(order_.begin(), order_.end(), 0u);
  corners_ = std::move(all);
  nodes_.reserve(triangles.size());
  nodes_.emplace_back();
  build(0, 0, static_cast<std::uint32_t>(triangles.size()), centres, 0);
  std::vector<Corners> sorted(corners_.size());
  for (std::size_t k = 0; k < order_.size(); ++k) sorted[k] = corners_[order_[k]];
  corners_ = std::move(sorted);
}

void TriangleBvh::build(std::uint32_t node, std::uint32_t first, std::uint32_t last, std::vector<Vec3>& centres,
                        int depth) {
  Vec3d low = corners_[order_[first]].a, high = low;
  Vec3 centre_low = centres[order_[first]], centre_high = centre_low;
  for (std::uint32_t k = first; k < last; ++k) {
    const Corners& t = corners_[order_[k]];
    low = min(low, min(t.a, min(t.b, t.c))), high = max(high, max(t.a, max(t.b, t.c)));
    centre_low = min(centre_low, centres[order_[k]]), centre_high = max(centre_high, centres[order_[k]]);
  }
  nodes_[node].low = {below(low.x), below(low.y), below(low.z)};
  nodes_[node].high = {above(high.x), above(high.y), above(high.z)};
  if (last - first <= kLeafSize || depth >= kMaxDepth) {
    nodes_[node].first = first, nodes_[node].count = last - first;
    return;
  }
  // Halve the triangles at the median along the widest axis; ties by number, so that the tree is always the same.
  const Vec3 extent = centre_high - centre_low;
  const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : (extent.y >= extent.z ? 1 : 2);
  const std::uint32_t middle = first + (last - first) / 2;
  std::nth_element(order_.begin() + first, order_.begin() + middle, order_.begin() + last,
                   [&](std::uint32_t a, std::uint32_t b) {
                     const float ca = centres[a][axis], cb = centres[b][axis];
                     return ca < cb || (ca == cb && a < b);
                   });
  const auto children = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back();
  nodes_.emplace_back();
  nodes_[node].first = children, nodes_[node].count = 0;
  build(children, first, middle, centres, depth + 1);
  build(children + 1, middle, last, centres, depth + 1);
}

std::optional<SurfacePoint> TriangleBvh::closest(Vec3d point, double max_distance) const {
  if (empty()) return std::nullopt;
  double best = max_distance * max_distance;
  std::optional<SurfacePoint> found;
  std::array<std::pair<double, std::uint32_t>, 2 * kMaxDepth + 8> stack;
  std::size_t size = 0;
  stack[size++] = {box_distance(nodes_[0].low, nodes_[0].high, point), 0};
  while (size > 0) {
    const auto [distance, index] = stack[--size];
    if (distance > best) continue;
    const Node& node = nodes_[index];
    if (node.count == 0) {
      std::pair<double, std::uint32_t> left{box_distance(nodes_[node.first].low, nodes_[node.first].high, point),
                                            node.first};
      std::pair<double, std::uint32_t> right{
          box_distance(nodes_[node.first + 1].low, nodes_[node.first + 1].high, point), node.first + 1};
      if (left.first < right.first) std::swap(left, right);
      stack[size++] = left, stack[size++] = right;  // the nearer one on top
      continue;
    }
    for (std::uint32_t k = node.first; k < node.first + node.count; ++k) {
      const Corners& t = corners_[k];
      const Vec3d w = closest_barycentric(point, t.a, t.b, t.c);
      const Vec3d q = w.x * t.a + w.y * t.b + w.z * t.c;
      const double squared = squared_norm(q - point);
      const bool better = squared < best || (squared == best && (!found || order_[k] < found->triangle));
      if (better) best = squared, found = SurfacePoint{order_[k], w, q, 0};
    }
  }
  if (found) found->distance = std::sqrt(best);
  return found;
}

std::optional<SurfacePoint> TriangleBvh::hit(Vec3d origin, Vec3d direction, double near, double far) const {
  if (empty()) return std::nullopt;
  const Vec3d inverse{1 / direction.x, 1 / direction.y, 1 / direction.z};
  std::optional<SurfacePoint> found;
  std::array<std::pair<double, std::uint32_t>, 2 * kMaxDepth + 8> stack;
  std::size_t size = 0;
  if (const auto entry = box_entry(nodes_[0].low, nodes_[0].high, origin, inverse, near, far))
    stack[size++] = {*entry, 0};
  while (size > 0) {
    const auto [entry, index] = stack[--size];
    if (entry > far) continue;
    const Node& node = nodes_[index];
    if (node.count == 0) {
      const auto left = box_entry(nodes_[node.first].low, nodes_[node.first].high, origin, inverse, near, far);
      const auto right = box_entry(nodes_[node.first + 1].low, nodes_[node.first + 1].high, origin, inverse, near, far);
      const bool left_last = left && right && *left > *right;
      if (left && left_last) stack[size++] = {*left, node.first};
      if (right) stack[size++] = {*right, node.first + 1};
      if (left && !left_last) stack[size++] = {*left, node.first};
      continue;
    }
    for (std::uint32_t k = node.first; k < node.first + node.count; ++k) {
      // Moeller and Trumbore 1997.
      const Corners& t = corners_[k];
      const Vec3d ab = t.b - t.a, ac = t.c - t.a, p = cross(direction, ac);
      const double det = dot(ab, p);
      if (det == 0) continue;
      const Vec3d to = origin - t.a;
      const double u = dot(to, p) / det;
      const Vec3d q = cross(to, ab);
      const double v = dot(direction, q) / det, at = dot(ac, q) / det;
      if (!(u >= 0 && v >= 0 && u + v <= 1 && at >= near && at <= far)) continue;
      far = at;
      found = SurfacePoint{order_[k], {1 - u - v, u, v}, origin + at * direction, at};
    }
  }
  return found;
}

}  // namespace limber::body
