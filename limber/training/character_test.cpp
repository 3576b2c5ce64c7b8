// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/character.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/asset/read.h"
#include "limber/testing/shared_data.h"
#include "limber/testing/toy_assets.h"
#include "limber/training/character_testing.h"

namespace limber::training {
namespace {

TEST(Characters, FeetTellHowFastTheGroundShouldPass) {
  const Character toy = toy_character();
  const Vec3 velocity = treadmill_velocity(toy.rig, toy.surfaces[0], toy.clips[0].motion);
  EXPECT_NEAR(velocity.z, kTreadSpeed, 0.02f);
  EXPECT_NEAR(velocity.x, 0, 1e-4f);
  EXPECT_NEAR(lowest_height(toy.rig, toy.surfaces[0], toy.clips[0].motion), 0, 1e-4f);
}

TEST(Characters, WhatStandsStillHasNoSpeed) {
  const Character toy = toy_character();
  const Vec3 velocity = treadmill_velocity(toy.rig, toy.surfaces[0], kinematics::rest_motion(toy.rig, 12, 24));
  EXPECT_EQ(velocity, Vec3{});
}

TEST(Characters, CyclesWithinAClipAreCounted) {
  const Character toy = toy_character();
  kinematics::Motion motion = kinematics::rest_motion(toy.rig, 24, 24);
  motion.loops = true;
  const auto swing = [&](int cycles) {
    for (int f = 0; f < 24; ++f)
      motion.frame_angles(f)[1].x = std::sin(6.2831853f * static_cast<float>(f * cycles) / 24);
  };
  swing(1);
  EXPECT_EQ(count_cycles(motion), 1);
  swing(2);
  EXPECT_EQ(count_cycles(motion), 2);
  swing(3);
  EXPECT_EQ(count_cycles(motion), 3);
}

TEST(Characters, KeepClipsThatMeanSomething) {
  asset::Asset asset = testing::tube_asset(4);
  asset.clips[0].name = "Idle";
  asset.clips.push_back(asset.clips[0]);
  asset.clips[1].name = "something";
  const Result<Character> character = make_character(asset, "animals/worm.glb");
  ASSERT_TRUE(character.ok()) << character.error().message();
  ASSERT_EQ(character->clips.size(), 1u);
  EXPECT_EQ(character->clips[0].meaning.actions.front(), "idle");
  EXPECT_TRUE(character->clips[0].motion.loops);
  EXPECT_EQ(character->body.noun, "worm");
  EXPECT_EQ(character->surfaces.size(), 2u);
}

TEST(Characters, WithoutAClipThatMeansSomethingShowPosesAlone) {
  asset::Asset asset = testing::tube_asset(4);
  asset.clips[0].name = "something";
  EXPECT_TRUE(make_character(asset, "animals/worm.glb")->clips.at(0).meaning.actions.empty());
  // The only clip of a file is what the file is called after.
  EXPECT_EQ(make_character(asset, "animals/worm_walk.glb")->clips.at(0).meaning.actions.front(), "walk");
  asset.clips.clear();
  EXPECT_FALSE(make_character(asset, "animals/worm.glb").ok());
}

TEST(Characters, MeshesForgetWhatOnlyPaintsThem) {
  asset::Asset asset = testing::tube_asset(4);
  const rig::Subject whole = rig::subject_from_asset(asset).value();
  rig::Subject torn = whole;
  // Every triangle has vertices of its own, as at seams.
  torn.points.clear(), torn.weights.bones.clear(), torn.weights.weights.clear(), torn.triangles.clear();
  const auto stride = static_cast<std::size_t>(whole.weights.stride);
  for (const auto& triangle : whole.triangles) {
    const auto first = static_cast<std::uint32_t>(torn.points.size());
    torn.triangles.push_back({first, first + 1, first + 2});
    for (const std::uint32_t corner : triangle) {
      torn.points.push_back(whole.points[corner]);
      for (std::size_t k = corner * stride; k < (corner + 1) * stride; ++k) {
        torn.weights.bones.push_back(whole.weights.bones[k]), torn.weights.weights.push_back(whole.weights.weights[k]);
      }
    }
  }
  const CharacterMesh mesh = character_mesh(torn);
  EXPECT_EQ(mesh.triangles.size(), whole.triangles.size());
  EXPECT_EQ(mesh.points.size(), character_mesh(whole).points.size());
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    float sum = 0;
    for (std::size_t k = 4 * i; k < 4 * i + 4; ++k) sum += mesh.weights.weights[k];
    EXPECT_NEAR(sum, 1, 1e-5f);
  }
}

TEST(Characters, OfTheSharedDataWalkForward) {
  if (testing::shared_dir().empty()) GTEST_SKIP() << "no shared data";
  const std::string name = "corpus/animals/horse.glb";
  const Result<asset::Asset> asset = asset::read_asset(testing::shared_dir() / name);
  if (!asset.ok()) GTEST_SKIP() << asset.error().message();
  const Character horse = make_character(*asset, name).value();
  int walks = 0;
  for (const CharacterClip& clip : horse.clips) {
    if (!clip.meaning.travels) continue;
    ++walks;
    EXPECT_TRUE(clip.motion.loops) << clip.name;
    EXPECT_GT(clip.ground_velocity.z, 0.2f) << clip.name;
    EXPECT_LT(std::abs(clip.ground_velocity.x), 0.1f) << clip.name;
  }
  EXPECT_GE(walks, 2);
}

}  // namespace
}  // namespace limber::training
