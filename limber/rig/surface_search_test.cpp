// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/surface_search.h"

#include <gtest/gtest.h>

#include "limber/base/rng.h"

namespace limber::rig {
namespace {

using Triangles = std::vector<std::array<std::uint32_t, 3>>;

Vec3d random_point(Rng& rng, double size) {
  const double x = rng.uniform(-size, size), y = rng.uniform(-size, size);
  return {x, y, rng.uniform(-size, size)};
}

TEST(SurfaceSearch, FindsWhatBruteForceFinds) {
  Rng rng(3);
  std::vector<Vec3d> points;
  Triangles triangles;
  for (std::uint32_t t = 0; t < 500; ++t) {
    const Vec3d centre = random_point(rng, 1);
    for (int k = 0; k < 3; ++k) points.push_back(centre + random_point(rng, 0.3));
    triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  const SurfaceSearch search(points, triangles);
  int hits = 0;
  for (int k = 0; k < 500; ++k) {
    const Vec3d from = random_point(rng, 1.5), direction = normalized(random_point(rng, 1));
    double nearest = 1e9, first = 1e9;
    for (const auto& [a, b, c] : triangles) {
      nearest = std::min(nearest, closest_on_triangle(from, points[a], points[b], points[c]).distance);
      // A ray meets a triangle where the plane's point is in it.
      const Vec3d normal = cross(points[b] - points[a], points[c] - points[a]);
      const double along = dot(points[a] - from, normal) / dot(direction, normal);
      const Vec3d at = from + along * direction;
      if (along >= 0 && closest_on_triangle(at, points[a], points[b], points[c]).distance < 1e-9) {
        first = std::min(first, along);
      }
    }
    const SurfacePoint found = search.closest(from);
    EXPECT_NEAR(found.distance, nearest, 1e-12);
    const auto [a, b, c] = triangles[static_cast<std::size_t>(found.triangle)];
    EXPECT_NEAR(norm(found.barycentric[0] * points[a] + found.barycentric[1] * points[b] +
                     found.barycentric[2] * points[c] - from),
                nearest, 1e-9);
    const RayHit hit = search.first_hit(from, direction);
    EXPECT_EQ(hit.triangle >= 0, first < 1e9);
    if (hit.triangle < 0) continue;
    EXPECT_NEAR(hit.distance, first, 1e-6);
    EXPECT_EQ(search.first_hit(from, direction, 0.99 * first).triangle, -1);
    ++hits;
  }
  EXPECT_GT(hits, 100);
}

TEST(SurfaceSearch, SkipsBrokenTriangles) {
  const std::vector<Vec3d> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {std::nan(""), 0, 0}};
  const SurfaceSearch search(points, Triangles{{0, 1, 3}, {0, 1, 9}, {0, 1, 2}, {1, 1, 1}});
  EXPECT_EQ(search.first_hit({0.2, 0.2, 1}, {0, 0, -1}).triangle, 2);
  EXPECT_EQ(search.closest({0.2, 0.2, 1}).triangle, 2);
  EXPECT_EQ(search.closest({0.2, 0.2, 1}, 0.5).triangle, -1);
  const SurfaceSearch nothing({}, {});
  EXPECT_EQ(nothing.closest({0, 0, 0}).triangle, -1);
  EXPECT_EQ(nothing.first_hit({0, 0, 0}, {1, 0, 0}).triangle, -1);
}

TEST(SurfaceSearch, HitsAtTheSharedEdgeOfAGrid) {
  // Rays down the grid's own lines must not slip through between two triangles.
  std::vector<Vec3d> points;
  Triangles triangles;
  for (int i = 0; i <= 8; ++i) {
    for (int j = 0; j <= 8; ++j) points.push_back({i / 8.0, 0, j / 8.0});
  }
  for (std::uint32_t i = 0; i < 8; ++i) {
    for (std::uint32_t j = 0; j < 8; ++j) {
      const std::uint32_t a = 9 * i + j;
      triangles.push_back({a, a + 1, a + 10});
      triangles.push_back({a, a + 10, a + 9});
    }
  }
  const SurfaceSearch search(points, triangles);
  for (const Vec3d& p : points) {
    EXPECT_GE(search.first_hit(p + Vec3d{0, 1, 0}, {0, -1, 0}).triangle, 0);
    EXPECT_GE(search.first_hit(p - Vec3d{0, 1, 0}, {0, 1, 0}).triangle, 0);
  }
}

}  // namespace
}  // namespace limber::rig
