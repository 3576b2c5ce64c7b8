// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/axes.h"

#include <gtest/gtest.h>

#include "limber/asset/read.h"
#include "limber/testing/shared_data.h"

namespace limber::metrics {
namespace {

struct NamedJoint {
  const char* name;
  Vec3 position;
};

asset::Asset skeleton(const std::vector<NamedJoint>& joints, const Mat3& turn = Mat3::identity()) {
  asset::Asset asset;
  for (const NamedJoint& joint : joints) {
    asset::Node node;
    node.name = joint.name;
    node.local.translation = turn * joint.position;
    asset.nodes.push_back(node);
  }
  return asset;
}

// Looks along +Z, +Y up, so the left is at +X.
const std::vector<NamedJoint> kHuman{{"Hips", {0, 1, 0}},         {"Head", {0, 1.7f, 0}},
                                     {"LeftHand", {0.5f, 1, 0}},  {"RightHand", {-0.5f, 1, 0}},
                                     {"foot.l", {0.1f, 0.1f, 0}}, {"foot.r", {-0.1f, 0.1f, 0}},
                                     {"toe.l", {0.1f, 0, 0.15f}}, {"toe.r", {-0.1f, 0, 0.15f}}};

TEST(Axes, JointNamesTellUpAndForwardInAnyOrientation) {
  // Columns: where X, Y and Z of the figure go.
  for (const Mat3& turn :
       {Mat3::identity(), Mat3::from_columns({1, 0, 0}, {0, 0, 1}, {0, -1, 0}),
        Mat3::from_columns({0, 0, -1}, {0, 1, 0}, {1, 0, 0}), Mat3::from_columns({0, 1, 0}, {1, 0, 0}, {0, 0, -1})}) {
    const AxesGuess guess = guess_axes(skeleton(kHuman, turn));
    EXPECT_EQ(guess.up.axis, turn.column(1).cast<double>());
    EXPECT_EQ(guess.forward.axis, turn.column(2).cast<double>());
    EXPECT_GT(guess.up.confidence, 0.8);
    EXPECT_GT(guess.forward.confidence, 0.8);
  }
}

TEST(Axes, LeftAndRightAloneSuffice) {
  const AxesGuess guess = guess_axes(skeleton({{"LArm", {1, 0, 0}}, {"RArm", {-1, 0, 0}}, {"Spine", {0, 0, 0}}}));
  EXPECT_EQ(guess.forward.axis, (Vec3d{0, 0, 1}));
}

TEST(Axes, ATailIsBehind) {
  const AxesGuess guess = guess_axes(skeleton({{"head", {2, 0, 0}}, {"spine", {0, 0, 0}}, {"tail_1", {-3, 0, 0}}}));
  EXPECT_EQ(guess.forward.axis, (Vec3d{1, 0, 0}));
  EXPECT_EQ(guess.up.axis, (Vec3d{0, 1, 0}));
}

TEST(Axes, ContradictingHintsLowerTheConfidence) {
  std::vector<NamedJoint> twisted = kHuman;
  std::swap(twisted[2].name, twisted[3].name);
  const double straight = guess_axes(skeleton(kHuman)).forward.confidence;
  EXPECT_LT(guess_axes(skeleton(twisted)).forward.confidence, straight);
}

TEST(Axes, AMeshAloneGoesByItsStandAndSymmetry) {
  // Symmetric in y, leaning along x, standing on z = 0.
  asset::Asset asset;
  asset.meshes.resize(1);
  asset.meshes[0].primitives.resize(1);
  for (int i = 0; i <= 20; ++i) {
    const auto t = static_cast<float>(i) / 20;
    for (const float side : {-1.0f, 1.0f})
      asset.meshes[0].primitives[0].positions.push_back({t * t, side * 0.3f, 2 * t});
  }
  asset.nodes.resize(1);
  asset.nodes[0].mesh = 0;
  const AxesGuess guess = guess_axes(asset);
  EXPECT_EQ(guess.up.axis, (Vec3d{0, 0, 1}));
  EXPECT_EQ(guess.forward.axis, (Vec3d{1, 0, 0}));
  EXPECT_LT(guess.forward.confidence, 0.5);
}

TEST(Axes, WithoutAnythingTheConventionHolds) {
  const AxesGuess guess = guess_axes(asset::Asset{});
  EXPECT_EQ(guess.up.axis, (Vec3d{0, 1, 0}));
  EXPECT_EQ(guess.forward.axis, (Vec3d{0, 0, 1}));
  EXPECT_LT(guess.forward.confidence, 0.3);
}

TEST(Axes, EverySharedRigStandsUprightAndLooksAlongZ) {
  const auto files = testing::shared_files("assets", {".glb"});
  if (files.empty()) GTEST_SKIP() << "no shared assets";
  for (const auto& file : files) {
    const asset::Asset asset = asset::read_asset(file).value();
    if (asset.skins.empty()) continue;
    const AxesGuess guess = guess_axes(asset);
    EXPECT_EQ(guess.up.axis, (Vec3d{0, 1, 0})) << file << ": " << guess.up.reason;
    EXPECT_EQ(guess.forward.axis, (Vec3d{0, 0, 1})) << file << ": " << guess.forward.reason;
  }
}

}  // namespace
}  // namespace limber::metrics
