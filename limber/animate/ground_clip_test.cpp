// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/ground_clip.h"

#include <gtest/gtest.h>

#include "limber/animate/animate_testing.h"
#include "limber/exporter/exporter.h"
#include "limber/kinematics/clip.h"

namespace limber::animate {
namespace {

/// The creature of the tests and its walk, in a file.
asset::Asset walking() {
  rig::Subject subject = stage().creature.subject;
  asset::Asset asset = zoo::static_asset(stage().creature);
  EXPECT_TRUE(exporter::add_rig(asset, subject).ok());
  kinematics::Motion sinking = stage().walk;
  for (Vec3& place : sinking.root_translations) place.y -= 0.05f;
  EXPECT_TRUE(exporter::add_clip(asset, subject, sinking, {.name = "walk"}).ok());
  return asset;
}

TEST(GroundClip, AddsAClipThatIsNoLongerBelowTheGround) {
  GroundClipRequest request;
  request.ground.ground = physics::Ground::kLock;
  const GroundedClip done = ground_clip(walking(), request).value();
  ASSERT_EQ(done.asset.clips.size(), 2u);
  EXPECT_EQ(done.asset.clips[1].name, "walk grounded");
  EXPECT_EQ(done.fps, kStageFps);
  EXPECT_GT(done.before.motion.penetration, 0.03);
  EXPECT_LT(done.after.motion.penetration, 0.01);
}

TEST(GroundClip, RefusesAClipThatIsNotThereAndDirectionsAlongOneLine) {
  GroundClipRequest request;
  request.clip = 1;
  EXPECT_FALSE(ground_clip(walking(), request).ok());
  request.clip = 0, request.up = Vec3{0, 1, 0}, request.forward = Vec3{0, -2, 0};
  EXPECT_FALSE(ground_clip(walking(), request).ok());
}

TEST(ClipRate, IsThatOfMostKeysWithinReason) {
  const auto rate = [](std::vector<float> times) {
    asset::Clip clip;
    clip.channels.emplace_back();
    clip.channels[0].times = std::move(times);
    return kinematics::clip_rate(clip);
  };
  EXPECT_EQ(rate({0, 1 / 30.0f, 2 / 30.0f, 3 / 30.0f, 0.5f}), 30);
  EXPECT_EQ(rate({0, 1, 2}), 24);                   // sparse
  EXPECT_EQ(rate({0, 0.005f, 0.01f, 0.015f}), 60);  // dense
  EXPECT_EQ(rate({}), 24);
}

}  // namespace
}  // namespace limber::animate
