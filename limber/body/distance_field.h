// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "limber/base/math.h"
#include "limber/body/solid_proxy.h"

namespace limber::body {

/// How deep points lie in a solid: the exact distance between cell centres and the boundary of the voxels, trilinear
/// between them; right to about half a cell. Read-only after construction: safe to share between threads.
class DistanceField {
 public:
  explicit DistanceField(const SolidProxy& solid);

  const VoxelGrid& grid() const { return grid_; }
  /// Depth below the surface: positive inside, negative outside, in the solid's units. Outside the grid it keeps
  /// falling with the distance from the grid.
  double depth(Vec3d point) const;
  /// Depth and its gradient (pointing inward, of length near one; rough within two cells of the surface).
  struct Sample {
    double depth = 0;
    Vec3d gradient;
  };
  Sample sample(Vec3d point) const;
  /// Depth at a cell's centre.
  float at(std::size_t cell) const { return depth_[cell]; }
  /// The nearest cell outside the solid, for a cell inside.
  std::uint32_t nearest_outside(std::size_t cell) const { return nearest_[cell]; }
  /// Whether the straight way from `a` to `b` stays above `depth` (negative values forgive grazing the surface).
  /// Steps as far as the field allows.
  bool clear(Vec3d a, Vec3d b, double depth) const;

 private:
  /// The cell between eight centres that a point lies in, or the nearest one.
  struct Cell {
    std::array<double, 8> corners;  ///< depths; x fastest
    Vec3d at;                       ///< in the cell, 0 to 1
    Vec3d beyond;                   ///< from the grid to the point
  };
  Cell cell_at(Vec3d point) const;

  VoxelGrid grid_;
  std::vector<float> depth_;
  std::vector<std::uint32_t> nearest_;
};

}  // namespace limber::body
