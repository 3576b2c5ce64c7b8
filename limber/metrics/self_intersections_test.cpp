// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/self_intersections.h"

#include <gtest/gtest.h>

#include <vector>

namespace limber::metrics {
namespace {

using Triangles = std::vector<std::array<std::uint32_t, 3>>;

/// A flat triangle at z = 0, and an upright one whose lower corner is at this height.
std::vector<Vec3> two_triangles(float height) {
  return {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2f, 0.2f, height}, {0.3f, 0.2f, height + 1}, {0.2f, 0.3f, height + 1}};
}
const Triangles kTwo = {{0, 1, 2}, {3, 4, 5}};

TEST(SelfIntersections, CountsPairsThatPassThroughEachOtherOnce) {
  EXPECT_EQ(self_intersections(two_triangles(-0.5f), kTwo), 1u);
  EXPECT_EQ(self_intersections(two_triangles(-0.5f), kTwo), 1u);
}

TEST(SelfIntersections, DoesNotCountWhatIsApartOrMerelyTouches) {
  EXPECT_EQ(self_intersections(two_triangles(0.1f), kTwo), 0u);
  EXPECT_EQ(self_intersections(two_triangles(0), kTwo), 0u);
}

TEST(SelfIntersections, LeavesNeighboursOut) {
  std::vector<Vec3> points = two_triangles(-0.5f);
  const Triangles neighbours = {{0, 1, 2}, {0, 4, 3}};
  EXPECT_EQ(self_intersections(points, neighbours), 0u);
}

TEST(SelfIntersections, FindsThemAmongTrianglesOfAllSizes) {
  std::vector<Vec3> points = two_triangles(-0.5f);
  Triangles triangles = kTwo;
  const auto add = [&](Vec3 at, float size) {
    const auto first = static_cast<std::uint32_t>(points.size());
    points.insert(points.end(), {at, at + Vec3{size, 0, 0}, at + Vec3{0, size, 0}});
    triangles.push_back({first, first + 1, first + 2});
  };
  add({-100, -100, 0.25f}, 400);  // cut by the upright one too
  for (int k = 0; k < 500; ++k) add({0.01f * static_cast<float>(k), 3, 1}, 0.001f);
  EXPECT_EQ(self_intersections(points, triangles), 2u);
}

TEST(SelfIntersections, TakesNothingAndSinglePoints) {
  EXPECT_EQ(self_intersections({}, {}), 0u);
  EXPECT_EQ(self_intersections(std::vector<Vec3>(6), kTwo), 0u);
}

}  // namespace
}  // namespace limber::metrics
