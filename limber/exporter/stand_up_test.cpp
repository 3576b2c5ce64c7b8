// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/exporter/stand_up.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "limber/asset/pose.h"
#include "limber/rig/rig_extras.h"

namespace limber::exporter {
namespace {

/// A root with a child a little above it along +Z, and a camera beside them.
asset::Asset lying() {
  asset::Asset asset;
  asset.nodes.resize(3);
  asset.nodes[0].name = "root", asset.nodes[0].children = {1};
  asset.nodes[1].name = "head", asset.nodes[1].local.translation = {0, 0, 2};
  asset.nodes[2].name = "camera", asset.nodes[2].camera = 0;
  asset.scenes = {{"shown", {0, 2}}, {"other", {0}}};
  asset.scene = 0;
  return asset;
}

TEST(StandUp, AddsOneNodeAboveAllThatIsShown) {
  asset::Asset asset = lying();
  const asset::Asset before = asset;
  ASSERT_TRUE(stand_up(asset, {0, 0, 1}));
  ASSERT_EQ(asset.nodes.size(), before.nodes.size() + 1);
  for (std::size_t n = 0; n < before.nodes.size(); ++n) EXPECT_EQ(asset.nodes[n], before.nodes[n]);
  EXPECT_EQ(asset.nodes.back().children, before.scenes[0].roots);
  // No scene has a root that hangs on something.
  for (const asset::Scene& scene : asset.scenes) EXPECT_EQ(scene.roots, std::vector<int>{3}) << scene.name;
  const Vec3d head = asset::rest_state(asset).world_from_node[1].translation;
  EXPECT_LT(norm(head - Vec3d{0, 2, 0}), 1e-6);
}

TEST(StandUp, LeavesWhatStandsAsItIs) {
  asset::Asset asset = lying();
  EXPECT_FALSE(stand_up(asset, {0, 1, 0}));
  EXPECT_EQ(asset.nodes, lying().nodes);
  asset::Asset empty;
  EXPECT_FALSE(stand_up(empty, {0, 0, 1}));
  EXPECT_TRUE(empty.nodes.empty());
}

TEST(StandUp, TurnsTheFacingThatSkinsTellAndKeepsTheRestOfTheirExtras) {
  asset::Asset asset = lying();
  rig::RigExtras extras;
  extras.facing = rig::make_facing({0, 0, 1}, {0, -1, 0}).value();
  extras.root_rotation = Quat{0, 0, 0, 1};
  extras.joints.resize(1);
  nlohmann::json text = nlohmann::json::parse(rig::write_extras(extras));
  text["theirs"] = 7;
  asset.skins.push_back({});
  asset.skins[0].joints = {0}, asset.skins[0].extras = text.dump();
  ASSERT_TRUE(stand_up(asset, {0, 0, 1}));
  const auto turned = rig::read_extras(asset.skins[0].extras, 1);
  ASSERT_TRUE(turned.has_value());
  EXPECT_LT(norm(turned->facing.up - Vec3{0, 1, 0}), 1e-6f);
  EXPECT_LT(norm(turned->facing.forward - Vec3{0, 0, 1}), 1e-6f);
  EXPECT_EQ(nlohmann::json::parse(asset.skins[0].extras).at("theirs"), 7);
  // It is not turned again by whoever compares how the first joint stands now with how it stood.
  const Quat now = to_quat(asset::rest_state(asset).world_from_node[0].linear.cast<float>());
  EXPECT_LT(norm(rig::facing_now(*turned, now).up - Vec3{0, 1, 0}), 1e-6f);
}

TEST(StandUp, NoSceneShowsMoreThanItDid) {
  asset::Asset asset;
  asset.nodes.resize(3);
  asset.scenes = {{"both", {0, 1}}, {"one", {1}}, {"other", {2}}};
  asset.scene = 0;
  ASSERT_TRUE(stand_up(asset, {0, 0, 1}));
  ASSERT_EQ(asset.nodes.size(), 5u) << "one for what only the first scene shows, one for what two show";
  const auto below = [&](std::size_t scene) {
    std::set<int> shown;
    for (const int root : asset.scenes[scene].roots) {
      const std::vector<int>& children = asset.nodes[static_cast<std::size_t>(root)].children;
      shown.insert(children.begin(), children.end());
    }
    return shown;
  };
  EXPECT_EQ(below(0), (std::set<int>{0, 1}));
  EXPECT_EQ(below(1), (std::set<int>{1}));
  EXPECT_EQ(asset.scenes[2].roots, (std::vector<int>{2}));
}

}  // namespace
}  // namespace limber::exporter
