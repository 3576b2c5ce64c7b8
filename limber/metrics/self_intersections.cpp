// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/self_intersections.h"

#include <vector>

#include "limber/base/crossing.h"

namespace limber::metrics {

std::size_t self_intersections(std::span<const Vec3> points, std::span<const std::array<std::uint32_t, 3>> triangles) {
  std::vector<Vec3d> places;
  places.reserve(points.size());
  for (const Vec3& p : points) places.push_back(p.cast<double>());
  return crossing_pairs(places, triangles).size();
}

}  // namespace limber::metrics
