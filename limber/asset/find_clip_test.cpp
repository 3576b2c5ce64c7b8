// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/find_clip.h"

#include <gtest/gtest.h>

namespace limber::asset {
namespace {

TEST(FindClip, KnowsNamesNumbersAndTellsWhatThereIs) {
  Asset asset;
  asset.name = "fox.glb";
  for (const char* name : {"Walk", "run", "RUN", ""}) asset.clips.push_back({name, {}, {}});
  EXPECT_EQ(find_clip(asset, "Walk").value(), 0);
  EXPECT_EQ(find_clip(asset, "walk").value(), 0);
  EXPECT_EQ(find_clip(asset, "run").value(), 1);
  EXPECT_EQ(find_clip(asset, "#3").value(), 3);
  EXPECT_FALSE(find_clip(asset, "Run").ok());  // which of the two?
  EXPECT_NE(find_clip(asset, "fly").error().what.find("Walk, run, RUN, #3"), std::string::npos);
}

TEST(FindClip, ANewClipGetsANameOfItsOwn) {
  Asset asset;
  EXPECT_EQ(unused_clip_name(asset, "walk"), "walk");
  asset.clips.resize(2);
  asset.clips[0].name = "walk", asset.clips[1].name = "walk 2";
  EXPECT_EQ(unused_clip_name(asset, "walk"), "walk 3");
  EXPECT_EQ(unused_clip_name(asset, "run"), "run");
}

}  // namespace
}  // namespace limber::asset
