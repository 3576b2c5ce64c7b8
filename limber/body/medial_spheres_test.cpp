// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/medial_spheres.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/testing/surfaces.h"

namespace limber::body {
namespace {

using testing::ball;
using testing::capsule;
using testing::TestSurface;

DistanceField field_of(const TestSurface& surface) {
  SolidSettings settings;
  settings.resolution = 96;
  return DistanceField(make_solid(weld(surface.points, surface.triangles), settings));
}

TEST(MedialSpheres, FillABallWithItself) {
  const DistanceField field = field_of(ball({1, 2, 3}, 1, 48));
  const std::vector<MedialSphere> spheres = pack_spheres(field);
  ASSERT_FALSE(spheres.empty());
  EXPECT_NEAR(norm(spheres[0].centre - Vec3d{1, 2, 3}), 0, 2 * field.grid().cell);
  EXPECT_NEAR(spheres[0].radius, 1, 2 * field.grid().cell);
}

TEST(MedialSpheres, LieOnTheAxisOfALimb) {
  const DistanceField field = field_of(capsule({0, 0, 0}, {0, 3, 0}, 0.3, 0.2, 32));
  const std::vector<MedialSphere> spheres = pack_spheres(field);
  ASSERT_GE(spheres.size(), 8u);
  double lowest = 9, highest = -9;
  for (const MedialSphere& sphere : spheres) {
    if (sphere.centre.y < 0 || sphere.centre.y > 3) continue;
    EXPECT_LT(std::hypot(sphere.centre.x, sphere.centre.z), 3 * field.grid().cell);
    EXPECT_NEAR(sphere.radius, 0.3 - 0.1 * sphere.centre.y / 3, 2 * field.grid().cell);
    lowest = std::min(lowest, sphere.centre.y), highest = std::max(highest, sphere.centre.y);
  }
  EXPECT_LT(lowest, 0.3);
  EXPECT_GT(highest, 2.7);
}

TEST(MedialSpheres, AreSortedAndKeepTheirDistance) {
  TestSurface surface = capsule({0, 0, 0}, {0, 2, 0}, 0.5, 0.3, 32);
  surface.add(capsule({0, 1.5, 0}, {1.5, 1.5, 0}, 0.2, 0.1, 24));
  const MedialSettings settings;
  const std::vector<MedialSphere> spheres = pack_spheres(field_of(surface), settings);
  for (std::size_t i = 0; i < spheres.size(); ++i) {
    if (i > 0) {
      EXPECT_GE(spheres[i - 1].radius, spheres[i].radius);
    }
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_GE(norm(spheres[i].centre - spheres[j].centre), 0.999 * settings.spacing * spheres[j].radius);
    }
  }
}

TEST(MedialSpheres, NeverExceedTheirNumberAndAreNeverNone) {
  MedialSettings few;
  few.max_spheres = 5;
  const std::vector<MedialSphere> some = pack_spheres(field_of(capsule({0, 0, 0}, {0, 3, 0}, 0.1, 0.1, 24)), few);
  EXPECT_GE(some.size(), 1u);
  EXPECT_LE(some.size(), 5u);
  TestSurface sheet;
  sheet.points = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}};
  sheet.triangles = {{0, 1, 2}};
  EXPECT_GE(pack_spheres(field_of(sheet)).size(), 1u);
}

}  // namespace
}  // namespace limber::body
