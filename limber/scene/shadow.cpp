// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/shadow.h"

#include <cstddef>
#include <string>

#include "limber/base/expect.h"
#include "limber/scene/ground_pattern.h"

namespace limber::scene {
namespace {

/// Calls body(pixel, share, place) for every pixel that sees the grid.
template <class Body>
void for_each_pixel(const splat::Camera& camera, const ShadowGrid& grid, const Body& body) {
  const GroundRays rays(camera);
  const PixelBox box = pixels_over(camera, grid.x0, grid.x0 + grid.cell * static_cast<float>(grid.rows - 1), grid.z0,
                                   grid.z0 + grid.cell * static_cast<float>(grid.columns - 1));
  for (int y = box.y0; y < box.y1; ++y) {
    const Vec3 first = rays.row(y);
    for (int x = box.x0; x < box.x1; ++x) {
      const Vec3 ray = first + static_cast<float>(x) * rays.right;
      const ShadowPlace place = shadow_place(rays, grid, ray);
      if (!place.inside) continue;
      body(static_cast<std::size_t>(y) * static_cast<std::size_t>(camera.width) + static_cast<std::size_t>(x),
           rays.share(ray.y), place);
    }
  }
}

void check(const splat::Camera& camera, const ShadowGrid& grid, std::size_t values, std::size_t pixels) {
  LIMBER_EXPECT(values == static_cast<std::size_t>(grid.rows) * static_cast<std::size_t>(grid.columns),
                std::to_string(values) + " values");
  LIMBER_EXPECT(pixels == static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height),
                std::to_string(pixels) + " pixels");
}

}  // namespace

void shadow_forward(const splat::Camera& camera, const ShadowGrid& grid, std::span<const float> values, float strength,
                    std::span<Vec3> pixels) {
  check(camera, grid, values.size(), pixels.size());
  for_each_pixel(camera, grid, [&](std::size_t pixel, float share, const ShadowPlace& place) {
    pixels[pixel] *= 1 - strength * share * shadow_value(values.data(), grid, place);
  });
}

void shadow_backward(const splat::Camera& camera, const ShadowGrid& grid, std::span<const float> values, float strength,
                     std::span<const Vec3> pixels, std::span<const Vec3> grad_pixels, std::span<const float> alphas,
                     std::span<float> grad_values) {
  check(camera, grid, values.size(), pixels.size());
  LIMBER_EXPECT(grad_values.size() == values.size() && grad_pixels.size() == pixels.size() &&
                    (alphas.empty() || alphas.size() == pixels.size()) && strength < 1,
                std::to_string(grad_values.size()) + " values, " + std::to_string(grad_pixels.size()) + " pixels");
  const auto columns = static_cast<std::size_t>(grid.columns);
  for_each_pixel(camera, grid, [&](std::size_t pixel, float share, const ShadowPlace& place) {
    const float left = 1 - strength * share * shadow_value(values.data(), grid, place), u = place.u, v = place.v;
    const float seen = alphas.empty() ? 1.0f : 1 - alphas[pixel];
    const float grad = -strength * share * seen * dot(pixels[pixel], grad_pixels[pixel]) / left;
    float* low =
        grad_values.data() + static_cast<std::size_t>(place.row) * columns + static_cast<std::size_t>(place.column);
    float* high = low + columns;
    low[0] += (1 - u) * (1 - v) * grad, low[1] += (1 - u) * v * grad;
    high[0] += u * (1 - v) * grad, high[1] += u * v * grad;
  });
}

}  // namespace limber::scene
