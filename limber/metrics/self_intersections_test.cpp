// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/self_intersections.h"

#include <gtest/gtest.h>

#include <vector>

#include "limber/base/expect.h"

namespace limber::metrics {
namespace {

using Triangles = std::vector<std::array<std::uint32_t, 3>>;

/// A flat triangle at z = 0, and an upright one whose lower corner is at this height.
std::vector<Vec3> two_triangles(float height) {
  return {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2f, 0.2f, height}, {0.3f, 0.2f, height + 1}, {0.2f, 0.3f, height + 1}};
}
const Triangles kTwo = {{0, 1, 2}, {3, 4, 5}};

TEST(SelfIntersections, CountsPairsThatPassThroughEachOtherOnce) {
  EXPECT_EQ(self_intersections(two_triangles(-0.5f), kTwo, 0.1), 1u);
  EXPECT_EQ(self_intersections(two_triangles(-0.5f), kTwo, 10), 1u);
}

TEST(SelfIntersections, DoesNotCountWhatIsApartOrMerelyTouches) {
  EXPECT_EQ(self_intersections(two_triangles(0.1f), kTwo, 0.1), 0u);
  EXPECT_EQ(self_intersections(two_triangles(0), kTwo, 0.1), 0u);
}

TEST(SelfIntersections, LeavesNeighboursOut) {
  std::vector<Vec3> points = two_triangles(-0.5f);
  const Triangles neighbours = {{0, 1, 2}, {0, 4, 3}};
  EXPECT_EQ(self_intersections(points, neighbours, 0.1), 0u);
}

TEST(SelfIntersections, RefusesCellsWithoutASize) {
  EXPECT_THROW(self_intersections(two_triangles(0), kTwo, 0), ContractError);
  EXPECT_EQ(self_intersections({}, {}, 1), 0u);
}

}  // namespace
}  // namespace limber::metrics
