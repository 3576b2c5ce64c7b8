// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/medial_spheres.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "limber/base/threads.h"

namespace limber::body {
namespace {

constexpr int kLayers = 8;  // slices of the grid that one task looks at

/// Below this depth, in cells, voxels are too coarse to tell the medial axis by angles.
constexpr double kThin = 2.6;

/// In thin parts: no cell near by is clearly deeper.
bool is_ridge(const DistanceField& field, std::size_t cell) {
  const VoxelGrid& grid = field.grid();
  const std::array<int, 3> p = grid.place(cell);
  const double limit = field.at(cell) + 0.3 * grid.cell;
  for (int k = -2; k <= 2; ++k) {
    for (int j = -2; j <= 2; ++j) {
      for (int i = -2; i <= 2; ++i) {
        if (grid.contains(p[0] + i, p[1] + j, p[2] + k) && field.at(grid.index(p[0] + i, p[1] + j, p[2] + k)) > limit) {
          return false;
        }
      }
    }
  }
  return true;
}

/// A cell lies on the medial axis where its nearest boundary point and a neighbour's are far apart (the integer medial
/// axis, Hesselink and Roerdink 2008, with an angle).
bool is_medial(const DistanceField& field, std::size_t cell, double min_cosine) {
  const VoxelGrid& grid = field.grid();
  if (field.at(cell) < kThin * grid.cell) return is_ridge(field, cell);
  const std::array<int, 3> p = grid.place(cell);
  const std::array<int, 3> f = grid.place(field.nearest_outside(cell));
  const Vec3d to_first{static_cast<double>(f[0] - p[0]), static_cast<double>(f[1] - p[1]),
                       static_cast<double>(f[2] - p[2])};
  for (int side = 0; side < 6; ++side) {
    std::array<int, 3> q = p;
    q[static_cast<std::size_t>(side / 2)] += side % 2 == 0 ? 1 : -1;
    const std::size_t n = grid.index(q[0], q[1], q[2]);
    // The deeper one of two neighbours is the medial one.
    if (field.at(n) > field.at(cell)) continue;
    const std::array<int, 3> g = grid.place(field.nearest_outside(n));
    const Vec3d to_second{static_cast<double>(g[0] - p[0]), static_cast<double>(g[1] - p[1]),
                          static_cast<double>(g[2] - p[2])};
    if (dot(to_first, to_second) <= min_cosine * norm(to_first) * norm(to_second)) return true;
  }
  return false;
}

std::vector<std::uint32_t> medial_cells(const DistanceField& field, double min_cosine) {
  const VoxelGrid& grid = field.grid();
  const auto layers = static_cast<std::size_t>(grid.size[2]);
  const std::size_t per_layer = grid.count() / layers;
  std::vector<std::vector<std::uint32_t>> found((layers + kLayers - 1) / kLayers);
  parallel_for(layers, kLayers, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin * per_layer; c < end * per_layer; ++c) {
      // Cells on the rim of the grid are never inside: the solid has a margin.
      if (field.at(c) > 0 && is_medial(field, c, min_cosine)) {
        found[begin / kLayers].push_back(static_cast<std::uint32_t>(c));
      }
    }
  });
  std::vector<std::uint32_t> cells;
  for (const auto& part : found) cells.insert(cells.end(), part.begin(), part.end());
  return cells;
}

/// Marks the cells whose centres lie within `radius` of a cell's.
void cover(const VoxelGrid& grid, const std::array<int, 3>& p, double radius, std::vector<std::uint8_t>& covered) {
  const double cells = radius / grid.cell;
  const int reach = static_cast<int>(cells);
  for (int k = std::max(0, p[2] - reach); k <= std::min(grid.size[2] - 1, p[2] + reach); ++k) {
    for (int j = std::max(0, p[1] - reach); j <= std::min(grid.size[1] - 1, p[1] + reach); ++j) {
      const double rest = cells * cells - (k - p[2]) * (k - p[2]) - (j - p[1]) * (j - p[1]);
      if (rest < 0) continue;
      const int half = static_cast<int>(std::sqrt(rest));
      const int first = std::max(0, p[0] - half), last = std::min(grid.size[0] - 1, p[0] + half);
      std::fill_n(covered.begin() + static_cast<std::ptrdiff_t>(grid.index(first, j, k)), last - first + 1,
                  std::uint8_t{1});
    }
  }
}

/// Spheres at least `spacing` apart, largest first; none if there are more than `settings` allow.
std::vector<MedialSphere> pack(const DistanceField& field, const std::vector<std::uint32_t>& cells,
                               const MedialSettings& settings, double spacing) {
  const VoxelGrid& grid = field.grid();
  std::vector<std::uint8_t> covered(grid.count(), 0);
  std::vector<MedialSphere> spheres;
  for (const std::uint32_t c : cells) {
    if (covered[c] != 0) continue;
    if (static_cast<int>(spheres.size()) >= settings.max_spheres) return {};
    const std::array<int, 3> p = grid.place(c);
    const double radius = field.at(c);
    spheres.push_back({grid.centre(p[0], p[1], p[2]), radius});
    cover(grid, p, std::max(settings.spacing * radius, spacing), covered);
  }
  return spheres;
}

}  // namespace

std::vector<MedialSphere> pack_spheres(const DistanceField& field, const MedialSettings& settings) {
  const VoxelGrid& grid = field.grid();
  std::vector<std::uint32_t> cells = medial_cells(field, settings.min_cosine);
  std::sort(cells.begin(), cells.end(), [&](std::uint32_t a, std::uint32_t b) {
    return field.at(a) > field.at(b) || (field.at(a) == field.at(b) && a < b);
  });
  double spacing = settings.min_spacing * grid.cell * std::max({grid.size[0], grid.size[1], grid.size[2]});
  std::vector<MedialSphere> spheres = pack(field, cells, settings, spacing);
  // Sheets would take thousands: farther apart then, rather than none on part of them.
  while (spheres.empty() && !cells.empty()) spheres = pack(field, cells, settings, spacing *= 1.4);
  // A solid so small or so plain that no cell stands out: its deepest one.
  if (spheres.empty()) {
    std::size_t deepest = 0;
    for (std::size_t c = 1; c < grid.count(); ++c) deepest = field.at(c) > field.at(deepest) ? c : deepest;
    const std::array<int, 3> p = grid.place(deepest);
    spheres.push_back({grid.centre(p[0], p[1], p[2]), std::max<double>(field.at(deepest), 0.5 * grid.cell)});
  }
  return spheres;
}

}  // namespace limber::body
