// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/triangulate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace limber::asset {
namespace {

using Triangles = std::vector<std::array<std::uint32_t, 3>>;

/// Sum of the triangles' areas, each counted negative where it faces away from +z.
double signed_area(const std::vector<Vec3>& corners, const Triangles& triangles, double* absolute = nullptr) {
  double sum = 0, total = 0;
  for (const auto& [a, b, c] : triangles) {
    const double area = 0.5 * static_cast<double>(cross(corners[b] - corners[a], corners[c] - corners[a]).z);
    sum += area, total += std::abs(area);
  }
  if (absolute) *absolute = total;
  return sum;
}

TEST(Triangulate, ConvexPolygonsBecomeFans) {
  const std::vector<Vec3> square{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  EXPECT_EQ(triangulate_polygon(square), (Triangles{{0, 1, 2}, {0, 2, 3}}));
}

TEST(Triangulate, ConcavePolygonsAreCoveredWithoutOverlap) {
  const std::vector<Vec3> dart{{0, 0, 0}, {2, 1, 0}, {0, 2, 0}, {0.5f, 1, 0}};
  const std::vector<Vec3> comb{{0, 0, 0}, {5, 0, 0}, {5, 3, 0}, {4, 3, 0}, {4, 1, 0}, {3, 1, 0},
                               {3, 3, 0}, {2, 3, 0}, {2, 1, 0}, {1, 1, 0}, {1, 3, 0}, {0, 3, 0}};
  for (const std::vector<Vec3>& corners : {dart, comb}) {
    const Triangles triangles = triangulate_polygon(corners);
    EXPECT_EQ(triangles.size(), corners.size() - 2);
    double absolute = 0;
    EXPECT_GT(signed_area(corners, triangles, &absolute), 0);
    EXPECT_NEAR(absolute, signed_area(corners, triangles), 1e-9);
  }
  EXPECT_NEAR(signed_area(comb, triangulate_polygon(comb)), 11, 1e-9);
}

TEST(Triangulate, DegenerateAndHugePolygonsStillGiveAllTriangles) {
  EXPECT_TRUE(triangulate_polygon(std::vector<Vec3>(2)).empty());
  EXPECT_EQ(triangulate_polygon(std::vector<Vec3>(5)).size(), 3u);
  EXPECT_EQ(triangulate_polygon(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}).size(), 2u);
  EXPECT_EQ(triangulate_polygon(std::vector<Vec3>(100000)).size(), 99998u);
  EXPECT_EQ(triangulate_polygon(std::vector<Vec3>(6, {NAN, 0, 0})).size(), 4u);
}

}  // namespace
}  // namespace limber::asset
