// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/picture_parts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "limber/parts/parts_testing.h"
#include "limber/testing/shared_data.h"

namespace limber::parts {
namespace {

PartsDenoiser small_denoiser(float brightness) {
  PartsFiles files;
  // What the last layer adds to everything decides whether there is a body.
  for (float& v : files.arrays["out.parts.weight"].values) v *= 0.1f;
  for (float& v : files.arrays["out.parts.bias"].values) v = brightness;
  const testing::TemporaryFolder folder;
  EXPECT_TRUE(files.write(folder.path()).ok());
  return PartsDenoiser::open(folder.path()).value();
}

/// No background is known of it, and of what stands out nobody would say that it is one thing.
Bitmap striped() {
  Bitmap picture(20, 10, 3);
  for (int y = 0; y < 10; ++y) {
    for (int x = 0; x < 20; ++x) picture.at(x, y)[1] = static_cast<std::uint8_t>(x % 4 < 2 ? 220 : 20);
  }
  for (const int left : {4, 13}) {
    for (int i = 0; i < 9; ++i) picture.at(left + i % 3, 4 + i / 3)[0] = 255;
  }
  return picture;
}

/// Things before a black background.
Bitmap boxes(std::initializer_list<int> lefts, int size) {
  Bitmap picture(200, 100, 3);
  for (const int left : lefts) {
    for (int i = 0; i < size * size; ++i) std::fill_n(picture.at(left + i % size, 40 + i / size), 3, 180);
  }
  return picture;
}

TEST(PictureParts, OfASmallSubjectAreLookedAtMoreClosely) {
  PicturePartsSettings settings;
  settings.most_body = settings.most_edge = settings.most_second = 1;
  settings.least_whole = settings.least_outline = 0;
  std::vector<float> brightness;  // of what the network is shown
  settings.draw = [&](const PartsDenoiser& denoiser, const KnownPictures& known, const PartsSampleSettings& how) {
    const std::size_t each = known.colors.size() / known.has_colors.size();
    float sum = 0;
    for (std::size_t i = 0; i < each; ++i) sum += 0.5f * (known.colors[i] + 1);
    brightness.push_back(sum / static_cast<float>(each));
    return sample_parts(denoiser, known, how);
  };
  const auto parts = find_picture_parts(small_denoiser(0.5f), std::vector<Bitmap>{boxes({150}, 30)}, settings);
  ASSERT_TRUE(parts.ok()) << parts.error().message();
  EXPECT_EQ(parts->window, (PictureWindow{145, 35, 40}));
  EXPECT_NEAR(brightness.at(0), 180 / 255.0 * 0.75 * 0.75, 0.03);
  settings.closer = false;
  const auto whole = find_picture_parts(small_denoiser(0.5f), std::vector<Bitmap>{boxes({150}, 30)}, settings);
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(whole->window, whole_window(200, 100));
}

TEST(PictureParts, OfTwoThingsAreRefusedBeforeAnybodyDraws) {
  PicturePartsSettings settings;
  settings.draw = [](const auto&, const auto&, const auto&) -> Result<DrawnPictures> { return Error{"drawn", ""}; };
  const auto one = find_picture_parts(small_denoiser(0.5f), std::vector<Bitmap>{boxes({50}, 40)}, settings);
  ASSERT_FALSE(one.ok());
  EXPECT_EQ(one.error().what, "drawn");
  const auto two = find_picture_parts(small_denoiser(0.5f), std::vector<Bitmap>{boxes({20, 130}, 40)}, settings);
  ASSERT_FALSE(two.ok());
  EXPECT_NE(two.error().what.find("several"), std::string::npos);
}

TEST(PictureParts, AreRefusedWhereThereIsNoBodyOrNothingElse) {
  const auto dark = find_picture_parts(small_denoiser(-1), std::vector<Bitmap>{striped()});
  ASSERT_FALSE(dark.ok());
  EXPECT_NE(dark.error().what.find("no body"), std::string::npos);
  EXPECT_FALSE(find_picture_parts(small_denoiser(1), std::vector<Bitmap>{striped()}).ok());
  Bitmap stripes = striped();
  for (std::size_t i = 0; i < stripes.pixels.size(); i += 3) stripes.pixels[i] = 0;  // without what stands out
  const auto place = find_picture_parts(small_denoiser(0.5f), std::vector<Bitmap>{stripes});
  ASSERT_FALSE(place.ok());
  EXPECT_NE(place.error().what.find("edge"), std::string::npos);
  const auto empty = find_picture_parts(small_denoiser(0.5f), std::vector<Bitmap>{Bitmap(20, 10, 3)});
  ASSERT_FALSE(empty.ok());
  EXPECT_NE(empty.error().what.find("background"), std::string::npos);
}

TEST(PictureParts, HaveLabelsInAllViewsAndFrames) {
  PicturePartsSettings settings;
  settings.most_body = settings.most_edge = settings.most_second = 1;
  settings.least_whole = settings.least_outline = 0;
  for (const std::size_t moments : {1u, 5u}) {
    const std::vector<Bitmap> video(moments, striped());
    const auto parts = find_picture_parts(small_denoiser(0.5f), video, settings);
    ASSERT_TRUE(parts.ok()) << parts.error().message();
    const PartsModel model = small_model();
    EXPECT_EQ(parts->groups, moments == 1 ? 1 : 3);  // of two frames
    EXPECT_EQ(parts->labels.size(), static_cast<std::size_t>(parts->groups * model.pictures() * model.pixels()));
    EXPECT_EQ(parts->given(static_cast<int>(moments) - 1).size(), static_cast<std::size_t>(model.pixels()));
    EXPECT_LT(*std::max_element(parts->labels.begin(), parts->labels.end()), static_cast<int>(parts->clusters.size()));
  }
}

/// Two views of two moments, 8 x 8 pixels: the left half of a body has one colour, the right half hardly another.
PictureParts halves() {
  PictureParts parts;
  parts.views = parts.frames = parts.moments = 2, parts.size = 8, parts.groups = 1;
  DrawnPictures drawn;
  for (int i = 0; i < 4 * 64; ++i) {
    const int x = i % 8, y = i / 8 % 8;
    const bool body = x > 0 && x < 7 && y > 0 && y < 7;
    const float red = body ? (x < 4 ? 0.50f : 0.54f) + 0.002f * static_cast<float>((x + y) % 2) : 0;
    for (const float channel : {red, body ? 0.5f : 0, body ? 0.7f : 0}) drawn.parts.push_back(2 * channel - 1);
  }
  parts.drawn.push_back(std::move(drawn));
  return parts;
}

TEST(PictureParts, ThatTouchAreToldApartByColoursThatHardlyDiffer) {
  PictureParts parts = halves();
  label_pictures(parts, picture_regions());
  ASSERT_EQ(parts.clusters.size(), 2u);
  for (std::size_t i = 0; i < parts.labels.size(); ++i) {
    const std::size_t x = i % 8, y = i / 8 % 8;
    const bool body = x > 0 && x < 7 && y > 0 && y < 7;
    // The same in all moments and views.
    EXPECT_EQ(parts.labels[i], body ? parts.labels[8 + (x < 4 ? 1 : 6)] : -1) << i;
  }
  EXPECT_NE(parts.labels[8 + 1], parts.labels[8 + 6]);
  RegionSettings coarse = picture_regions();
  coarse.least_spread = 1e-2;
  label_pictures(parts, coarse);
  EXPECT_EQ(parts.clusters.size(), 1u);
}

TEST(PictureParts, OfWhatWasNotPaintedAreNone) {
  PictureParts parts = halves();
  for (std::size_t i = 0; i < 2 * 64 * 3; ++i) parts.drawn[0].parts[i] = -1;  // nothing in the given view
  label_pictures(parts, picture_regions());
  EXPECT_TRUE(parts.clusters.empty());
  EXPECT_EQ(std::count(parts.labels.begin(), parts.labels.end(), -1), 4 * 64);
}

}  // namespace
}  // namespace limber::parts
