// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/recording.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/testing/toy_assets.h"

namespace limber::retarget {
namespace {

/// A chain whose keys turn a little from frame to frame, after a first one that is `first` radians away.
asset::Asset recorded(double first) {
  asset::Asset asset = testing::tube_asset(3);
  asset.clips.clear();
  asset.clips.push_back({"take", {}, {}});
  for (const int node : asset.skins[0].joints) {
    asset::Channel channel;
    channel.node = node;
    for (int k = 0; k < 10; ++k) {
      const double angle = k == 0 ? first : 0.02 * k;
      channel.times.push_back(static_cast<float>(k) / 30);
      for (const double value : {std::sin(angle / 2), 0.0, 0.0, std::cos(angle / 2)}) {
        channel.values.push_back(static_cast<float>(value));
      }
    }
    asset.clips[0].channels.push_back(channel);
  }
  return asset;
}

TEST(Recording, APoseBeforeTheMotionBecomesTheRest) {
  asset::Asset asset = recorded(1.2);
  ASSERT_TRUE(take_first_pose(asset, 0));
  const asset::Channel& channel = asset.clips[0].channels[0];
  EXPECT_EQ(channel.times.size(), 9u);
  EXPECT_EQ(channel.times[0], 0);
  EXPECT_NEAR(asset.nodes[static_cast<std::size_t>(channel.node)].local.rotation.x, std::sin(0.6), 1e-5);
}

TEST(Recording, AMotionThatBeginsAtOnceKeepsItsFirstFrame) {
  asset::Asset asset = recorded(0);
  const asset::Asset before = asset;
  EXPECT_FALSE(take_first_pose(asset, 0));
  EXPECT_EQ(asset.clips, before.clips);
  EXPECT_EQ(asset.nodes, before.nodes);
}

}  // namespace
}  // namespace limber::retarget
