// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/zoo/implicit_surface.h"

namespace limber::zoo {

struct PolygonMesh {
  std::vector<Vec3d> points;
  std::vector<Vec3d> normals;  ///< outward, from the field's gradient
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<int> region_of;             ///< per point, an index into `regions`
  std::vector<std::vector<int>> regions;  ///< the cones that can matter in a piece of space
  std::span<const int> nearby(std::size_t point) const { return regions[static_cast<std::size_t>(region_of[point])]; }
};

/// The zero set as a closed manifold of one component: marching cubes on the cells near the surface, with faces that
/// could be cut two ways always cut so that inside corners are separated, then evened out along the surface. `cell` is
/// the size of a cell per axis. Pieces that are not connected with the largest one are dropped, unless `loose`.
PolygonMesh polygonise(const ImplicitSurface& surface, Vec3d cell, bool loose = false);

}  // namespace limber::zoo
