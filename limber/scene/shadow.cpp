// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/shadow.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "limber/base/expect.h"
#include "limber/scene/ground_rays.h"

namespace limber::scene {
namespace {

/// Pixels whose rays may meet the grid, ends excluded.
struct PixelBox {
  int x0 = 0, x1 = 0, y0 = 0, y1 = 0;
};

PixelBox pixels_over(const splat::Camera& camera, const ShadowGrid& grid) {
  const float high_x = grid.x0 + grid.cell * static_cast<float>(grid.rows - 1);
  const float high_z = grid.z0 + grid.cell * static_cast<float>(grid.columns - 1);
  double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
  for (const Vec3& corner :
       {Vec3{grid.x0, 0, grid.z0}, Vec3{grid.x0, 0, high_z}, Vec3{high_x, 0, grid.z0}, Vec3{high_x, 0, high_z}}) {
    const Vec3d p = camera.camera_from_world.cast<double>() * corner.cast<double>();
    if (!(p.z > 1e-3)) return {0, camera.width, 0, camera.height};  // reaches behind the camera
    const double x = double(camera.fx) * p.x / p.z + double(camera.cx);
    const double y = double(camera.fy) * p.y / p.z + double(camera.cy);
    left = std::min(left, x), right = std::max(right, x), top = std::min(top, y), bottom = std::max(bottom, y);
  }
  const auto inside = [](double v, int size) { return static_cast<int>(std::clamp(v, 0.0, double(size))); };
  return {inside(left - 1, camera.width), inside(right + 2, camera.width), inside(top - 1, camera.height),
          inside(bottom + 2, camera.height)};
}

/// Calls body(pixel, share, first of the four grid points, weights towards the next row and column) for every pixel
/// that sees the grid.
template <class Body>
void for_each_pixel(const splat::Camera& camera, const ShadowGrid& grid, const Body& body) {
  const GroundRays rays(camera);
  const PixelBox box = pixels_over(camera, grid);
  const float per_cell = 1 / grid.cell;
  const float offset_x = (rays.eye.x - grid.x0) * per_cell, offset_z = (rays.eye.z - grid.z0) * per_cell;
  const auto last_row = static_cast<float>(grid.rows - 1), last_column = static_cast<float>(grid.columns - 1);
  for (int y = box.y0; y < box.y1; ++y) {
    const Vec3 first = rays.row(y);
    for (int x = box.x0; x < box.x1; ++x) {
      const Vec3 ray = first + static_cast<float>(x) * rays.right;
      const float depth = -rays.eye.y / ray.y;
      if (!(depth > 0)) continue;
      const float row = depth * per_cell * ray.x + offset_x, column = depth * per_cell * ray.z + offset_z;
      if (!(row >= 0 && row < last_row && column >= 0 && column < last_column)) continue;
      const auto r = static_cast<std::size_t>(row), c = static_cast<std::size_t>(column);
      body(static_cast<std::size_t>(y) * static_cast<std::size_t>(camera.width) + static_cast<std::size_t>(x),
           rays.share(ray.y), r * static_cast<std::size_t>(grid.columns) + c, row - static_cast<float>(r),
           column - static_cast<float>(c));
    }
  }
}

float bilinear(std::span<const float> values, std::size_t at, std::size_t columns, float u, float v) {
  const float* low = values.data() + at;
  const float* high = low + columns;
  return (1 - u) * ((1 - v) * low[0] + v * low[1]) + u * ((1 - v) * high[0] + v * high[1]);
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
  const auto columns = static_cast<std::size_t>(grid.columns);
  for_each_pixel(camera, grid, [&](std::size_t pixel, float share, std::size_t at, float u, float v) {
    pixels[pixel] *= 1 - strength * share * bilinear(values, at, columns, u, v);
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
  for_each_pixel(camera, grid, [&](std::size_t pixel, float share, std::size_t at, float u, float v) {
    const float left = 1 - strength * share * bilinear(values, at, columns, u, v);
    const float seen = alphas.empty() ? 1.0f : 1 - alphas[pixel];
    const float grad = -strength * share * seen * dot(pixels[pixel], grad_pixels[pixel]) / left;
    float* low = grad_values.data() + at;
    float* high = low + columns;
    low[0] += (1 - u) * (1 - v) * grad, low[1] += (1 - u) * v * grad;
    high[0] += u * (1 - v) * grad, high[1] += u * v * grad;
  });
}

}  // namespace limber::scene
