// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "limber/scene/ground.h"
#include "limber/scene/ground_rays.h"
#include "limber/scene/shadow.h"

/// The ground at one pixel, for the CPU and for kernels. Private to `scene` and `lift`.
namespace limber::scene {

inline constexpr int kGroundRun = 64;  ///< pixels handled at once, so that the loops over them become vectors

/// Integral of a square wave of period 2 that starts at +1: a triangle wave between 0 and 1.
LIMBER_HOST_DEVICE inline float triangle_wave(float u) {
  const float half = 0.5f * u;
  float part = half - static_cast<float>(static_cast<int>(half));
  part += part < 0 ? 1.0f : 0.0f;
  return 1 - std::abs(2 * part - 1);
}

/// Mean of the square wave over a box of that width around `u`.
LIMBER_HOST_DEVICE inline float mean_wave(float u, float width) {
  constexpr float kFar = 1e6f;  // where float has no digits left for the phase; also keeps conversions to int defined
  u = std::max(-kFar, std::min(kFar, u));
  width = std::max(1e-3f, std::min(kFar, width));
  return (triangle_wave(u + 0.5f * width) - triangle_wave(u - 0.5f * width)) / width;
}

/// Constants of a ground.
struct GroundScale {
  float per_cell, per_fade;
  explicit GroundScale(const GroundSettings& settings)
      : per_cell(1 / settings.cell), per_fade(1 / std::max(settings.fade * settings.fade, 1e-20f)) {}
};

/// Contrast of the squares (-1 dark to 1 light) and the ground's share of a pixel. The footprint of a pixel is taken as
/// a box along the axes with the variances of the parallelogram that the pixel covers.
struct GroundPattern {
  float contrast, share;
};
LIMBER_HOST_DEVICE inline GroundPattern ground_pattern(const GroundRays& rays, const GroundScale& ground, Vec3 ray) {
  const Vec3 right = rays.right, down = rays.down;
  // Rays that miss are taken just below the horizon: far away, where the squares have faded.
  const float sink = std::max(1e-9f, -rays.side * ray.y);
  const float depth = rays.side * rays.eye.y / sink;
  const float reach_x = depth * ray.x, reach_z = depth * ray.z, slope_x = rays.side * ray.x / sink,
              slope_z = rays.side * ray.z / sink;
  const float right_x = right.x + right.y * slope_x, right_z = right.z + right.y * slope_z;
  const float down_x = down.x + down.y * slope_x, down_z = down.z + down.y * slope_z;
  const float scale = depth * ground.per_cell;
  const float width_x = scale * std::sqrt(right_x * right_x + down_x * down_x);
  const float width_z = scale * std::sqrt(right_z * right_z + down_z * down_z);
  const float left = std::max(0.0f, 1 - (reach_x * reach_x + reach_z * reach_z) * ground.per_fade);
  const float shift_x = rays.eye.x * ground.per_cell, shift_z = rays.eye.z * ground.per_cell;
  return {left * left * mean_wave(reach_x * ground.per_cell + shift_x, width_x) *
              mean_wave(reach_z * ground.per_cell + shift_z, width_z),
          rays.share(ray.y)};
}

/// What `draw_ground` draws at a pixel, in its steps, so that rays round as they do there.
LIMBER_HOST_DEVICE inline Vec3 ground_color(const GroundRays& rays, const GroundScale& scale, const GroundSettings& s,
                                            int x, int y) {
  const Vec3 first = rays.row(y) + static_cast<float>(x / kGroundRun * kGroundRun) * rays.right;
  const GroundPattern pattern = ground_pattern(rays, scale, first + static_cast<float>(x % kGroundRun) * rays.right);
  const Vec3 ground = 0.5f * (s.light + s.dark) + pattern.contrast * (0.5f * (s.light - s.dark));
  return s.sky + pattern.share * (ground - s.sky);
}

/// Where a ray meets a grid of shadows: between the grid points `at`, the next column and the next row.
struct ShadowPlace {
  bool inside = false;
  int row = 0, column = 0;
  float u = 0, v = 0;  ///< towards the next row and column
};
LIMBER_HOST_DEVICE inline ShadowPlace shadow_place(const GroundRays& rays, const ShadowGrid& grid, Vec3 ray) {
  const float depth = -rays.eye.y / ray.y;
  if (!(depth > 0)) return {};
  const float per_cell = 1 / grid.cell;
  const float row = depth * per_cell * ray.x + (rays.eye.x - grid.x0) * per_cell;
  const float column = depth * per_cell * ray.z + (rays.eye.z - grid.z0) * per_cell;
  if (!(row >= 0 && row < static_cast<float>(grid.rows - 1) && column >= 0 &&
        column < static_cast<float>(grid.columns - 1)))
    return {};
  const int r = static_cast<int>(row), c = static_cast<int>(column);
  return {true, r, c, row - static_cast<float>(r), column - static_cast<float>(c)};
}
LIMBER_HOST_DEVICE inline float shadow_value(const float* values, const ShadowGrid& grid, const ShadowPlace& p) {
  const float* low = values + static_cast<std::size_t>(p.row) * static_cast<std::size_t>(grid.columns) +
                     static_cast<std::size_t>(p.column);
  const float* high = low + grid.columns;
  return (1 - p.u) * ((1 - p.v) * low[0] + p.v * low[1]) + p.u * ((1 - p.v) * high[0] + p.v * high[1]);
}

/// Pixels whose rays may meet a rectangle of the ground, ends excluded.
struct PixelBox {
  int x0 = 0, x1 = 0, y0 = 0, y1 = 0;
};
LIMBER_HOST_DEVICE inline PixelBox pixels_over(const splat::Camera& camera, float low_x, float high_x, float low_z,
                                               float high_z) {
  double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
  int behind = 0;
  for (int corner = 0; corner < 4; ++corner) {
    const Vec3d at{double(corner & 1 ? high_x : low_x), 0, double(corner & 2 ? high_z : low_z)};
    const Vec3d p = camera.camera_from_world.cast<double>() * at;
    if (!(p.z > 1e-3)) {
      ++behind;
      continue;
    }
    const double x = double(camera.fx) * p.x / p.z + double(camera.cx);
    const double y = double(camera.fy) * p.y / p.z + double(camera.cy);
    left = std::min(left, x), right = std::max(right, x), top = std::min(top, y), bottom = std::max(bottom, y);
  }
  if (behind == 4) return {};
  if (behind > 0) return {0, camera.width, 0, camera.height};  // reaches behind the camera
  const auto inside = [](double v, int size) { return static_cast<int>(std::min(std::max(v, 0.0), double(size))); };
  return {inside(left - 1, camera.width), inside(right + 2, camera.width), inside(top - 1, camera.height),
          inside(bottom + 2, camera.height)};
}

}  // namespace limber::scene
