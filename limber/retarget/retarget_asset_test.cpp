// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/retarget_asset.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "limber/asset/pose.h"
#include "limber/exporter/exporter.h"
#include "limber/testing/toy_assets.h"
#include "limber/zoo/action.h"

namespace limber::retarget {
namespace {

/// A rigged creature in a file of its own, with what it does.
asset::Asset file_of(zoo::Plan plan, std::uint64_t seed, const std::vector<zoo::Action>& actions = {}) {
  zoo::Creature creature = zoo::make_creature({plan, seed, 36}).value();
  asset::Asset asset = zoo::static_asset(creature);
  asset.name = "creature.glb";
  EXPECT_TRUE(exporter::add_rig(asset, creature.subject).ok());
  for (const zoo::Action action : actions) {
    zoo::ActionSettings settings;
    settings.action = action, settings.frames = 36;
    const auto motion = zoo::perform(creature, settings).value().motion;
    EXPECT_TRUE(exporter::add_clip(asset, creature.subject, motion, {.name = std::string(zoo::name(action))}).ok());
  }
  return asset;
}

/// In another unit, along other axes: a node above everything.
asset::Asset turned(asset::Asset asset, Quat rotation, float scale) {
  Transform local;
  local.rotation = rotation, local.scale = {scale, scale, scale};
  asset::Node node;
  node.name = "turned", node.local = local, node.children = asset.scenes[0].roots;
  asset.scenes[0].roots = {static_cast<int>(asset.nodes.size())};
  asset.nodes.push_back(std::move(node));
  for (asset::Skin& skin : asset.skins) skin.extras.clear();  // what stood there is no longer so
  asset.source.reset();
  return asset;
}

float farthest_angle(const Retargeted& a, const Retargeted& b) {
  float most = a.motion.angles.size() == b.motion.angles.size() ? 0 : 1e9f;
  for (std::size_t i = 0; i < std::min(a.motion.angles.size(), b.motion.angles.size()); ++i) {
    most = std::max(most, norm(a.motion.angles[i] - b.motion.angles[i]));
  }
  return most;
}

TEST(RetargetAsset, AddsAClipToTheTargetAndChangesNothingElse) {
  const asset::Asset source = file_of(zoo::Plan::kQuadruped, 1, {zoo::Action::kWalk}),
                     target = file_of(zoo::Plan::kQuadruped, 6);
  const Retargeted done = retarget_asset(source, 0, target).value();
  ASSERT_EQ(done.asset.clips.size(), 1u);
  EXPECT_EQ(done.asset.clips[0].name, "walk");
  EXPECT_EQ(done.asset.meshes, target.meshes);
  EXPECT_EQ(done.clips.at(0).source, "walk");
  EXPECT_TRUE(done.clips.at(0).loops);
  EXPECT_LT(done.clips.at(0).skate, 0.03);
  EXPECT_LT(done.clips.at(0).penetration, 0.002);
}

TEST(RetargetAsset, UnitUpAndFrontOfBothFilesDoNotMatter) {
  const asset::Asset source = file_of(zoo::Plan::kQuadruped, 1, {zoo::Action::kWalk}),
                     target = file_of(zoo::Plan::kQuadruped, 6);
  const Retargeted plain = retarget_asset(turned(source, {}, 1), 0, turned(target, {}, 1)).value();
  // Z up, ahead -Y, centimetres; and facing +X.
  const Quat z_up = axis_angle(Vec3{1, 0, 0}, static_cast<float>(kPi / 2)),
             aside = axis_angle(Vec3{0, 1, 0}, static_cast<float>(kPi / 2));
  RetargetSettings settings;
  settings.source_up = Vec3{0, 0, 1}, settings.source_forward = Vec3{0, -1, 0}, settings.forward = Vec3{1, 0, 0},
  settings.up = Vec3{0, 1, 0};
  const Retargeted other = retarget_asset(turned(source, z_up, 100), 0, turned(target, aside, 0.01f), settings).value();
  EXPECT_LT(farthest_angle(plain, other), 0.02f);
}

TEST(RetargetAsset, TwoClipsOfOneNameGetTwoNames) {
  const asset::Asset source = file_of(zoo::Plan::kQuadruped, 1, {zoo::Action::kWalk, zoo::Action::kTrot});
  const Retargeted done = retarget_clips(source, {0, 1, 0}, file_of(zoo::Plan::kQuadruped, 6)).value();
  ASSERT_EQ(done.clips.size(), 3u);
  EXPECT_EQ(done.clips[1].name, "trot");
  EXPECT_EQ(done.clips[2].name, "walk 2");
}

TEST(RetargetAsset, InPlaceItGoesNowhere) {
  const asset::Asset source = file_of(zoo::Plan::kQuadruped, 1, {zoo::Action::kWalk});
  RetargetSettings settings;
  settings.in_place = true;
  const Retargeted done = retarget_asset(source, 0, file_of(zoo::Plan::kQuadruped, 6), settings).value();
  for (const Vec3& root : done.motion.root_translations) EXPECT_LT(std::hypot(root.x, root.z), 0.05f);
}

TEST(RetargetAsset, WhatIsMissingIsSaid) {
  const asset::Asset rigged = file_of(zoo::Plan::kQuadruped, 1, {zoo::Action::kWalk});
  const asset::Asset still = zoo::static_asset(zoo::make_creature({zoo::Plan::kQuadruped, 2, 30}).value());
  const auto no_target = retarget_asset(rigged, 0, still);
  ASSERT_FALSE(no_target.ok());
  EXPECT_NE(no_target.error().what.find("limber rig"), std::string::npos);
  EXPECT_FALSE(retarget_asset(still, 0, rigged).ok()) << "no clips";
  EXPECT_FALSE(retarget_asset(rigged, 7, rigged).ok());
  EXPECT_FALSE(retarget_clips(rigged, {}, rigged).ok());
  asset::Asset bare;
  bare.clips.push_back({"nothing", {}, {}});
  EXPECT_FALSE(retarget_asset(bare, 0, rigged).ok()) << "no skeleton";
}

TEST(RetargetAsset, ClipsWithoutLengthOrWithNumbersThatAreNoneDoNoHarm) {
  asset::Asset source = file_of(zoo::Plan::kQuadruped, 1, {zoo::Action::kWalk, zoo::Action::kWalk});
  const asset::Asset target = file_of(zoo::Plan::kQuadruped, 6);
  for (asset::Channel& channel : source.clips[0].channels) {
    channel.values.resize(channel.values.size() / channel.times.size()), channel.times.resize(1), channel.times[0] = 0;
  }
  source.clips[1].channels[2].values[9] = std::numeric_limits<float>::quiet_NaN();
  for (int clip = 0; clip < 2; ++clip) {
    const auto done = retarget_asset(source, clip, target);
    ASSERT_TRUE(done.ok()) << done.error().message();
    for (const Vec3& angle : done->motion.angles) EXPECT_TRUE(is_finite(angle));
    for (const Vec3& root : done->motion.root_translations) EXPECT_TRUE(is_finite(root));
  }
}

TEST(RetargetAsset, ASkeletonAloneMovesABody) {
  // A recording: the source without its mesh.
  asset::Asset source = file_of(zoo::Plan::kQuadruped, 1, {zoo::Action::kWalk});
  source.meshes.clear(), source.skins.clear(), source.source.reset();
  for (asset::Node& node : source.nodes) node.mesh = -1, node.skin = -1;
  const auto done = retarget_asset(source, 0, file_of(zoo::Plan::kQuadruped, 6));
  ASSERT_TRUE(done.ok()) << done.error().message();
  EXPECT_LT(done->clips.at(0).skate, 0.05);
  double most = 0;
  for (const Vec3& angle : done->motion.angles) most = std::max<double>(most, norm(angle));
  EXPECT_GT(most, 0.1);
}

}  // namespace
}  // namespace limber::retarget
