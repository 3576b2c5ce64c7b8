// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/solid_proxy.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "limber/base/rng.h"
#include "limber/body/distance_field.h"
#include "limber/testing/surfaces.h"

namespace limber::body {
namespace {

using testing::ball;
using testing::capsule;
using testing::TestSurface;

double volume(const SolidProxy& solid) {
  return static_cast<double>(solid.solid_cells) * solid.grid.cell * solid.grid.cell * solid.grid.cell;
}

SolidProxy fill(const TestSurface& surface, int resolution = 96) {
  SolidSettings settings;
  settings.resolution = resolution;
  return make_solid(weld(surface.points, surface.triangles), settings);
}

TEST(SolidProxy, HasTheVolumeOfABall) { EXPECT_NEAR(volume(fill(ball({3, -2, 1}, 1, 48))) / (4 * kPi / 3), 1, 0.02); }

TEST(SolidProxy, FillsDirtySurfacesLikeCleanOnes) {
  TestSurface clean = capsule({0, 0, 0}, {0, 3, 0}, 1, 0.5, 32);
  const double truth = volume(fill(clean));
  TestSurface dirty = clean;
  Rng rng(5);
  for (Triangle& t : dirty.triangles) {
    if (rng.chance(0.5)) std::swap(t[0], t[2]);
  }
  for (int k = 0; k < 40; ++k) dirty.triangles.push_back(dirty.triangles[rng.below(300)]);
  dirty.triangles.push_back({1, 1, 2});
  dirty.add(ball({0.1, 1.5, 0}, 0.3));  // a shell inside another
  EXPECT_NEAR(volume(fill(dirty)) / truth, 1, 1e-6);
}

TEST(SolidProxy, FillsOpenShells) {
  // A tube without its caps, and a ball with a sixth of its triangles missing.
  TestSurface tube = capsule({0, 0, 0}, {0, 3, 0}, 1, 1, 32);
  std::erase_if(tube.triangles, [&](const Triangle& t) {
    return std::ranges::any_of(t, [&](std::uint32_t c) { return tube.points[c].y < -0.1f || tube.points[c].y > 3.1f; });
  });
  EXPECT_NEAR(volume(fill(tube)) / (3 * kPi), 1, 0.05);
  TestSurface holed = ball({0, 0, 0}, 1, 48);
  std::erase_if(holed.triangles, [&](const Triangle& t) { return holed.points[t[0]].y > 0.7f; });
  EXPECT_GT(volume(fill(holed)) / (4 * kPi / 3), 0.85);
}

TEST(SolidProxy, IsNoSpongeWhereAThirdOfTheSurfaceIsMissing) {
  TestSurface holed = ball({0, 0, 0}, 1, 48);
  const double whole = volume(fill(holed));
  Rng rng(7);
  std::erase_if(holed.triangles, [&](const Triangle&) { return rng.chance(0.3); });
  const SolidProxy solid = fill(holed);
  EXPECT_NEAR(volume(solid) / whole, 1, 0.1);
  EXPECT_GT(DistanceField(solid).depth({0, 0, 0}), 0.8) << "no hole runs through its middle";
}

TEST(SolidProxy, GivesSheetsTheThicknessOfACell) {
  TestSurface sheet;
  sheet.points = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {0, 2, 0}};
  sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
  const SolidProxy solid = fill(sheet);
  EXPECT_GT(solid.sheet_cells, 0u);
  EXPECT_NEAR(volume(solid) / (2 * solid.grid.cell), 1, 0.1);
  // One triangle thinner than a cell, and one without any area.
  sheet.triangles = {{0, 1, 2}};
  sheet.points = {{0, 0, 0}, {1e-3f, 0, 0}, {0, 1, 0}, {0, 0, 0}};
  EXPECT_GT(fill(sheet).solid_cells, 80u);
  sheet.points = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  EXPECT_GT(fill(sheet).solid_cells, 0u);
}

TEST(SolidProxy, KeepsASheetJoinedToTheBodyItGrowsFrom) {
  TestSurface fin = ball({0, 0, 0}, 1, 32);
  const auto n = static_cast<std::uint32_t>(fin.points.size());
  fin.points.insert(fin.points.end(), {{0, 0.9f, -0.3f}, {0, 0.9f, 0.3f}, {0, 2, 0}});
  fin.triangles.push_back({n, n + 1, n + 2});
  const SolidProxy solid = fill(fin);
  const VoxelGrid& grid = solid.grid;
  // Upward from the middle of the ball there is no gap.
  const int i = static_cast<int>(std::lround(-grid.origin.x / grid.cell)),
            k = static_cast<int>(std::lround(-grid.origin.z / grid.cell));
  for (double y = 0; y < 1.9; y += 0.5 * grid.cell) {
    const int j = static_cast<int>(std::lround((y - grid.origin.y) / grid.cell));
    bool any = false;
    for (int d = -1; d <= 1; ++d) any = any || solid.solid[grid.index(i + d, j, k)] != 0;
    EXPECT_TRUE(any) << y;
  }
}

TEST(SolidProxy, StaysWithinItsCells) {
  SolidSettings settings;
  settings.resolution = 1024, settings.max_cells = 50000;
  const TestSurface sphere = ball({0, 0, 0}, 1e-3);
  const SolidProxy solid = make_solid(weld(sphere.points, sphere.triangles), settings);
  EXPECT_LE(solid.grid.count(), 50000u);
  EXPECT_NEAR(volume(solid) / (4e-9 * kPi / 3), 1, 0.1);
}

TEST(DistanceField, MatchesTheDepthOfABall) {
  const SolidProxy solid = fill(ball({1, 2, 3}, 1, 64), 128);
  const DistanceField field(solid);
  Rng rng(9);
  for (int n = 0; n < 500; ++n) {
    const Vec3d offset{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)};
    const double truth = 1 - norm(offset);
    const DistanceField::Sample sample = field.sample(Vec3d{1, 2, 3} + offset);
    EXPECT_NEAR(sample.depth, truth, 1.5 * solid.grid.cell) << truth;
    if (truth > 4 * solid.grid.cell && truth < 0.5) {
      EXPECT_LT(dot(normalized(offset), sample.gradient), -0.8);
    }
  }
  EXPECT_NEAR(field.depth({1, 2, 43}), -39, 0.5);
}

TEST(DistanceField, SeesWhatLiesInTheWay) {
  TestSurface two = ball({0, 0, 0}, 1);
  two.add(ball({3, 0, 0}, 1));
  const SolidProxy solid = fill(two, 128);
  const DistanceField field(solid);
  EXPECT_TRUE(field.clear({-0.9, 0, 0}, {0.9, 0, 0}, 0));
  EXPECT_FALSE(field.clear({0, 0, 0}, {3, 0, 0}, 0));
  EXPECT_TRUE(field.clear({0, 0, 0}, {3, 0, 0}, -0.6));
}

}  // namespace
}  // namespace limber::body
