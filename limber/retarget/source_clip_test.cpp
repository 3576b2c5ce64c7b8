// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/source_clip.h"

#include <gtest/gtest.h>

#include "limber/testing/toy_assets.h"

namespace limber::retarget {
namespace {

TEST(SourceClip, IsTheMotionOfABodyOnItsFeet) {
  const asset::Asset tube = testing::tube_asset(3);
  const SourceClip clip = read_source_clip(tube, 0, {24.0, Vec3{0, 1, 0}, Vec3{1, 0, 0}}).value();
  EXPECT_EQ(clip.motion.fps, 24);
  EXPECT_EQ(clip.motion.joint_count, clip.body.upright.subject.rig.joint_count());
  EXPECT_EQ(clip.body.facing.forward, (Vec3{1, 0, 0}));
  EXPECT_FALSE(clip.name.empty());
}

TEST(SourceClip, OneWithoutANameHasANumber) {
  asset::Asset tube = testing::tube_asset(3);
  tube.clips[0].name.clear();
  EXPECT_EQ(read_source_clip(tube, 0)->name, "#0");
}

TEST(SourceClip, WhatIsNotThereIsAnError) {
  EXPECT_EQ(read_source_clip(testing::tube_asset(3), 7).error().kind, ErrorKind::kMissing);
  EXPECT_FALSE(read_source_clip(asset::Asset{}, 0).ok());
}

}  // namespace
}  // namespace limber::retarget
