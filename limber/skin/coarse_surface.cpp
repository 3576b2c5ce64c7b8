// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skin/coarse_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace limber::skin {
namespace {

using Key = std::array<std::int64_t, 4>;  // piece, cell

/// Per point the number of its cell among those in use, and how many these are.
std::uint32_t number_cells(const body::WeldedSurface& surface, double cell, std::vector<std::uint32_t>& numbers) {
  std::vector<Key> keys(surface.points.size());
  for (std::size_t v = 0; v < keys.size(); ++v) {
    const Vec3d p = (1 / cell) * (surface.points[v] - surface.low);
    keys[v] = {surface.component[v], static_cast<std::int64_t>(std::floor(p.x)),
               static_cast<std::int64_t>(std::floor(p.y)), static_cast<std::int64_t>(std::floor(p.z))};
  }
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b] || (keys[a] == keys[b] && a < b); });
  numbers.assign(keys.size(), 0);
  std::uint32_t count = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k > 0 && keys[order[k]] != keys[order[k - 1]]) ++count;
    numbers[order[k]] = count;
  }
  return order.empty() ? 0 : count + 1;
}

}  // namespace

CoarseSurface coarsen(const body::WeldedSurface& surface, std::size_t points) {
  double area = 0;
  for (const auto& [a, b, c] : surface.triangles) {
    area += 0.5 * norm(cross(surface.points[b] - surface.points[a], surface.points[c] - surface.points[a]));
  }
  const double size = std::max(surface.longest_side(), 1e-30);
  // A plane meets about 1.5 times as many cells as its area has squares.
  double cell = std::clamp(std::sqrt(1.5 * area / static_cast<double>(points)), 1e-4 * size, 0.05 * size);
  std::vector<std::uint32_t> numbers;
  std::uint32_t count = number_cells(surface, cell, numbers);
  if (count > 2 * points)
    count = number_cells(surface, cell *= std::sqrt(static_cast<double>(count) / static_cast<double>(points)), numbers);

  CoarseSurface coarse;
  std::vector<Vec3d> sums(count);
  std::vector<double> counts(count, 0);
  for (std::size_t v = 0; v < numbers.size(); ++v) sums[numbers[v]] += surface.points[v], ++counts[numbers[v]];
  for (std::uint32_t k = 0; k < count; ++k) coarse.points.push_back(((1 / counts[k]) * sums[k]).cast<float>());
  for (const auto& [a, b, c] : surface.triangles) {
    const body::Triangle t{numbers[a], numbers[b], numbers[c]};
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) coarse.triangles.push_back(t);
  }
  return coarse;
}

}  // namespace limber::skin
