// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/patch_match.h"

#include <gtest/gtest.h>

#include <cmath>

namespace limber::lift {
namespace {

/// A smooth texture, sampled after `place` has moved the coordinates.
template <class Place>
GrayImage painted(int width, int height, const Place& place) {
  GrayImage image;
  image.width = width, image.height = height;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const Vec2 p = place(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
      image.values.push_back(0.5f + 0.2f * std::sin(0.35f * p.x + 0.1f * p.y) * std::cos(0.28f * p.y) +
                             0.1f * std::sin(0.11f * p.x * 0.7f - 0.3f * p.y));
    }
  }
  return image;
}

TEST(PatchMatch, FindsAShiftToAHundredthOfAPixel) {
  const Pyramid from = make_pyramid(painted(96, 80, [](float x, float y) { return Vec2{x, y}; }), 3);
  const Pyramid to = make_pyramid(painted(96, 80, [](float x, float y) { return Vec2{x - 5.3f, y + 3.7f}; }), 3);
  const PatchMatch match = match_patch(from, {48, 40}, to, {48, 40}, {});
  ASSERT_TRUE(match.found);
  EXPECT_NEAR(match.pixel.x, 53.3f, 0.03f);
  EXPECT_NEAR(match.pixel.y, 36.3f, 0.03f);
  EXPECT_GT(match.ncc, 0.99f);
}

TEST(PatchMatch, DoesNotMindLight) {
  const Pyramid from = make_pyramid(painted(96, 80, [](float x, float y) { return Vec2{x, y}; }), 3);
  GrayImage bright = painted(96, 80, [](float x, float y) { return Vec2{x - 1.5f, y}; });
  for (float& v : bright.values) v = 0.6f * v + 0.3f;
  const PatchMatch match = match_patch(from, {48, 40}, make_pyramid(bright, 3), {48, 40}, {});
  ASSERT_TRUE(match.found);
  EXPECT_NEAR(match.pixel.x, 49.5f, 0.03f);
}

TEST(PatchMatch, FollowsATurnedPatchWhenToldHowItTurned) {
  const float c = std::cos(0.6f), s = std::sin(0.6f);
  const Pyramid from = make_pyramid(painted(96, 96, [](float x, float y) { return Vec2{x, y}; }), 3);
  // The second image shows the first turned about its middle: offset o there is offset R o here.
  const auto turn = [&](float x, float y) {
    return Vec2{48 + c * (x - 48) - s * (y - 48), 48 + s * (x - 48) + c * (y - 48)};
  };
  const Pyramid to = make_pyramid(painted(96, 96, turn), 3);
  PatchSettings settings;
  const PatchMatch plain = match_patch(from, {48, 48}, to, {49, 47}, settings);
  const PatchMatch warped = match_patch(from, {48, 48}, to, {49, 47}, settings, {c, -s, s, c});
  EXPECT_GT(warped.ncc, 0.99f);
  EXPECT_LT(plain.ncc, 0.95f);
  EXPECT_NEAR(warped.pixel.x, 48, 0.05f);
  EXPECT_NEAR(warped.pixel.y, 48, 0.05f);
}

TEST(PatchMatch, DoesNotClaimToFindNothing) {
  GrayImage flat;
  flat.width = flat.height = 64;
  flat.values.assign(64 * 64, 0.4f);
  const Pyramid pyramid = make_pyramid(flat, 3);
  EXPECT_FALSE(match_patch(pyramid, {32, 32}, pyramid, {32, 32}, {}).found);
  EXPECT_EQ(patch_texture(flat, {32, 32}, 7), 0);
  // An edge alone lets a patch slide along it.
  GrayImage edge = flat;
  for (std::size_t i = 0; i < edge.values.size(); ++i) edge.values[i] = i % 64 < 32 ? 0.2f : 0.8f;
  EXPECT_LT(patch_texture(edge, {32, 32}, 7), 1e-6f);
}

}  // namespace
}  // namespace limber::lift
