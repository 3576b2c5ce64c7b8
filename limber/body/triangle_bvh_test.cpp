// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/triangle_bvh.h"

#include <gtest/gtest.h>

#include "limber/base/rng.h"
#include "limber/testing/surfaces.h"

namespace limber::body {
namespace {

WeldedSurface knot() {
  testing::TestSurface surface = testing::ball({0, 0, 0}, 1);
  surface.add(testing::capsule({0, 0, 0}, {2, 1, 0}, 0.4, 0.1));
  return weld(surface.points, surface.triangles);
}

TEST(TriangleBvh, FindsTheSameNearestPointAsLookingAtEveryTriangle) {
  const WeldedSurface surface = knot();
  const TriangleBvh bvh(surface.points, surface.triangles);
  Rng rng(1);
  for (int n = 0; n < 200; ++n) {
    const Vec3d p{rng.uniform(-3, 3), rng.uniform(-3, 3), rng.uniform(-3, 3)};
    double best = 1e300;
    for (const Triangle& t : surface.triangles) {
      const Vec3d a = surface.points[t[0]], b = surface.points[t[1]], c = surface.points[t[2]];
      const Vec3d w = closest_barycentric(p, a, b, c);
      best = std::min(best, norm(w.x * a + w.y * b + w.z * c - p));
    }
    const auto found = bvh.closest(p);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->distance, best, 1e-12);
    EXPECT_FALSE(bvh.closest(p, 0.9 * best));
  }
}

TEST(TriangleBvh, HitsTheNearSideOfABall) {
  const WeldedSurface surface = knot();
  const TriangleBvh bvh(surface.points, surface.triangles);
  const auto hit = bvh.hit({-5, 0.01, 0.02}, {1, 0, 0}, 0, 100);
  ASSERT_TRUE(hit);
  EXPECT_NEAR(hit->distance, 4, 0.02);
  EXPECT_FALSE(bvh.hit({-5, 0.01, 0.02}, {-1, 0, 0}, 0, 100));
  EXPECT_FALSE(bvh.hit({-5, 0.01, 0.02}, {1, 0, 0}, 0, 3.5));
  EXPECT_NEAR(bvh.hit({-5, 0.01, 0.02}, {1, 0, 0}, 4.5, 100)->distance, 6, 1.5);
}

TEST(TriangleBvh, SurvivesEqualAndEmptyTriangles) {
  EXPECT_FALSE(TriangleBvh({}, {}).closest({0, 0, 0}));
  const std::vector<Vec3d> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const std::vector<Triangle> same(5000, Triangle{0, 1, 2});
  const TriangleBvh bvh(points, same);
  EXPECT_NEAR(bvh.closest({0.2, 0.2, 1})->distance, 1, 1e-12);
  EXPECT_EQ(bvh.closest({0.2, 0.2, 1})->triangle, 0u);
  const std::vector<Triangle> flat{{0, 0, 0}, {0, 1, 1}};
  EXPECT_NEAR(TriangleBvh(points, flat).closest({0.5, 0, 2})->distance, 2, 1e-12);
}

}  // namespace
}  // namespace limber::body
