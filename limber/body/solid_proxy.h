// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "limber/base/math.h"
#include "limber/body/weld.h"

namespace limber::body {

/// A regular grid over a box: cell (i, j, k) is centred at origin + cell * (i, j, k).
struct VoxelGrid {
  Vec3d origin;
  double cell = 1;
  std::array<int, 3> size{};

  std::size_t count() const {
    return static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) * static_cast<std::size_t>(size[2]);
  }
  std::size_t index(int i, int j, int k) const {
    return (static_cast<std::size_t>(k) * static_cast<std::size_t>(size[1]) + static_cast<std::size_t>(j)) *
               static_cast<std::size_t>(size[0]) +
           static_cast<std::size_t>(i);
  }
  std::array<int, 3> place(std::size_t index) const;
  Vec3d centre(int i, int j, int k) const {
    return origin + cell * Vec3d{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)};
  }
  bool contains(int i, int j, int k) const {
    return i >= 0 && j >= 0 && k >= 0 && i < size[0] && j < size[1] && k < size[2];
  }
};

struct SolidSettings {
  int resolution = 192;             ///< cells along the longest side, 8 to 1024 ...
  std::size_t max_cells = 6000000;  ///< ... fewer where the box would have more cells than this
  int margin = 3;                   ///< empty cells around the surface, >= 1
};

/// The body that a surface stands for, as voxels. Never empty: sheets, open shells and single triangles are given the
/// thickness of a cell.
struct SolidProxy {
  VoxelGrid grid;
  std::vector<std::uint8_t> solid;  ///< per cell, 1 inside
  std::size_t solid_cells = 0;
  std::size_t sheet_cells = 0;  ///< of these, cells that are there only because a surface without inside runs through
};

/// Fills a surface, closed or not. A cell is inside where the winding number, estimated along both directions of the
/// three axes (Nooruddin and Turk 2003, with signed crossings), exceeds one half; cells crossed by surface that bounds
/// nothing nearby are added. Takes time linear in triangles plus cells.
SolidProxy make_solid(const WeldedSurface& surface, const SolidSettings& settings = {});

}  // namespace limber::body
