// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/picture_raster.h"

#include <algorithm>
#include <cmath>

namespace limber::parts {
namespace {

/// The cells whose middles lie between two places, at most 0 .. size-1.
struct CellRange {
  int first, last;
  CellRange(float low, float high, int size)
      : first(static_cast<int>(std::ceil(std::clamp(low - 0.5f, 0.0f, static_cast<float>(size))))),
        last(static_cast<int>(std::floor(std::clamp(high - 0.5f, -1.0f, static_cast<float>(size - 1))))) {}
};

bool is_before_camera(const PictureRaster::Corner& corner) {
  return corner.inverse_depth > 0 && std::isfinite(corner.x) && std::isfinite(corner.y) &&
         std::isfinite(corner.inverse_depth);
}

}  // namespace

PictureRaster::PictureRaster(int size)
    : size_(size), cells_(static_cast<std::size_t>(size) * static_cast<std::size_t>(size)) {}

void PictureRaster::draw(std::span<const Corner> corners, std::span<const std::array<std::uint32_t, 3>> triangles) {
  corners_ = corners, triangles_ = triangles;
  std::fill(cells_.begin(), cells_.end(), Cell{});
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const Corner &a = corners[triangles[i][0]], &b = corners[triangles[i][1]], &c = corners[triangles[i][2]];
    if (!is_before_camera(a) || !is_before_camera(b) || !is_before_camera(c)) continue;
    fill(static_cast<std::int32_t>(i), a, b, c);
  }
}

void PictureRaster::fill(std::int32_t triangle, const Corner& a, const Corner& b, const Corner& c) {
  const CellRange columns(std::min({a.x, b.x, c.x}), std::max({a.x, b.x, c.x}), size_);
  const CellRange rows(std::min({a.y, b.y, c.y}), std::max({a.y, b.y, c.y}), size_);
  if (columns.first > columns.last || rows.first > rows.last) return;
  const float area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  if (!(std::abs(area) > 1e-9f)) return;
  const float scale = 1 / area;
  for (int y = rows.first; y <= rows.last; ++y) {
    for (int x = columns.first; x <= columns.last; ++x) {
      const float px = static_cast<float>(x) + 0.5f - a.x, py = static_cast<float>(y) + 0.5f - a.y;
      const float w1 = (px * (c.y - a.y) - py * (c.x - a.x)) * scale;
      const float w2 = (py * (b.x - a.x) - px * (b.y - a.y)) * scale;
      if (w1 < 0 || w2 < 0 || w1 + w2 > 1) continue;
      // Linear on the screen, as depth itself is not.
      const float near =
          a.inverse_depth + w1 * (b.inverse_depth - a.inverse_depth) + w2 * (c.inverse_depth - a.inverse_depth);
      Cell& cell = cells_[static_cast<std::size_t>(y) * static_cast<std::size_t>(size_) + static_cast<std::size_t>(x)];
      if (near > cell.inverse_depth) cell = {near, triangle, w1, w2};
    }
  }
}

PictureRaster::Hit PictureRaster::hit(int x, int y) const {
  const Cell& cell =
      cells_[static_cast<std::size_t>(y) * static_cast<std::size_t>(size_) + static_cast<std::size_t>(x)];
  if (cell.triangle < 0) return {};
  const std::array<std::uint32_t, 3>& t = triangles_[static_cast<std::size_t>(cell.triangle)];
  const Vec3 seen{(1 - cell.w1 - cell.w2) * corners_[t[0]].inverse_depth, cell.w1 * corners_[t[1]].inverse_depth,
                  cell.w2 * corners_[t[2]].inverse_depth};
  return {cell.triangle, seen / (seen.x + seen.y + seen.z)};
}

}  // namespace limber::parts
