// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "limber/asset/write.h"
#include "limber/exporter/exporter.h"
#include "limber/skin/reskin.h"
#include "limber/testing/toy_assets.h"

namespace limber::exporter {
namespace {

using testing::add_node;
using testing::tube_asset;

/// Everything but the influences of the primitives.
asset::Asset without_influences(asset::Asset asset) {
  for (asset::Mesh& mesh : asset.meshes) {
    for (asset::Primitive& primitive : mesh.primitives) primitive.influences.clear();
  }
  return asset;
}

TEST(ReplaceWeights, ChangesNothingElse) {
  asset::Asset asset = tube_asset(4);
  const asset::Asset before = asset;
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  const skin::Reskinned skin = skin::reskin(asset, subject).value();
  ASSERT_TRUE(replace_weights(asset, subject, skin).ok());
  EXPECT_EQ(without_influences(asset).meshes, without_influences(before).meshes);
  EXPECT_EQ(asset.nodes, before.nodes);
  EXPECT_EQ(asset.skins, before.skins);
  EXPECT_EQ(asset.clips, before.clips);
  EXPECT_NE(asset.meshes, before.meshes);
  EXPECT_TRUE(asset::write_glb(asset).ok());

  // What was written is what was solved.
  const rig::Subject again = rig::subject_from_asset(asset).value();
  ASSERT_EQ(again.weights.points(), skin.weights.points());
  for (std::size_t v = 0; v < skin.points.size(); ++v) {
    const auto stride = static_cast<std::size_t>(skin.weights.stride);
    const int joint = again.rig.bones()[again.weights.bones[v * static_cast<std::size_t>(again.weights.stride)]].joint;
    EXPECT_NEAR(again.weights.weights[v * static_cast<std::size_t>(again.weights.stride)],
                skin.weights.weights[v * stride], 1e-5);
    EXPECT_EQ(again.rig.joints()[static_cast<std::size_t>(joint)].name,
              subject.rig.joints()[skin.weights.bones[v * stride]].name);
  }
}

TEST(ReplaceWeights, GivesASharedMeshACopyForAnotherSkin) {
  // Two nodes show one mesh, each with a skin of its own.
  asset::Asset asset = tube_asset(3);
  const int first = static_cast<int>(
      std::find_if(asset.nodes.begin(), asset.nodes.end(), [](const asset::Node& node) { return node.skin >= 0; }) -
      asset.nodes.begin());
  const int second = add_node(asset, -1, "twin");
  asset.skins.push_back(asset.skins[0]);
  std::reverse(asset.skins[1].joints.begin(), asset.skins[1].joints.end());
  std::reverse(asset.skins[1].inverse_bind.begin(), asset.skins[1].inverse_bind.end());
  asset.nodes[static_cast<std::size_t>(second)].mesh = asset.nodes[static_cast<std::size_t>(first)].mesh;
  asset.nodes[static_cast<std::size_t>(second)].skin = 1;
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  ASSERT_TRUE(replace_weights(asset, subject, skin::reskin(asset, subject).value()).ok());
  const int mesh = asset.nodes[static_cast<std::size_t>(first)].mesh;
  const int copy = asset.nodes[static_cast<std::size_t>(second)].mesh;
  ASSERT_NE(mesh, copy);
  // The same joints, counted from the other end.
  const auto& one = asset.meshes[static_cast<std::size_t>(mesh)].primitives[0].influences[0];
  const auto& other = asset.meshes[static_cast<std::size_t>(copy)].primitives[0].influences[0];
  const std::size_t last = asset.skins[0].joints.size() - 1;
  for (std::size_t v = 0; v < one.joints.size(); ++v) EXPECT_EQ(one.joints[v][0] + other.joints[v][0], last);
}

TEST(ReplaceWeights, RefusesAnAssetWithoutSkin) {
  asset::Asset asset = tube_asset(2);
  for (asset::Node& node : asset.nodes) node.skin = -1;
  const Result<rig::Subject> subject = rig::subject_from_asset(asset);
  ASSERT_TRUE(subject.ok());
  EXPECT_FALSE(skin::reskin(asset, *subject).ok());
}

}  // namespace
}  // namespace limber::exporter
