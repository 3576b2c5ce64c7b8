// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/mirror_plane.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/testing/surfaces.h"

namespace limber::body {
namespace {

using testing::ball;
using testing::capsule;
using testing::TestSurface;

/// A trunk with two arms and a nose, its own mirror image in x = 0.2; turned about y.
TestSurface figure(double turn) {
  TestSurface surface = capsule({0.2, 0, 0}, {0.2, 2, 0}, 0.3, 0.25, 24);
  surface.add(capsule({0.2, 1.5, 0}, {1.2, 1.2, 0}, 0.15, 0.1, 24));
  surface.add(capsule({0.2, 1.5, 0}, {-0.8, 1.2, 0}, 0.15, 0.1, 24));
  surface.add(capsule({0.2, 1.9, 0}, {0.2, 1.8, 0.6}, 0.12, 0.08, 24));
  const float c = static_cast<float>(std::cos(turn)), s = static_cast<float>(std::sin(turn));
  for (Vec3& p : surface.points) p = {c * p.x + s * p.z, p.y, c * p.z - s * p.x};
  return surface;
}

std::vector<MirrorPlane> planes_of(const TestSurface& surface) {
  const WeldedSurface welded = weld(surface.points, surface.triangles);
  SolidSettings settings;
  settings.resolution = 96;
  const DistanceField field(make_solid(welded, settings));
  return find_mirror_planes(sample_surface(welded, 600), field, welded.longest_side());
}

MirrorPlane best_of(const TestSurface& surface) {
  MirrorPlane best;
  for (const MirrorPlane& plane : planes_of(surface)) {
    if (plane.error < best.error) best = plane;
  }
  return best;
}

TEST(MirrorPlane, FindsThePlaneBetweenLeftAndRight) {
  const MirrorPlane best = best_of(figure(0));
  EXPECT_GT(std::abs(best.normal.x), 0.999);
  EXPECT_NEAR(best.offset * best.normal.x, 0.2, 0.02);
  EXPECT_LT(best.error, 0.01);
}

TEST(MirrorPlane, FindsAPlaneThatIsTilted) {
  const double turn = 0.5;
  const MirrorPlane best = best_of(figure(turn));
  const Vec3d left{std::cos(turn), 0, -std::sin(turn)};
  EXPECT_GT(std::abs(dot(best.normal, left)), 0.995);
  EXPECT_LT(best.error, 0.015);
}

TEST(MirrorPlane, SaysHowFarABodyIsFromItsMirrorImage) {
  TestSurface one_armed = figure(0);
  one_armed.add(capsule({0.2, 0.8, 0}, {1.5, 0.6, 0.5}, 0.2, 0.2, 24));
  EXPECT_GT(best_of(one_armed).error, 2 * best_of(figure(0)).error);
}

TEST(MirrorPlane, MirrorsPointsAndKnowsTheirSide) {
  const MirrorPlane plane{{0, 0, 1}, 2, 0};
  EXPECT_EQ(plane.mirror({1, 1, 5}), (Vec3d{1, 1, -1}));
  EXPECT_EQ(plane.side({0, 0, 5}), 3);
  EXPECT_EQ(plane.mirror(plane.mirror({1, 2, 3})), (Vec3d{1, 2, 3}));
}

TEST(SampleSurface, SpreadsPointsByArea) {
  // Two balls, one with twice the radius: four times the points.
  TestSurface two = ball({0, 0, 0}, 1, 48);
  two.add(ball({5, 0, 0}, 2, 24));
  const WeldedSurface welded = weld(two.points, two.triangles);
  const std::vector<Vec3d> samples = sample_surface(welded, 2000);
  ASSERT_EQ(samples.size(), 2000u);
  double small = 0;
  for (const Vec3d& p : samples) {
    const bool first = norm(p) < 2;
    small += first ? 1 : 0;
    EXPECT_NEAR(first ? norm(p) : norm(p - Vec3d{5, 0, 0}), first ? 1 : 2, 0.05);
  }
  EXPECT_NEAR(small / 2000, 0.2, 0.03);
  EXPECT_EQ(sample_surface(welded, 2000), samples);
}

}  // namespace
}  // namespace limber::body
