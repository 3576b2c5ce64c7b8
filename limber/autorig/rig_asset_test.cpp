// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/autorig/rig_asset.h"

#include <gtest/gtest.h>

#include <vector>

#include "limber/autorig/autorig_testing.h"
#include "limber/rig/static_subject.h"

namespace limber::autorig {
namespace {

using testing::dog;

/// The dog with a rig, made once for all tests.
const Result<RiggedAsset>& rigged_dog() {
  static const Result<RiggedAsset> rigged = rig_asset(asset_of(dog()));
  return rigged;
}

TEST(RigAsset, GivesAStaticAssetASkeletonAndASkin) {
  const auto& rigged = rigged_dog();
  ASSERT_TRUE(rigged.ok()) << rigged.error().message();
  EXPECT_EQ(rigged->report.kind, "quadruped");
  EXPECT_TRUE(rig::has_skin(rigged->asset));
  EXPECT_EQ(rigged->asset.meshes[0].primitives[0].positions, dog().points);
  // What the asset says is what the subject says.
  const auto again = rig::subject_from_asset(rigged->asset);
  ASSERT_TRUE(again.ok());
  ASSERT_EQ(again->rig.joint_count(), rigged->subject.rig.joint_count());
  for (const rig::Joint& joint : rigged->subject.rig.joints()) {
    ASSERT_GE(joint.node, 0);
    EXPECT_EQ(rigged->asset.nodes[static_cast<std::size_t>(joint.node)].name, joint.name);
  }
  EXPECT_TRUE(rigged->subject.facing.known());
  EXPECT_NE(rigged->subject.facing.reason.find("quadruped"), std::string::npos);
}

TEST(RigAsset, RefusesASkeletonThatNobodySpokeOf) {
  ASSERT_TRUE(rigged_dog().ok());
  const auto refused = rig_asset(rigged_dog()->asset);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::kConflict);
}

TEST(RigAsset, KeepsASkeletonAndSolvesItsWeightsAnew) {
  ASSERT_TRUE(rigged_dog().ok());
  RigRequest request;
  request.existing = ExistingSkeleton::kKeep;
  request.settings.skin.method = skin::SkinMethod::kVoxel;
  const auto kept = rig_asset(rigged_dog()->asset, request);
  ASSERT_TRUE(kept.ok()) << kept.error().message();
  EXPECT_EQ(kept->report.kind, "kept");
  EXPECT_TRUE(kept->plan.joints.empty());
  EXPECT_EQ(kept->asset.nodes.size(), rigged_dog()->asset.nodes.size());
  EXPECT_EQ(kept->asset.skins.size(), rigged_dog()->asset.skins.size());
  EXPECT_EQ(kept->subject.rig.joint_count(), rigged_dog()->subject.rig.joint_count());
  EXPECT_NE(kept->subject.weights.weights, rigged_dog()->subject.weights.weights);
  for (const skin::PieceReport& piece : kept->report.skin.pieces) {
    EXPECT_TRUE(piece.loose || piece.method == skin::SkinMethod::kVoxel);
  }
}

TEST(RigAsset, HasNothingToKeepWhereThereIsNoSkeleton) {
  RigRequest request;
  request.existing = ExistingSkeleton::kKeep;
  EXPECT_FALSE(rig_asset(asset_of(dog()), request).ok());
}

TEST(RigAsset, DoesNotKeepASkeletonAndChangeIt) {
  ASSERT_TRUE(rigged_dog().ok());
  RigRequest request;
  request.existing = ExistingSkeleton::kKeep, request.settings.root = "chest";
  const auto refused = rig_asset(rigged_dog()->asset, request);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::kConflict);
}

TEST(RigAsset, ReplacesASkeletonAsIfThereHadBeenNone) {
  ASSERT_TRUE(rigged_dog().ok());
  RigRequest request;
  request.existing = ExistingSkeleton::kReplace, request.settings.skeleton_only = true;
  request.name = "bones";
  const auto replaced = rig_asset(rigged_dog()->asset, request);
  ASSERT_TRUE(replaced.ok()) << replaced.error().message();
  EXPECT_EQ(replaced->asset.skins.size(), 1u);
  EXPECT_EQ(replaced->asset.skins[0].name, "bones");
  ASSERT_EQ(replaced->plan.joints.size(), rigged_dog()->plan.joints.size());
  for (std::size_t j = 0; j < replaced->plan.joints.size(); ++j) {
    EXPECT_EQ(replaced->plan.joints[j].name, rigged_dog()->plan.joints[j].name);
    EXPECT_LT(norm(replaced->plan.joints[j].at - rigged_dog()->plan.joints[j].at), 1e-3);
  }
}

TEST(RigAsset, TellsHowFarItIsAndStopsWhenAsked) {
  std::vector<double> told;
  const auto stopped = rig_asset(asset_of(dog()), {}, [&](std::string_view, double fraction) {
    told.push_back(fraction);
    return told.size() < 2;
  });
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::kCancelled);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_LT(told[0], told[1]);
}

}  // namespace
}  // namespace limber::autorig
