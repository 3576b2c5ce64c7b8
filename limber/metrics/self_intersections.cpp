// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/self_intersections.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "limber/base/crossing.h"
#include "limber/base/expect.h"

namespace limber::metrics {
namespace {

struct Entry {
  std::array<int, 3> cell;
  std::uint32_t triangle;
  auto operator<=>(const Entry&) const = default;
};

}  // namespace

std::size_t self_intersections(std::span<const Vec3> points, std::span<const std::array<std::uint32_t, 3>> triangles,
                               double cell) {
  LIMBER_EXPECT(cell > 0, "a grid needs cells of some size");
  const auto corners = [&](std::uint32_t t) {
    return Corners{points[triangles[t][0]].cast<double>(), points[triangles[t][1]].cast<double>(),
                   points[triangles[t][2]].cast<double>()};
  };
  std::vector<Entry> grid;
  const auto index = [cell](double x) { return static_cast<int>(std::floor(x / cell)); };
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    const Corners c = corners(t);
    const Vec3d lower = min(c[0], min(c[1], c[2])), upper = max(c[0], max(c[1], c[2]));
    for (int z = index(lower.z); z <= index(upper.z); ++z)
      for (int y = index(lower.y); y <= index(upper.y); ++y)
        for (int x = index(lower.x); x <= index(upper.x); ++x) grid.push_back({{x, y, z}, t});
  }
  std::sort(grid.begin(), grid.end());
  const auto share_corner = [&](std::uint32_t s, std::uint32_t t) {
    return std::find_first_of(triangles[s].begin(), triangles[s].end(), triangles[t].begin(), triangles[t].end()) !=
           triangles[s].end();
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
  for (std::size_t begin = 0, end = 0; begin < grid.size(); begin = end) {
    while (end < grid.size() && grid[end].cell == grid[begin].cell) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = i + 1; j < end; ++j) {
        const std::uint32_t s = grid[i].triangle, t = grid[j].triangle;
        if (share_corner(s, t)) continue;
        const Corners a = corners(s), b = corners(t);
        if (cross_each_other(a, b)) found.push_back({s, t});
      }
    }
  }
  std::sort(found.begin(), found.end());
  return static_cast<std::size_t>(std::unique(found.begin(), found.end()) - found.begin());
}

}  // namespace limber::metrics
