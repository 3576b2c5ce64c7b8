// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/picture_raster.h"

#include <gtest/gtest.h>

#include <limits>

namespace limber::parts {
namespace {

using Corner = PictureRaster::Corner;
using Triangles = std::vector<std::array<std::uint32_t, 3>>;

int count_hits(const PictureRaster& raster, int triangle) {
  int count = 0;
  for (int y = 0; y < raster.size(); ++y) {
    for (int x = 0; x < raster.size(); ++x) count += raster.hit(x, y).triangle == triangle ? 1 : 0;
  }
  return count;
}

TEST(PictureRaster, CoversASquareOfTwoTrianglesWithoutHolesFromEitherSide) {
  const std::vector<Corner> corners{{2, 2, 1}, {12, 2, 1}, {12, 12, 1}, {2, 12, 1}};
  for (const Triangles& triangles : {Triangles{{0, 1, 2}, {0, 2, 3}}, Triangles{{2, 1, 0}, {3, 2, 0}}}) {
    PictureRaster raster(16);
    raster.draw(corners, triangles);
    EXPECT_EQ(count_hits(raster, 0) + count_hits(raster, 1), 100);
    EXPECT_EQ(raster.hit(1, 5).triangle, -1);
    EXPECT_NE(raster.hit(2, 5).triangle, -1);
  }
}

TEST(PictureRaster, ShowsWhatIsNearestWhateverIsDrawnFirst) {
  const std::vector<Corner> corners{{0, 0, 0.5f}, {30, 0, 0.5f}, {0, 30, 0.5f}, {0, 0, 1}, {30, 0, 1}, {0, 30, 1}};
  PictureRaster raster(8);
  const Triangles list1{{0, 1, 2}, {3, 4, 5}};
  raster.draw(corners, list1);
  EXPECT_EQ(count_hits(raster, 1), 64);
  const Triangles list2{{3, 4, 5}, {0, 1, 2}};
  raster.draw(corners, list2);
  EXPECT_EQ(count_hits(raster, 0), 64);
}

TEST(PictureRaster, TellsThePlaceOnTheTriangleInPerspective) {
  // An edge from depth 1 to depth 3: half way on the screen is a quarter of the way along it.
  const std::vector<Corner> corners{{0, 0, 1}, {16, 0, 1 / 3.0f}, {0, 16, 1}};
  PictureRaster raster(16);
  const Triangles list3{{0, 1, 2}};
  raster.draw(corners, list3);
  const PictureRaster::Hit hit = raster.hit(7, 0);
  ASSERT_EQ(hit.triangle, 0);
  const float along = 7.5f / 16, aside = 0.5f / 16;
  EXPECT_NEAR(hit.barycentric.y, along / 3 / (1 - along + along / 3), 1e-5);
  EXPECT_NEAR(hit.barycentric.z, aside / (1 - along + along / 3), 1e-5);
  EXPECT_NEAR(hit.barycentric.x + hit.barycentric.y + hit.barycentric.z, 1, 1e-6);
}

TEST(PictureRaster, LeavesOutWhatIsBehindTheCameraFlatOrNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), far = std::numeric_limits<float>::infinity();
  const std::vector<Corner> corners{{0, 0, 1}, {8, 0, 1}, {0, 8, 1}, {0, 8, -1}, {nan, 8, 1}, {far, 8, 1}, {16, 0, 1}};
  PictureRaster raster(8);
  const Triangles list4{{0, 1, 3}, {0, 1, 4}, {0, 1, 5}, {0, 1, 6}, {0, 0, 0}};
  raster.draw(corners, list4);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(count_hits(raster, i), 0) << i;
  // Far outside the picture is no harm.
  const std::vector<Corner> large{{-1e9f, -1e9f, 1}, {1e9f, -1e9f, 1}, {0, 1e9f, 1}};
  const Triangles list5{{0, 1, 2}};
  raster.draw(large, list5);
  EXPECT_EQ(count_hits(raster, 0), 64);
}

}  // namespace
}  // namespace limber::parts
