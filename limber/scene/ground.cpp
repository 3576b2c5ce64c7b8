// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/ground.h"

#include <algorithm>
#include <functional>
#include <string>

#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/scene/ground_pattern.h"
#include "limber/scene/ground_rays.h"

namespace limber::scene {
namespace {

/// For `count` pixels of a row.
void row_pattern(const GroundRays& from, const GroundSettings& settings, Vec3 first, int count, float* contrast,
                 float* share) {
  const GroundRays rays = from;  // a copy that the results cannot be part of
  const GroundScale scale(settings);
  for (int i = 0; i < count; ++i) {
    const GroundPattern pattern = ground_pattern(rays, scale, first + static_cast<float>(i) * rays.right);
    contrast[i] = pattern.contrast, share[i] = pattern.share;
  }
}

void draw_row(const GroundRays& rays, const GroundSettings& settings, int y, int width, Vec3* pixels) {
  const Vec3 mean = 0.5f * (settings.light + settings.dark), swing = 0.5f * (settings.light - settings.dark);
  float contrast[kGroundRun], share[kGroundRun];
  for (int begin = 0; begin < width; begin += kGroundRun) {
    const int count = std::min(kGroundRun, width - begin);
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
