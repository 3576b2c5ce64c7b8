// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/surface_pictures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "limber/parts/parts_testing.h"

namespace limber::parts {
namespace {

PictureSettings small_pictures() {
  PictureSettings settings;
  settings.size = 32;
  return settings;
}

/// Pixels of a picture with this label.
int count_label(const SurfacePictures& pictures, int picture, int label) {
  const std::size_t each = pictures.pixels() / static_cast<std::size_t>(pictures.pictures());
  const auto first = pictures.labels.begin() + static_cast<std::ptrdiff_t>(each) * picture;
  return static_cast<int>(std::count(first, first + static_cast<std::ptrdiff_t>(each), label));
}

TEST(SurfacePictures, ShowBothPartsFromEverySideAndFillThePicture) {
  const Cross cross(1);
  const SurfacePictures pictures = draw_pictures(cross.body(), small_pictures());
  ASSERT_EQ(pictures.pictures(), 4);
  for (int view = 0; view < 4; ++view) {
    EXPECT_GT(count_label(pictures, view, 1), 60) << view;
    EXPECT_GT(count_label(pictures, view, 2), 3) << view;
  }
  // The bar reaches to the sides seen from the front, and to the viewer seen from the side.
  EXPECT_GT(count_label(pictures, 0, 2), count_label(pictures, 1, 2));
  EXPECT_EQ(count_label(pictures, 0, 1), count_label(pictures, 2, 1));  // a body that looks alike from behind
}

TEST(SurfacePictures, AgreeInAllLayersAboutWhereTheBodyIs) {
  const SurfacePictures pictures = draw_pictures(Cross(2).body(), small_pictures());
  for (std::size_t i = 0; i < pictures.pixels(); ++i) {
    const bool there = pictures.labels[i] > 0;
    ASSERT_EQ(there, pictures.triangles[i] >= 0);
    ASSERT_EQ(there, pictures.facings[i] > 0);
    const auto dark = [&](const std::vector<std::uint8_t>& layer) {
      return layer[3 * i] == 0 && layer[3 * i + 1] == 0 && layer[3 * i + 2] == 0;
    };
    ASSERT_EQ(there, !dark(pictures.colors));
    ASSERT_EQ(there, !dark(pictures.places));
    ASSERT_EQ(there, !dark(pictures.normals));
  }
}

/// Places are those of the first camera's frame, whichever camera looks.
TEST(SurfacePictures, TellPlacesInTheFrameOfTheFirstCamera) {
  for (const float azimuth : {0.0f, 1.1f}) {
    const Cross cross(3);
    PictureSettings settings = small_pictures();
    settings.azimuth = azimuth;
    const PicturedBody body = cross.body();
    const SurfacePictures pictures = draw_pictures(body, settings);
    for (std::size_t i = 0; i < pictures.pixels(); ++i) {
      if (pictures.triangles[i] < 0) continue;
      const Triangle& t = body.triangles[static_cast<std::size_t>(pictures.triangles[i])];
      Vec3 low{9, 9, 9}, high{-9, -9, -9};
      for (const std::uint32_t corner : t) {
        const Vec3 c = place_color(pictures.frame.code(cross.frames[0][corner]));
        low = min(low, c), high = max(high, c);
      }
      for (int k = 0; k < 3; ++k) {
        const float v = static_cast<float>(pictures.places[3 * i + static_cast<std::size_t>(k)]) / 255;
        // Four samples may be of two sides of a bar.
        EXPECT_GT(v, low[k] - 0.06f);
        EXPECT_LT(v, high[k] + 0.06f);
      }
    }
  }
  const Vec3 code = make_code_frame(std::vector<Vec3>{{-1, 0, -1}, {1, 2, 1}}, 0).code({0, 2, 1});
  EXPECT_EQ(code, (Vec3{0.5f, 1, 1}));
  // Looking from +X, what was at the right is far.
  const Vec3 turned = make_code_frame(std::vector<Vec3>{{-1, 0, -1}, {1, 2, 1}}, 1.5707963f).code({1, 0, 0});
  EXPECT_NEAR(turned.z, 1, 1e-6);
  EXPECT_NEAR(turned.x, 0.5, 1e-6);
}

TEST(SurfacePictures, FollowABodyThatTravelsAndRepeatOneThatKeepsStill) {
  Cross cross(4, 2);
  std::vector<Vec3> away = cross.frames[0];
  for (Vec3& p : away) p += Vec3{5, 0, -3};
  PicturedBody body = cross.body();
  body.frames = {cross.frames[0], away, cross.frames[0], cross.frames[0]};
  const SurfacePictures pictures = draw_pictures(body, small_pictures());
  const std::size_t each = 3 * pictures.pixels() / 16;
  for (int view = 0; view < 4; ++view) {
    const auto first = pictures.colors.begin() + static_cast<std::ptrdiff_t>(each) * 4 * view;
    int differ = 0;
    for (std::size_t i = 0; i < each; ++i) differ += std::abs(int(*(first + i)) - int(*(first + each + i))) > 8 ? 1 : 0;
    EXPECT_LT(differ, 40) << view;  // rounding
    EXPECT_TRUE(std::equal(first + 2 * each, first + 3 * each, first + 3 * each));
  }
}

TEST(SurfacePictures, OrbitABodyThatKeepsStill) {
  const Cross cross(4);
  PicturedBody body = cross.body();
  body.frames.assign(2, cross.frames[0]);
  PictureSettings settings = small_pictures();
  settings.orbit = {0.25f, 1.2f};
  const SurfacePictures pictures = draw_pictures(body, settings);
  EXPECT_EQ(pictures.elevations, settings.orbit);
  settings.orbit.clear();
  const SurfacePictures first = draw_pictures(body, settings);
  EXPECT_EQ(first.frame.low, pictures.frame.low);
  for (int view = 0; view < 4; ++view) EXPECT_EQ(count_label(first, 2 * view, 0), count_label(first, 2 * view + 1, 0));
  // From far above the upright bar is short, but its top is seen.
  EXPECT_LT(4 * count_label(pictures, 1, 1), 3 * count_label(pictures, 0, 1));
  // Eight cameras at equal angles are four and the four between them.
  settings.azimuth = static_cast<float>(kPi) / 4, settings.elevation = 1.2f;
  body.frames.resize(1);
  const SurfacePictures between = draw_pictures(body, settings);
  const auto share = [](const SurfacePictures& drawn, int picture) {  // cameras that orbit stand farther away
    const double across = count_label(drawn, picture, 2);
    return across / (across + count_label(drawn, picture, 1));
  };
  EXPECT_NEAR(share(between, 0), share(pictures, 1), 0.1);
  EXPECT_EQ(mesh_orbit(3, 0.5f).front(), 0.5f);
  EXPECT_EQ(mesh_orbit(3, 0.5f).size(), 3u);
}

TEST(SurfacePictures, TakeAnyMesh) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {nan, 0, 0}};
  const std::vector<Triangle> triangles{{0, 1, 2}, {0, 1, 3}, {1, 1, 1}};
  PicturedBody body{{points}, triangles, {}, {}};
  const SurfacePictures pictures = draw_pictures(body, small_pictures());
  EXPECT_GT(count_label(pictures, 0, 1), 20);
  EXPECT_GT(count_label(pictures, 2, 1), 20);  // both sides
  body.triangles = {};
  EXPECT_EQ(count_label(draw_pictures(body, small_pictures()), 0, 0), 32 * 32);
  const std::vector<Vec3> nothing{{nan, nan, nan}};
  EXPECT_EQ(make_code_frame(nothing, 0).size, (Vec3{1, 1, 1}));
}

TEST(PartCodes, AreTheMiddlesOfParts) {
  const Cross cross(5);
  const PicturedBody body = cross.body();
  const CodeFrame frame = make_code_frame(cross.frames[0], 0);
  const std::vector<Vec3> codes = part_codes(body, frame, 3);
  ASSERT_EQ(codes.size(), 3u);
  EXPECT_NEAR(norm(codes[0] - frame.code({0, 0.5f, 0})), 0, 1e-5);
  EXPECT_NEAR(codes[1].x, 0.5, 1e-5);
  EXPECT_EQ(codes[2], (Vec3{0.5f, 0.5f, 0.5f}));
  EXPECT_EQ(part_color({-1, 0.5f, 2}), (Vec3{0.25f, 0.625f, 1}));
  const Vec3 code{0.2f, 0.7f, 0.9f}, world = make_code_frame(cross.frames[0], 0.7f).world(code);
  EXPECT_NEAR(norm(make_code_frame(cross.frames[0], 0.7f).code(world) - code), 0, 1e-5);
  EXPECT_NEAR(norm(code_of_part_color(part_color(code)) - code), 0, 1e-6);
}

}  // namespace
}  // namespace limber::parts
