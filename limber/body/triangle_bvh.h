// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/body/weld.h"

namespace limber::body {

/// A point on a triangle.
struct SurfacePoint {
  std::uint32_t triangle = 0;
  Vec3d barycentric;  ///< weights of the three corners
  Vec3d position;
  double distance = 0;  ///< from the query point, or along the ray
};

/// Nearest points and ray hits among triangles. A plain binary tree; read-only after construction, safe to share
/// between threads. Triangles may be degenerate.
class TriangleBvh {
 public:
  /// Keeps its own copy of the corners.
  TriangleBvh(std::span<const Vec3d> points, std::span<const Triangle> triangles);

  bool empty() const { return corners_.empty(); }
  /// The nearest point, if there is one within `max_distance`.
  std::optional<SurfacePoint> closest(Vec3d point, double max_distance = 1e300) const;
  /// The first hit of the ray origin + t direction (unit length), near <= t <= far.
  std::optional<SurfacePoint> hit(Vec3d origin, Vec3d direction, double near, double far) const;

 private:
  struct Node {
    Vec3 low, high;
    std::uint32_t first = 0;  ///< of its triangles; of its two children where count is 0
    std::uint32_t count = 0;
  };
  struct Corners {
    Vec3d a, b, c;
  };
  void build(std::uint32_t node, std::uint32_t first, std::uint32_t last, std::vector<Vec3>& centres, int depth);

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> order_;
  std::vector<Corners> corners_;  ///< in order
};

/// The point of a triangle nearest to `p`, as barycentric weights (Ericson 2005, 5.1.5).
Vec3d closest_barycentric(Vec3d p, Vec3d a, Vec3d b, Vec3d c);

}  // namespace limber::body
