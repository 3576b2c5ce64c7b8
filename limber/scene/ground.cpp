// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/ground.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/scene/ground_rays.h"

namespace limber::scene {
namespace {

constexpr int kRun = 64;  // pixels handled at once, so that the loops over them become vectors

/// Integral of a square wave of period 2 that starts at +1: a triangle wave between 0 and 1.
inline float triangle_wave(float u) {
  const float half = 0.5f * u;
  float part = half - static_cast<float>(static_cast<int>(half));
  part += part < 0 ? 1.0f : 0.0f;
  return 1 - std::abs(2 * part - 1);
}

/// Mean of the square wave over a box of that width around `u`.
inline float mean_wave(float u, float width) {
  constexpr float kFar = 1e6f;  // where float has no digits left for the phase; also keeps conversions to int defined
  u = std::max(-kFar, std::min(kFar, u));
  width = std::max(1e-3f, std::min(kFar, width));
  return (triangle_wave(u + 0.5f * width) - triangle_wave(u - 0.5f * width)) / width;
}

/// Contrast of the squares (-1 dark to 1 light) and the ground's share for `count` pixels of a row. The footprint of a
/// pixel is taken as a box along the axes with the variances of the parallelogram that the pixel covers.
void row_pattern(const GroundRays& rays, const GroundSettings& settings, Vec3 first, int count, float* contrast,
                 float* share) {
  const float per_cell = 1 / settings.cell, per_fade = 1 / std::max(settings.fade * settings.fade, 1e-20f);
  const float shift_x = rays.eye.x * per_cell, shift_z = rays.eye.z * per_cell;
  const Vec3 right = rays.right, down = rays.down;
  for (int i = 0; i < count; ++i) {
    const auto step = static_cast<float>(i);
    const float x = first.x + step * right.x, y = first.y + step * right.y, z = first.z + step * right.z;
    share[i] = rays.share(y);
    // Rays that miss are taken just below the horizon: far away, where the squares have faded.
    const float sink = std::max(1e-9f, -rays.side * y);
    const float depth = rays.side * rays.eye.y / sink;
    const float reach_x = depth * x, reach_z = depth * z, slope_x = rays.side * x / sink,
                slope_z = rays.side * z / sink;
    const float right_x = right.x + right.y * slope_x, right_z = right.z + right.y * slope_z;
    const float down_x = down.x + down.y * slope_x, down_z = down.z + down.y * slope_z;
    const float scale = depth * per_cell;
    const float width_x = scale * std::sqrt(right_x * right_x + down_x * down_x);
    const float width_z = scale * std::sqrt(right_z * right_z + down_z * down_z);
    const float left = std::max(0.0f, 1 - (reach_x * reach_x + reach_z * reach_z) * per_fade);
    contrast[i] = left * left * mean_wave(reach_x * per_cell + shift_x, width_x) *
                  mean_wave(reach_z * per_cell + shift_z, width_z);
  }
}

void draw_row(const GroundRays& rays, const GroundSettings& settings, int y, int width, Vec3* pixels) {
  const Vec3 mean = 0.5f * (settings.light + settings.dark), swing = 0.5f * (settings.light - settings.dark);
  float contrast[kRun], share[kRun];
  for (int begin = 0; begin < width; begin += kRun) {
    const int count = std::min(kRun, width - begin);
    const Vec3 first = rays.row(y) + static_cast<float>(begin) * rays.right;
    if (rays.share(first.y) == 0 && rays.share(first.y + static_cast<float>(count - 1) * rays.right.y) == 0) {
      std::fill_n(pixels + begin, count, settings.sky);
      continue;
    }
    row_pattern(rays, settings, first, count, contrast, share);
    for (int i = 0; i < count; ++i) {
      const Vec3 ground = mean + contrast[i] * swing;
      pixels[begin + i] = settings.sky + share[i] * (ground - settings.sky);
    }
  }
}

}  // namespace

void draw_ground(const splat::Camera& camera, const GroundSettings& settings, std::span<Vec3> pixels) {
  const auto width = static_cast<std::size_t>(camera.width), height = static_cast<std::size_t>(camera.height);
  LIMBER_EXPECT(camera.width > 0 && camera.height > 0 && pixels.size() == width * height,
                std::to_string(pixels.size()) + " pixels for " + std::to_string(camera.width) + " x " +
                    std::to_string(camera.height));
  LIMBER_EXPECT(settings.cell > 0, std::to_string(settings.cell));
  if (!settings.visible) {
    std::fill(pixels.begin(), pixels.end(), settings.sky);
    return;
  }
  const GroundRays rays(camera);
  const auto draw_rows = [&](std::size_t begin, std::size_t end) {
    for (std::size_t y = begin; y < end; ++y) {
      draw_row(rays, settings, static_cast<int>(y), camera.width, pixels.data() + y * width);
    }
  };
  parallel_for(height, 16, std::ref(draw_rows));
}

}  // namespace limber::scene
