// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/weld.h"

#include <gtest/gtest.h>

#include <limits>

#include "limber/base/rng.h"
#include "limber/testing/surfaces.h"

namespace limber::body {
namespace {

using testing::ball;
using testing::TestSurface;

double volume(const WeldedSurface& surface) {
  double sum = 0;
  for (const Triangle& t : surface.triangles) {
    sum += dot(surface.points[t[0]], cross(surface.points[t[1]], surface.points[t[2]])) / 6;
  }
  return sum;
}

TEST(Weld, MakesOneClosedSurfaceOfATriangleSoup) {
  const TestSurface sphere = ball({0.3, 1, 0}, 1);
  TestSurface soup;
  for (const Triangle& t : sphere.triangles) {
    const auto first = static_cast<std::uint32_t>(soup.points.size());
    for (const std::uint32_t c : t) soup.points.push_back(sphere.points[c]);
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  const WeldedSurface welded = weld(soup.points, soup.triangles);
  EXPECT_EQ(welded.points.size(), sphere.points.size());
  EXPECT_EQ(welded.component_count, 1);
  EXPECT_EQ(welded.boundary_edges, 0u);
  EXPECT_EQ(welded.triangles.size(), sphere.triangles.size());
}

TEST(Weld, TurnsFlippedTrianglesAndInsideOutComponentsOutward) {
  TestSurface two = ball({0, 0, 0}, 1);
  TestSurface inside_out = ball({5, 0, 0}, 1);
  for (Triangle& t : inside_out.triangles) std::swap(t[0], t[1]);
  two.add(inside_out);
  const double truth = volume(weld(two.points, two.triangles));
  Rng rng(3);
  for (Triangle& t : two.triangles) {
    if (rng.chance(0.4)) std::swap(t[1], t[2]);
  }
  const WeldedSurface welded = weld(two.points, two.triangles);
  EXPECT_NEAR(volume(welded), truth, 1e-9);
  EXPECT_GT(truth, 7.5);
  EXPECT_EQ(welded.component_count, 2);
  EXPECT_GT(welded.turned, 0u);
}

TEST(Weld, DropsWhatSaysNothing) {
  TestSurface surface = ball({0, 0, 0}, 1);
  const std::size_t good = surface.triangles.size();
  surface.triangles.push_back(surface.triangles[3]);
  surface.triangles.push_back({surface.triangles[5][1], surface.triangles[5][0], surface.triangles[5][2]});
  surface.triangles.push_back({4, 4, 9});
  surface.triangles.push_back({1, 2, 4000000000u});
  const WeldedSurface welded = weld(surface.points, surface.triangles);
  EXPECT_EQ(welded.triangles.size(), good);
  EXPECT_EQ(welded.duplicate, 2u);
  EXPECT_EQ(welded.degenerate, 2u);
  EXPECT_EQ(welded.source.size(), good);
}

TEST(Weld, SurvivesNothingAndNumbersThatAreNone) {
  EXPECT_TRUE(weld({}, {}).points.empty());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {nan, 0, 1}, {0, std::numeric_limits<float>::infinity(), 0}};
  const std::vector<Triangle> triangles{{0, 1, 2}, {0, 2, 3}};
  const WeldedSurface welded = weld(points, triangles);
  EXPECT_EQ(welded.welded.size(), 4u);
  for (const Vec3d& p : welded.points) EXPECT_TRUE(is_finite(p));
  EXPECT_TRUE(welded.triangles.empty());
}

}  // namespace
}  // namespace limber::body
