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

TEST(SquarePicture, PadsAndShrinksAndTakesTransparencyForBlack) {
  Bitmap wide(8, 4, 4);
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 8; ++x) {
      std::uint8_t* p = wide.at(x, y);
      p[0] = p[1] = p[2] = 200, p[3] = x < 4 ? 255 : 0;
    }
  }
  const Bitmap square = square_picture(wide, 4);
  ASSERT_EQ(square.width, 4);
  EXPECT_LT(*square.at(0, 0), 60);  // beside it
  EXPECT_GT(*square.at(0, 1), 150);
  EXPECT_LT(*square.at(3, 1), 10);  // transparent
  const Bitmap grey(3, 3, 1);
  EXPECT_EQ(square_picture(grey, 8).channels, 3);
}

TEST(PictureParts, AreRefusedWhereThereIsNoBodyOrNothingElse) {
  const std::vector<Bitmap> picture{Bitmap(20, 10, 3)};
  const auto dark = find_picture_parts(small_denoiser(-1), picture);
  ASSERT_FALSE(dark.ok());
  EXPECT_NE(dark.error().what.find("no body"), std::string::npos);
  EXPECT_FALSE(find_picture_parts(small_denoiser(1), picture).ok());
}

TEST(PictureParts, HaveLabelsInAllViewsAndFrames) {
  PicturePartsSettings settings;
  settings.most_body = 1, settings.least_whole = settings.least_outline = 0;
  for (const std::size_t moments : {1u, 5u}) {
    const std::vector<Bitmap> video(moments, Bitmap(20, 10, 3));
    const auto parts = find_picture_parts(small_denoiser(0.5f), video, settings);
    ASSERT_TRUE(parts.ok()) << parts.error().message();
    const PartsModel model = small_model();
    EXPECT_EQ(parts->groups, moments == 1 ? 1 : 3);  // of two frames
    EXPECT_EQ(parts->labels.size(), static_cast<std::size_t>(parts->groups * model.pictures() * model.pixels()));
    EXPECT_EQ(parts->given(static_cast<int>(moments) - 1).size(), static_cast<std::size_t>(model.pixels()));
    EXPECT_LT(*std::max_element(parts->labels.begin(), parts->labels.end()), static_cast<int>(parts->clusters.size()));
  }
}

}  // namespace
}  // namespace limber::parts
