// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/rig_health.h"

#include <gtest/gtest.h>

#include "limber/asset/read.h"
#include "limber/testing/shared_data.h"

namespace limber::metrics {
namespace {

/// Nodes with the given parents (-1: none), of which `joints` are joints, and a mesh of four vertices.
asset::Asset rigged(const std::vector<int>& parents, const std::vector<int>& joints) {
  asset::Asset asset;
  asset.nodes.resize(parents.size() + 1);
  for (std::size_t i = 0; i < parents.size(); ++i) {
    if (parents[i] >= 0) asset.nodes[static_cast<std::size_t>(parents[i])].children.push_back(static_cast<int>(i));
  }
  asset.skins.resize(1);
  asset.skins[0].joints = joints;
  asset.skins[0].inverse_bind.resize(joints.size());
  asset.meshes.resize(1);
  asset.meshes[0].primitives.resize(1);
  asset::Primitive& primitive = asset.meshes[0].primitives[0];
  primitive.positions.resize(4);
  primitive.influences.resize(1);
  primitive.influences[0].joints.resize(4);
  primitive.influences[0].weights.resize(4, {1, 0, 0, 0});
  asset.nodes.back().mesh = asset.nodes.back().skin = 0;
  return asset;
}

TEST(RigHealth, RootsAreJointsWithNoJointAnywhereAbove) {
  // 0 <- plain 1 <- 2, and 3 beside 0.
  const RigHealth health = rig_health(rigged({-1, 0, 1, -1}, {0, 2, 3}));
  EXPECT_EQ(health.joints, 3u);
  EXPECT_EQ(health.roots, 2u);
  EXPECT_EQ(health.loose_siblings, 0u);
  EXPECT_EQ(health.joints_without_weight, 2u);
}

TEST(RigHealth, JointsWithoutHierarchyAreLooseSiblings) {
  const RigHealth health = rig_health(rigged({-1, 0, 0, 0}, {1, 2, 3}));
  EXPECT_EQ(health.roots, 3u);
  EXPECT_EQ(health.loose_siblings, 3u);
}

TEST(RigHealth, CountsWeightsOverAllSets) {
  asset::Asset asset = rigged({-1, 0}, {0, 1});
  asset::Primitive& primitive = asset.meshes[0].primitives[0];
  primitive.influences.push_back(primitive.influences[0]);
  primitive.influences[0].weights = {{1, 0, 0, 0}, {0.25f, 0.25f, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}};
  primitive.influences[1].weights = {{0, 0, 0, 0}, {0.25f, 0.25f, 0, 0}, {0, 0, 0, 0}, {0.75f, 0, 0, 0}};
  primitive.influences[1].joints.assign(4, {1, 0, 0, 0});
  const RigHealth health = rig_health(asset);
  EXPECT_EQ(health.skinned_vertices, 4u);
  EXPECT_EQ(health.unweighted_vertices, 1u);
  EXPECT_EQ(health.bad_weight_sums, 1u);
  EXPECT_NEAR(health.worst_weight_sum_error, 0.75, 1e-6);
  EXPECT_EQ(health.max_influences, 4u);
  EXPECT_EQ(health.joints_without_weight, 0u);
}

TEST(RigHealth, ADeepChainOfPlainNodesIsLinear) {
  std::vector<int> parents(200000);
  for (std::size_t i = 0; i < parents.size(); ++i) parents[i] = static_cast<int>(i) - 1;
  EXPECT_EQ(rig_health(rigged(parents, {0, 199999})).roots, 1u);
  EXPECT_EQ(rig_health(rigged(parents, {199999})).roots, 1u);
}

TEST(RigHealth, AnAssetWithoutSkinsHasNothingToReport) {
  const RigHealth health = rig_health(asset::Asset{});
  EXPECT_EQ(health.joints + health.roots + health.skins + health.skinned_vertices, 0u);
}

TEST(RigHealth, KnowsTheOddRigsOfTheSharedAssets) {
  if (testing::shared_dir().empty()) GTEST_SKIP() << "no shared assets";
  const auto health = [](const char* file) {
    return rig_health(asset::read_asset(testing::shared_dir() / "assets" / file).value());
  };
  const RigHealth wolf = health("quadruped/wolf_quaternius.glb");
  EXPECT_EQ(wolf.joints, 51u);
  EXPECT_EQ(wolf.roots, 5u);
  const RigHealth hand = health("hand/hand_left_webxr.glb");
  EXPECT_EQ(hand.roots, 25u);
  EXPECT_EQ(hand.loose_siblings, 25u);
  const RigHealth robot = health("robot/robot_expressive_threejs.glb");
  EXPECT_EQ(robot.skins, 2u);
  EXPECT_EQ(robot.bad_weight_sums, 734u);
  EXPECT_NEAR(robot.worst_weight_sum_error, 0.76, 0.01);
  const RigHealth many = health("primitive/recursive_skeletons_khronos.glb");
  EXPECT_EQ(many.joints, 840u);
  EXPECT_EQ(many.roots, 4u);
}

}  // namespace
}  // namespace limber::metrics
