// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/textures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "limber/asset/picture.h"

namespace limber::scene {
namespace {

Bitmap checkers(int side, int cell) {
  Bitmap picture(side, side, 4);
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const auto value = static_cast<std::uint8_t>((x / cell + y / cell) % 2 ? 255 : 0);
      std::uint8_t* texel = picture.at(x, y);
      texel[0] = texel[1] = texel[2] = value, texel[3] = 255;
    }
  }
  return picture;
}

MipTexture texture_of(Bitmap picture, asset::Wrap wrap = asset::Wrap::kRepeat, bool nearest = false) {
  return {std::make_shared<MipPicture>(std::move(picture), false), wrap, wrap, nearest};
}

TEST(MipPicture, HalvesDownToOneTexel) {
  const MipPicture picture(Bitmap(20, 5, 4), false);
  ASSERT_EQ(picture.level_count(), 5);
  EXPECT_EQ(picture.level(1).width, 10);
  EXPECT_EQ(picture.level(1).height, 2);
  EXPECT_EQ(picture.level(4).width, 1);
  EXPECT_EQ(picture.level(4).height, 1);
}

TEST(MipPicture, AveragesInLinearLight) {
  const MipPicture picture(checkers(16, 1), false);
  // Half of the light is 188 on a display, not 128.
  for (int level = 1; level < picture.level_count(); ++level) EXPECT_NEAR(picture.level(level).at(0, 0)[0], 188, 1);
}

TEST(MipPicture, TakesNoColourFromTransparentTexels) {
  Bitmap picture(2, 1, 4);
  picture.pixels = {200, 100, 50, 255, 0, 255, 0, 0};
  const MipPicture weighed(picture, true), plain(picture, false);
  EXPECT_FALSE(weighed.opaque());
  EXPECT_NEAR(weighed.level(1).at(0, 0)[0], 200, 1);
  EXPECT_NEAR(weighed.level(1).at(0, 0)[1], 100, 1);
  EXPECT_EQ(weighed.level(1).at(0, 0)[3], 128);
  EXPECT_GT(plain.level(1).at(0, 0)[1], 180);
}

TEST(MipTexture, HitsTexelCentresExactlyAndBlendsBetweenThem) {
  Bitmap picture(4, 1, 4);
  for (int x = 0; x < 4; ++x) {
    for (int k = 0; k < 4; ++k) picture.at(x, 0)[k] = static_cast<std::uint8_t>(60 * x + 20);
  }
  const MipTexture texture = texture_of(picture);
  for (int x = 0; x < 4; ++x) {
    const Vec4 value = texture.sample({(static_cast<float>(x) + 0.5f) / 4, 0.5f}, 0);
    EXPECT_NEAR(splat::srgb_from_linear(value.x) * 255, 60 * x + 20, 0.6);
    EXPECT_NEAR(value.w * 255, 60 * x + 20, 0.01);
  }
  EXPECT_NEAR(texture.sample({0.25f, 0.5f}, 0).w * 255, 50, 0.01);
  EXPECT_NEAR(texture.sample({0.0f, 0.5f}, 0).w * 255, 110, 0.01) << "across the seam: 20 and 200";
}

TEST(MipTexture, WrapsAsAsked) {
  Bitmap picture(2, 2, 4);
  picture.pixels = {0, 0, 0, 0, 0, 0, 0, 80, 0, 0, 0, 160, 0, 0, 0, 240};
  const auto alpha = [&](asset::Wrap wrap, float u, float v) {
    return texture_of(picture, wrap, true).sample({u, v}, 0).w * 255;
  };
  EXPECT_NEAR(alpha(asset::Wrap::kRepeat, 1.25f, -0.75f), 0, 0.01);
  EXPECT_NEAR(alpha(asset::Wrap::kClampToEdge, 1.25f, -0.75f), 80, 0.01);
  EXPECT_NEAR(alpha(asset::Wrap::kMirroredRepeat, 1.25f, -0.75f), 240, 0.01);
  EXPECT_NEAR(alpha(asset::Wrap::kMirroredRepeat, 2.25f, 0.25f), 0, 0.01);
}

TEST(MipTexture, IsCalmFromFarAway) {
  const MipTexture texture = texture_of(checkers(64, 1));
  for (int i = 0; i < 50; ++i) {
    const auto u = static_cast<float>(i) * 0.0371f;
    const Vec4 value = texture.sample({u, u}, Vec2{0.2f, 0}, Vec2{0, 0.2f});
    EXPECT_NEAR(value.x, 0.5f, 0.01f);
  }
}

TEST(MipTexture, SurvivesAnyPlaceAndFootprint) {
  const MipTexture texture = texture_of(checkers(8, 2));
  const float values[] = {std::nanf(""), std::numeric_limits<float>::infinity(), -1e30f, 1e8f, -0.0f};
  for (const float u : values) {
    for (const float step : values) {
      const Vec4 value = texture.sample({u, -u}, Vec2{step, u}, Vec2{0, step});
      EXPECT_TRUE(value.x >= 0 && value.x <= 1);
    }
  }
}

TEST(Textures, OfAnAssetTellWhatIsMissingAndStayWhite) {
  asset::Asset asset;
  asset.name = "toy.glb";
  asset.images.resize(3);
  asset.images[0].bytes = asset::encode_png(checkers(4, 1)).value();
  asset.images[1].bytes = Bytes(10, std::byte{7});
  asset.images[2].uri = "gone.png";
  for (int i = 0; i < 3; ++i) {
    asset::Texture texture;
    texture.image = i;
    asset.textures.push_back(texture);
    asset::Material material;
    material.base_color_texture.texture = i;
    asset.materials.push_back(material);
  }
  const TextureSet set = load_textures(asset);
  EXPECT_NE(set.find(0), nullptr);
  EXPECT_EQ(set.find(1), nullptr);
  EXPECT_EQ(set.find(2), nullptr);
  EXPECT_EQ(set.find(-1), nullptr);
  EXPECT_EQ(set.find(9), nullptr);
  ASSERT_EQ(set.warnings.size(), 2u);
  EXPECT_NE(set.warnings[0].find("toy.glb#/images/1"), std::string::npos) << set.warnings[0];
  EXPECT_NE(set.warnings[1].find("gone.png"), std::string::npos) << set.warnings[1];
  const splat::TextureLookup lookup = texture_lookup(set);
  EXPECT_EQ(lookup(1, {0, 0}), (Vec4{1, 1, 1, 1}));
  EXPECT_NEAR(lookup(0, {0.125f, 0.125f}).x, 0, 1e-6);
}

TEST(Textures, StayWithinTheirBudgetAndShareWhatIsTheSame) {
  asset::Asset asset;
  asset.name = "toy.glb";
  asset.images.resize(4);
  for (const std::size_t i : {0u, 1u, 3u}) asset.images[i].bytes = asset::encode_png(checkers(16, 1)).value();
  asset.images[2].bytes = asset::encode_png(checkers(64, 1)).value();
  for (int i = 0; i < 4; ++i) {
    asset::Texture texture;
    texture.image = i;
    asset.textures.push_back(texture);
    asset::Material material;
    material.base_color_texture.texture = i;
    asset.materials.push_back(material);
  }
  const TextureSet all = load_textures(asset);
  EXPECT_TRUE(all.warnings.empty());
  ASSERT_TRUE(all.find(0) && all.find(1) && all.find(2) && all.find(3));
  EXPECT_EQ(&all.find(0)->picture(), &all.find(1)->picture());
  EXPECT_NE(&all.find(0)->picture(), &all.find(2)->picture());

  const TextureSet some = load_textures(asset, 16 * 16 * 6);
  ASSERT_EQ(some.warnings.size(), 1u);
  EXPECT_EQ(some.warnings[0], "toy.glb#/images/2: the pictures together are larger than limber reads; drawn white");
  EXPECT_TRUE(some.find(0) && some.find(1) && !some.find(2) && some.find(3));
}

}  // namespace
}  // namespace limber::scene
