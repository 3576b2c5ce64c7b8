// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/draw_sizes.h"

#include <fmt/format.h>

#include <cmath>

namespace limber::bench {

std::string DrawSizes::name() const {
  return fmt::format("{}x{}/gaussians:{}/frames:{}/views:{}", width, height, gaussians, frames, views);
}

std::vector<splat::Camera> fitted_cameras(std::span<const Vec3> points, const DrawSizes& sizes, const Orbit& orbit) {
  Vec3 low = points[0], high = points[0];
  for (const Vec3& p : points) low = min(low, p), high = max(high, p);
  const Vec3 middle = 0.5f * (low + high);
  constexpr float kField = 0.6f;
  const float distance = 0.5f * (high.y - low.y) / 0.8f / std::tan(0.5f * kField);
  std::vector<splat::Camera> cameras;
  for (int v = 0; v < sizes.views; ++v) {
    for (int f = 0; f < sizes.frames; ++f) {
      const float turn = static_cast<float>(v) / static_cast<float>(sizes.views) +
                         orbit.turn * static_cast<float>(f) / static_cast<float>(sizes.frames);
      const float angle = 1.2f + 2 * static_cast<float>(kPi) * turn;
      const Vec3 eye = middle + distance * Vec3{std::sin(angle), orbit.rise, std::cos(angle)};
      cameras.push_back(splat::look_at(eye, middle, {0, 1, 0}, kField, sizes.width, sizes.height));
    }
  }
  return cameras;
}

}  // namespace limber::bench
