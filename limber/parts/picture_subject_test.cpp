// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/picture_subject.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace limber::parts {
namespace {

/// A picture of one colour.
Bitmap plain(int width, int height, std::uint8_t grey, int channels = 3) {
  Bitmap picture(width, height, channels);
  std::fill(picture.pixels.begin(), picture.pixels.end(), grey);
  return picture;
}

void put_box(Bitmap& picture, int left, int top, int width, int height, std::uint8_t grey) {
  for (int y = top; y < top + height; ++y) {
    for (int x = left; x < left + width; ++x) std::fill_n(picture.at(x, y), picture.channels, grey);
  }
}

TEST(KnownSubject, IsWhatLiesBeforeOneColour) {
  Bitmap picture = plain(40, 30, 230);
  put_box(picture, 10, 5, 12, 8, 60);
  put_box(picture, 14, 7, 2, 2, 230);  // a hole of the background's colour belongs to it
  const std::optional<Mask> mask = known_subject(picture);
  ASSERT_TRUE(mask);
  EXPECT_EQ(std::count(mask->body.begin(), mask->body.end(), true), 12 * 8);
  EXPECT_TRUE(mask->at(10, 5) && mask->at(14, 7));
  EXPECT_FALSE(mask->at(9, 5));
}

TEST(KnownSubject, IsWhatIsNotTransparent) {
  Bitmap picture = plain(20, 20, 255, 4);
  for (int i = 0; i < 20; ++i) picture.at(i, 3)[3] = 0;
  const std::optional<Mask> mask = known_subject(picture);
  ASSERT_TRUE(mask);
  EXPECT_FALSE(mask->at(7, 3));
  EXPECT_TRUE(mask->at(7, 4));
}

TEST(KnownSubject, IsNotToldBeforeABackgroundOfManyColours) {
  Bitmap picture(40, 40, 3);
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 40; ++x) std::fill_n(picture.at(x, y), 3, static_cast<std::uint8_t>(5 * y));
  }
  EXPECT_FALSE(known_subject(picture));
  EXPECT_FALSE(known_subject(Bitmap()));
}

/// Squares of two colours, shaded from top to bottom.
Bitmap checkerboard(int size) {
  Bitmap picture(size, size, 3);
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x)
      std::fill_n(picture.at(x, y), 3, static_cast<std::uint8_t>((x / 8 + y / 8) % 2 == 0 ? 120 + y / 4 : 180 + y / 4));
  }
  return picture;
}

TEST(LikelySubject, IsWhatHasColoursThatTheEdgeHasNot) {
  Bitmap picture = checkerboard(300);
  EXPECT_LT(likely_subject(std::span(&picture, 1)).area, 0.003);
  for (int y = 100; y < 220; ++y) {
    for (int x = 80; x < 160; ++x) picture.at(x, y)[0] = 20, picture.at(x, y)[1] = 160, picture.at(x, y)[2] = 140;
  }
  ASSERT_FALSE(known_subject(picture));
  const LikelySubject found = likely_subject(std::span(&picture, 1));
  EXPECT_GT(found.trust, 0.9);
  ASSERT_EQ(found.masks.size(), 1u);
  EXPECT_EQ(found.masks[0].width, 300);
  const auto body = static_cast<double>(std::count(found.masks[0].body.begin(), found.masks[0].body.end(), true));
  EXPECT_NEAR(body, 80 * 120, 0.04 * 80 * 120);
  EXPECT_TRUE(found.masks[0].at(120, 160));
  EXPECT_FALSE(found.masks[0].at(60, 160));
}

TEST(LikelySubject, IsCompletedRowByRowWhereItSharesColoursWithTheSky) {
  // White above, grey below, where a white box stands of which only two corners have a colour of their own.
  Bitmap picture = plain(180, 180, 250);
  put_box(picture, 0, 60, 180, 120, 120);
  put_box(picture, 60, 80, 60, 60, 250);
  put_box(picture, 80, 100, 6, 6, 120);  // a hole of the ground's colour belongs to it
  for (const int corner : {0, 44}) {
    for (int i = 0; i < 16 * 16; ++i) picture.at(60 + corner + i % 16, 80 + corner + i / 16)[1] = 0;
  }
  const LikelySubject found = likely_subject(std::span(&picture, 1));
  EXPECT_GT(found.trust, 0.7);
  ASSERT_EQ(found.masks.size(), 1u);
  const auto body = static_cast<double>(std::count(found.masks[0].body.begin(), found.masks[0].body.end(), true));
  EXPECT_NEAR(body, 60 * 60, 0.05 * 60 * 60);
  EXPECT_TRUE(found.masks[0].at(110, 90) && found.masks[0].at(83, 103));
  EXPECT_FALSE(found.masks[0].at(20, 20));
}

TEST(LikelySubject, IsNoneInTheSmallestPictures) {
  const Bitmap dot(1, 1, 3), none;
  EXPECT_EQ(likely_subject(std::span(&dot, 1)).trust, 0);
  EXPECT_EQ(likely_subject(std::span(&none, 1)).trust, 0);
}

TEST(Extent, TellsOneThingFromTwo) {
  Bitmap picture = plain(96, 48, 0);
  put_box(picture, 10, 10, 20, 20, 200);
  EXPECT_DOUBLE_EQ(extent_of(*known_subject(picture)).largest, 1);
  put_box(picture, 32, 10, 20, 20, 200);
  EXPECT_DOUBLE_EQ(extent_of(*known_subject(picture)).largest, 0.5);
  EXPECT_DOUBLE_EQ(extent_of(*known_subject(picture)).second, 0.5);
  EXPECT_EQ(extent_of(*known_subject(picture)).edge, 0);
  EXPECT_DOUBLE_EQ(extent_of(Mask{4, 4, std::vector<bool>(16, true)}).edge, 1);
  EXPECT_GT(extent_of(*known_subject(picture), 4).largest, 0.9);  // a gap of two pixels
  EXPECT_EQ(extent_of(Mask{4, 4, std::vector<bool>(16, false)}).largest, 0);
}

TEST(CloserWindow, HoldsASmallSubjectWhole) {
  Bitmap picture = plain(200, 100, 0);
  put_box(picture, 150, 60, 30, 12, 200);
  const PictureWindow whole = whole_window(200, 100);
  EXPECT_EQ(whole, (PictureWindow{0, -50, 200}));
  const Mask mask = *known_subject(picture);
  const PictureWindow closer = closer_window(std::span(&mask, 1), whole);
  EXPECT_EQ(closer.side, 40);
  EXPECT_LE(closer.left, 150);
  EXPECT_GE(closer.left + closer.side, 180);
  EXPECT_LE(closer.top, 60);
  EXPECT_GE(closer.top + closer.side, 72);
  // Nothing to be seen, or much: as it is.
  const Mask none{200, 100, std::vector<bool>(20000, false)}, all{200, 100, std::vector<bool>(20000, true)};
  EXPECT_EQ(closer_window(std::span(&none, 1), whole), whole);
  EXPECT_EQ(closer_window(std::span(&all, 1), whole), whole);
}

TEST(CutSquare, PadsAndShrinksAndTakesTransparencyAndTheBackgroundForBlack) {
  Bitmap wide(8, 4, 4);
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 8; ++x) {
      std::uint8_t* p = wide.at(x, y);
      p[0] = p[1] = p[2] = 200, p[3] = x < 4 ? 255 : 0;
    }
  }
  const Bitmap square = cut_square(wide, whole_window(8, 4), nullptr, 4);
  ASSERT_EQ(square.width, 4);
  EXPECT_LT(*square.at(0, 0), 60);  // beside it
  EXPECT_GT(*square.at(0, 1), 150);
  EXPECT_LT(*square.at(3, 1), 10);  // transparent
  const Bitmap grey = plain(3, 3, 90, 1);
  EXPECT_EQ(*cut_square(grey, whole_window(3, 3), nullptr, 3).at(1, 1), 90);
  const Mask none{3, 3, std::vector<bool>(9, false)};
  EXPECT_EQ(*cut_square(grey, whole_window(3, 3), &none, 3).at(1, 1), 0);
  EXPECT_EQ(cut_square(grey, {1, 1, 5}, nullptr, 8).channels, 3);  // reaches beyond
}

}  // namespace
}  // namespace limber::parts
