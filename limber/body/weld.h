// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "limber/base/math.h"

namespace limber::body {

using Triangle = std::array<std::uint32_t, 3>;

/// A surface as solvers want it, made from one as files have it. The input is never changed: `welded` and `source` lead
/// back to it.
struct WeldedSurface {
  std::vector<Vec3d> points;
  std::vector<Triangle> triangles;    ///< without degenerate and duplicate ones, turned outward
  std::vector<std::uint32_t> source;  ///< per triangle, its number in the input
  std::vector<std::uint32_t> welded;  ///< per input point, its welded point
  std::vector<int> component;         ///< per welded point, numbered from 0; points without triangles have one each
  int component_count = 0;
  Vec3d low, high;  ///< bounding box of the points

  std::size_t degenerate = 0;      ///< triangles left out: two corners alike, no area, an index out of range
  std::size_t duplicate = 0;       ///< triangles left out: another one has the same corners
  std::size_t turned = 0;          ///< triangles turned round
  std::size_t boundary_edges = 0;  ///< with one triangle
  std::size_t nonmanifold_edges = 0;

  double longest_side() const;
};

/// Welds points closer than `tolerance` of the box diagonal (points that are not finite all go to the centre), drops
/// triangles that say nothing, and turns the rest: consistently across manifold edges, and each connected patch so that
/// it encloses a positive volume. Linear in the size of the input.
WeldedSurface weld(std::span<const Vec3> points, std::span<const Triangle> triangles, double tolerance = 1e-5);

}  // namespace limber::body
