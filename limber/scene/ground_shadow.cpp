// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/ground_shadow.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber::scene {
namespace {

constexpr float kNothing = std::numeric_limits<float>::infinity();
constexpr int kSide = 256;  ///< cells along the longer side

}  // namespace

void GroundShadow::lower(float x, float z, float y) {
  const auto column = static_cast<int>((x - left_) / cell_), row = static_cast<int>((z - back_) / cell_);
  if (column < 0 || row < 0 || column >= columns_ || row >= rows_) return;
  float& lowest = darkness_[static_cast<std::size_t>(row * columns_ + column)];
  lowest = std::min(lowest, std::max(y, 0.0f));
}

void GroundShadow::add_triangle(Vec3 a, Vec3 b, Vec3 c) {
  if (!is_finite(a) || !is_finite(b) || !is_finite(c)) return;
  for (const Vec3& p : {a, b, c}) lower(p.x, p.z, p.y);
  const float low_x = std::min({a.x, b.x, c.x}), high_x = std::max({a.x, b.x, c.x});
  const float low_z = std::min({a.z, b.z, c.z}), high_z = std::max({a.z, b.z, c.z});
  const float area = (b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x);
  if ((high_x - low_x < cell_ && high_z - low_z < cell_) || area == 0) return;

  const auto cell = [&](float value, float origin, int count) {
    return static_cast<int>(std::clamp((value - origin) / cell_, 0.0f, static_cast<float>(count - 1)));
  };
  for (int row = cell(low_z, back_, rows_); row <= cell(high_z, back_, rows_); ++row) {
    for (int column = cell(low_x, left_, columns_); column <= cell(high_x, left_, columns_); ++column) {
      const float x = left_ + (static_cast<float>(column) + 0.5f) * cell_,
                  z = back_ + (static_cast<float>(row) + 0.5f) * cell_;
      const float u = ((x - a.x) * (c.z - a.z) - (z - a.z) * (c.x - a.x)) / area;
      const float v = ((b.x - a.x) * (z - a.z) - (b.z - a.z) * (x - a.x)) / area;
      if (u >= 0 && v >= 0 && u + v <= 1) lower(x, z, a.y + u * (b.y - a.y) + v * (c.y - a.y));
    }
  }
}

void GroundShadow::blur(float sigma_cells) {
  if (!(sigma_cells > 0.1f)) return;
  const int reach = std::min(static_cast<int>(3 * sigma_cells + 1), kSide);
  std::vector<float> kernel;
  float total = 0;
  for (int k = -reach; k <= reach; ++k) {
    const float x = static_cast<float>(k) / sigma_cells;
    kernel.push_back(std::exp(-0.5f * x * x));
    total += kernel.back();
  }
  for (float& weight : kernel) weight /= total;
  // Along rows, then along columns.
  for (int pass = 0; pass < 2; ++pass) {
    const int step = pass == 0 ? 1 : columns_, lines = pass == 0 ? rows_ : columns_,
              length = pass == 0 ? columns_ : rows_, stride = pass == 0 ? columns_ : 1;
    std::vector<float> line(static_cast<std::size_t>(length + 2 * reach));
    for (int l = 0; l < lines; ++l) {
      float* first = darkness_.data() + l * stride;
      for (int i = 0; i < length; ++i) line[static_cast<std::size_t>(reach + i)] = first[i * step];
      for (int i = 0; i < length; ++i) {
        float sum = 0;
        for (int k = 0; k <= 2 * reach; ++k) {
          sum += kernel[static_cast<std::size_t>(k)] * line[static_cast<std::size_t>(i + k)];
        }
        first[i * step] = sum;
      }
    }
  }
}

void GroundShadow::cast(std::span<const Vec3> points, std::span<const std::array<std::uint32_t, 3>> triangles,
                        const Box& box, const GroundSettings& settings) {
  darkness_.clear();
  if (box.empty() || !(settings.shadow > 0) || !settings.visible) return;
  const float margin = 3 * settings.shadow_blur, width = box.size().x + 2 * margin, depth = box.size().z + 2 * margin;
  cell_ = std::max({width, depth, 1e-6f}) / static_cast<float>(kSide);
  columns_ = std::clamp(static_cast<int>(width / cell_) + 2, 3, kSide + 2);
  rows_ = std::clamp(static_cast<int>(depth / cell_) + 2, 3, kSide + 2);
  left_ = box.low.x - margin, back_ = box.low.z - margin;
  darkness_.assign(static_cast<std::size_t>(columns_ * rows_), kNothing);
  for (const auto& t : triangles) add_triangle(points[t[0]], points[t[1]], points[t[2]]);
  for (float& value : darkness_) value = settings.shadow * std::exp(-settings.shadow_decay * value);
  blur(settings.shadow_blur / cell_);
  // Fades to nothing at the border, whatever the blur.
  for (int c = 0; c < columns_; ++c)
    darkness_[static_cast<std::size_t>(c)] = darkness_[darkness_.size() - 1 - static_cast<std::size_t>(c)] = 0;
  for (int r = 0; r < rows_; ++r) {
    darkness_[static_cast<std::size_t>(r * columns_)] = darkness_[static_cast<std::size_t>((r + 1) * columns_ - 1)] = 0;
  }
}

float GroundShadow::at(float x, float z) const {
  const float u = (x - left_) / cell_ - 0.5f, v = (z - back_) / cell_ - 0.5f;
  if (!(u >= 0 && v >= 0 && u < static_cast<float>(columns_ - 1) && v < static_cast<float>(rows_ - 1))) return 0;
  const auto column = static_cast<int>(u), row = static_cast<int>(v);
  const float s = u - static_cast<float>(column), t = v - static_cast<float>(row);
  const float* p = darkness_.data() + row * columns_ + column;
  return (1 - t) * ((1 - s) * p[0] + s * p[1]) + t * ((1 - s) * p[columns_] + s * p[columns_ + 1]);
}

Box GroundShadow::bounds() const {
  return {{left_, 0, back_},
          {left_ + static_cast<float>(columns_) * cell_, 0, back_ + static_cast<float>(rows_) * cell_}};
}

}  // namespace limber::scene
