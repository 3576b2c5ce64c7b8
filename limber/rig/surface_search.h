// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "limber/base/math.h"

namespace limber::rig {

/// Where a ray meets a surface first.
struct RayHit {
  int triangle = -1;  ///< -1: nowhere
  double distance = 0;
};

/// A place on a surface.
struct SurfacePoint {
  int triangle = -1;  ///< -1: nothing within reach
  Vec3d position;
  std::array<double, 3> barycentric{};  ///< shares of the triangle's corners, >= 0, summing to one
  double distance = 0;
};

/// Finds triangles near points and along rays. Built once; queries may come from any number of threads.
///
/// Candidates come from Embree where limber was built with it, else from an own bounding volume hierarchy; the answers
/// are computed in double either way.
class SurfaceSearch {
 public:
  /// Triangles with corners out of range or not finite are never found.
  SurfaceSearch(std::span<const Vec3d> points, std::span<const std::array<std::uint32_t, 3>> triangles);
  ~SurfaceSearch();
  SurfaceSearch(SurfaceSearch&&) noexcept;
  SurfaceSearch& operator=(SurfaceSearch&&) noexcept;

  /// The nearest triangle, either side, along `direction` (unit) within `reach`.
  RayHit first_hit(Vec3d origin, Vec3d direction, double reach = std::numeric_limits<double>::infinity()) const;
  /// The nearest point of the surface within `reach`.
  SurfacePoint closest(Vec3d point, double reach = std::numeric_limits<double>::infinity()) const;
  std::array<Vec3d, 3> corners(int triangle) const;

 private:
  struct Tree;
  std::unique_ptr<Tree> tree_;
};

/// The point of a triangle nearest to `point`, with its barycentric shares; `triangle` is left at 0.
SurfacePoint closest_on_triangle(Vec3d point, Vec3d a, Vec3d b, Vec3d c);

}  // namespace limber::rig
