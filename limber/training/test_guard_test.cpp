// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/test_guard.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "limber/base/files.h"
#include "limber/testing/toy_assets.h"

namespace limber::training {
namespace {

asset::Asset tested() {
  asset::Asset asset = testing::tube_asset(6);
  testing::add_random_channel(asset, 1, asset::Path::kTranslation, 0.5f, 3);
  return asset;
}

asset::Clip retimed(asset::Clip clip) {
  for (asset::Channel& channel : clip.channels) {
    // Slower, and slower still towards the end.
    for (float& time : channel.times) time = 2.5f * time + 0.7f * time * time;
  }
  return clip;
}

asset::Clip mirrored(asset::Clip clip) {
  for (asset::Channel& channel : clip.channels) {
    for (std::size_t i = 0; i < channel.values.size(); ++i) {
      const bool turns = channel.path == asset::Path::kRotation;
      const std::size_t k = turns ? i % 4 : i % 3;
      if (turns ? k == 1 || k == 2 : k == 0) channel.values[i] = -channel.values[i];
    }
  }
  return clip;
}

/// A clip whose first channels are those of `clip`, and others its own.
asset::Clip partly(const asset::Clip& clip, std::size_t same) {
  asset::Asset other = testing::tube_asset(6);
  for (asset::Channel& channel : other.clips[0].channels) {
    for (std::size_t i = 0; i < channel.values.size(); i += 4) {
      // Further, about another axis.
      const Quat q{channel.values[i + 2], 0.5f * channel.values[i], channel.values[i + 1],
                   1.2f * channel.values[i + 3]};
      const Quat unit = normalized(q);
      for (int k = 0; k < 4; ++k) channel.values[i + static_cast<std::size_t>(k)] = unit[k];
    }
  }
  for (std::size_t c = 0; c < same; ++c) other.clips[0].channels[c] = clip.channels[c];
  return other.clips[0];
}

TEST(TestGuard, KnowsAClipThatIsMirroredOrRetimed) {
  TestGuard guard;
  const asset::Asset asset = tested();
  guard.add_character("test.glb", as_bytes("bytes"), asset);
  for (const asset::Clip& clip :
       {asset.clips[0], retimed(asset.clips[0]), mirrored(asset.clips[0]), mirrored(retimed(asset.clips[0]))}) {
    const auto repeat = guard.repeated(asset, clip);
    ASSERT_TRUE(repeat.has_value());
    EXPECT_EQ(repeat->of, "test.glb: swing");
    EXPECT_GT(repeat->share, 0.99);
  }
}

TEST(TestGuard, LeavesOutAThirdAndKeepsLess) {
  TestGuard guard;
  const asset::Asset asset = tested();
  guard.add_character("test.glb", as_bytes("bytes"), asset);
  EXPECT_FALSE(guard.repeated(asset, partly(asset.clips[0], 0)).has_value());
  EXPECT_FALSE(guard.repeated(asset, partly(asset.clips[0], 1)).has_value());
  const auto repeat = guard.repeated(asset, partly(asset.clips[0], 3));
  ASSERT_TRUE(repeat.has_value());
  EXPECT_NEAR(repeat->share, 0.5, 0.1);
}

TEST(TestGuard, CurvesThatDoNotMoveDoNotCount) {
  TestGuard guard;
  asset::Asset asset = tested();
  guard.add_character("test.glb", as_bytes("bytes"), asset);
  asset::Clip still = asset.clips[0];
  for (asset::Channel& channel : still.channels) {
    const std::size_t width = channel.path == asset::Path::kRotation ? 4 : 3;
    for (std::size_t i = width; i < channel.values.size(); ++i) channel.values[i] = channel.values[i - width];
  }
  EXPECT_FALSE(guard.repeated(asset, still).has_value());
}

TEST(TestGuard, KnowsFilesByTheirBytesAndBySurfacesInAnyOrder) {
  TestGuard guard;
  asset::Asset asset = tested();
  guard.add_character("test.glb", as_bytes("bytes"), asset);
  EXPECT_NE(guard.why_refused("innocent.glb", as_bytes("bytes"), testing::tube_asset(3)), "");
  std::vector<Vec3>& points = asset.meshes[0].primitives[0].positions;
  std::reverse(points.begin(), points.end());
  points.push_back(points.front());
  EXPECT_NE(guard.why_refused("innocent.glb", as_bytes("other"), asset).find("test.glb"), std::string::npos);
  points.front().x += 0.01f;
  EXPECT_EQ(guard.why_refused("innocent.glb", as_bytes("other"), asset), "");
}

/// A bare skeleton of 10 bones.
asset::Asset skeleton(float first, float unit = 1) {
  asset::Asset asset;
  int parent = -1;
  for (int i = 0; i < 11; ++i) {
    Transform local;
    local.translation = {unit * (i == 1 ? first : 0.3f + 0.1f * static_cast<float>(i)), 0, 0};
    parent = testing::add_node(asset, parent, std::string("bone").append(std::to_string(i)), local);
  }
  return asset;
}

TEST(TestGuard, KnowsSubjectsByNameAndByTheirBones) {
  TestGuard guard;
  guard.add_recording("walk/cmu_16_01.bvh", 16, as_bytes("bytes"), skeleton(1));
  EXPECT_NE(guard.why_refused("run/cmu_16_35.bvh", as_bytes("x"), skeleton(2)).find("subject 16"), std::string::npos);
  EXPECT_NE(guard.why_refused("anything.bvh", as_bytes("x"), skeleton(1, 2.54f)).find("subject 16"), std::string::npos);
  asset::Asset turned = skeleton(1);
  for (asset::Node& node : turned.nodes) {
    node.local.translation = {0, -node.local.translation.x, 0}, node.name += "_mixed";
  }
  EXPECT_NE(guard.why_refused("anything.bvh", as_bytes("x"), turned), "");
  EXPECT_EQ(guard.why_refused("cmu_17_01.bvh", as_bytes("x"), skeleton(1.1f)), "");
}

}  // namespace
}  // namespace limber::training
