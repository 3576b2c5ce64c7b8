// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/ground_shadow.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber::scene {
namespace {

constexpr float kNothing = std::numeric_limits<float>::infinity();
constexpr int kSide = 256;   ///< grid points along the longer side
constexpr float kReach = 3;  ///< of the blur, in its standard deviations

/// The nearest grid point to a coordinate.
int nearest(float value, float origin, float cell, int count) {
  return static_cast<int>(std::clamp((value - origin) / cell + 0.5f, 0.0f, static_cast<float>(count - 1)));
}

}  // namespace

void GroundShadow::lower(Vec3 point) {
  const int row = nearest(point.x, grid_.x0, grid_.cell, grid_.rows),
            column = nearest(point.z, grid_.z0, grid_.cell, grid_.columns);
  float& lowest = values_[static_cast<std::size_t>(row * grid_.columns + column)];
  lowest = std::min(lowest, std::max(point.y, 0.0f));
}

void GroundShadow::add_triangle(Vec3 a, Vec3 b, Vec3 c) {
  if (!is_finite(a) || !is_finite(b) || !is_finite(c)) return;
  for (const Vec3& corner : {a, b, c}) lower(corner);
  // Whatever is smaller than a cell is told by its corners.
  const Vec3 low = min(a, min(b, c)), high = max(a, max(b, c));
  const float area = (b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x);
  if ((high.x - low.x < grid_.cell && high.z - low.z < grid_.cell) || area == 0) return;
  const int last_row = nearest(high.x, grid_.x0, grid_.cell, grid_.rows),
            last_column = nearest(high.z, grid_.z0, grid_.cell, grid_.columns);
  for (int row = nearest(low.x, grid_.x0, grid_.cell, grid_.rows); row <= last_row; ++row) {
    for (int column = nearest(low.z, grid_.z0, grid_.cell, grid_.columns); column <= last_column; ++column) {
      const float x = grid_.x0 + grid_.cell * static_cast<float>(row),
                  z = grid_.z0 + grid_.cell * static_cast<float>(column);
      const float u = ((x - a.x) * (c.z - a.z) - (z - a.z) * (c.x - a.x)) / area;
      const float v = ((b.x - a.x) * (z - a.z) - (b.z - a.z) * (x - a.x)) / area;
      if (u >= 0 && v >= 0 && u + v <= 1) lower({x, a.y + u * (b.y - a.y) + v * (c.y - a.y), z});
    }
  }
}

void GroundShadow::blur(float sigma_cells) {
  if (!(sigma_cells > 0.1f)) return;
  const int reach = std::min(static_cast<int>(kReach * sigma_cells + 1), kSide);
  std::vector<float> kernel;
  float total = 0;
  for (int k = -reach; k <= reach; ++k) {
    const float x = static_cast<float>(k) / sigma_cells;
    kernel.push_back(std::exp(-0.5f * x * x));
    total += kernel.back();
  }
  // Along rows, then along columns.
  for (const bool along_row : {true, false}) {
    const int step = along_row ? 1 : grid_.columns, stride = along_row ? grid_.columns : 1;
    const int lines = along_row ? grid_.rows : grid_.columns, length = along_row ? grid_.columns : grid_.rows;
    std::vector<float> line(static_cast<std::size_t>(length + 2 * reach));
    for (int l = 0; l < lines; ++l) {
      float* first = values_.data() + l * stride;
      for (int i = 0; i < length; ++i) line[static_cast<std::size_t>(reach + i)] = first[i * step];
      for (int i = 0; i < length; ++i) {
        float sum = 0;
        for (std::size_t k = 0; k < kernel.size(); ++k) sum += kernel[k] * line[static_cast<std::size_t>(i) + k];
        first[i * step] = sum / total;
      }
    }
  }
}

void GroundShadow::cast(std::span<const Vec3> points, std::span<const std::array<std::uint32_t, 3>> triangles,
                        const Box& box, const GroundSettings& settings) {
  values_.clear();
  if (box.empty() || !(settings.shadow > 0) || !settings.visible) return;
  // A margin for the blur, and one more point, so that the border is light.
  const Vec3 size = box.size();
  const float longest = std::max({size.x, size.z, 1e-3f}) + 2 * kReach * settings.shadow_blur;
  grid_.cell = longest / static_cast<float>(kSide - 4);
  const float margin = kReach * settings.shadow_blur + 2 * grid_.cell;
  grid_.x0 = box.low.x - margin, grid_.z0 = box.low.z - margin;
  const auto side = [&](float extent) {
    return std::clamp(static_cast<int>((extent + 2 * margin) / grid_.cell) + 1, 3, kSide + 1);
  };
  grid_.rows = side(size.x), grid_.columns = side(size.z);
  values_.assign(static_cast<std::size_t>(grid_.rows * grid_.columns), kNothing);
  for (const auto& t : triangles) add_triangle(points[t[0]], points[t[1]], points[t[2]]);
  for (float& value : values_) value = value < kNothing ? std::exp(-settings.shadow_decay * value) : 0;
  blur(settings.shadow_blur / grid_.cell);
}

}  // namespace limber::scene
