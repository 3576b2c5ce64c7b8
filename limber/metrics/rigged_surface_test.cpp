// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/rigged_surface.h"

#include <gtest/gtest.h>

#include "limber/testing/toy_assets.h"

namespace limber::metrics {
namespace {

RiggedSurface toy() {
  const asset::Asset asset = testing::tube_asset(3);
  return rigged_surface(asset, rig::subject_from_asset(asset).value());
}

TEST(RiggedSurface, StandsInTheAssetsWorld) {
  const RiggedSurface surface = toy();
  Vec3d low = surface.points[0], high = low;
  for (const Vec3d& p : surface.points) low = min(low, p), high = max(high, p);
  EXPECT_NEAR(low.y, 0, 1e-6);
  EXPECT_NEAR(high.y, 3, 1e-6);
  EXPECT_EQ(std::count(surface.skinned.begin(), surface.skinned.end(), false), 0);
}

TEST(RiggedSurface, LeavesOutJointsThatNothingFollows) {
  RiggedSurface surface = toy();
  const std::size_t count = surface.skeleton.joints.size();
  // Whatever followed joint 1 of the chain follows its parent.
  for (SkinRow& row : surface.weights) {
    for (rig::Influence& influence : row) influence.bone = influence.bone == 1 ? 0 : influence.bone;
  }
  std::size_t used = 0;
  std::vector<bool> seen(count, false);
  for (const SkinRow& row : surface.weights) {
    for (const rig::Influence& influence : row) {
      if (!seen[influence.bone]) ++used;
      seen[influence.bone] = true;
    }
  }
  const RiggedSurface kept = without_idle_joints(surface);
  EXPECT_EQ(kept.skeleton.joints.size(), used);
  EXPECT_LT(used, count);
  for (std::size_t j = 0; j < used; ++j) EXPECT_LT(kept.skeleton.parents[j], static_cast<int>(j));
  for (const SkinRow& row : kept.weights) {
    double sum = 0;
    for (const rig::Influence& influence : row) {
      EXPECT_LT(influence.bone, used);
      sum += influence.weight;
    }
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST(RiggedSurface, MatchesWeightsVertexByVertexOrThroughTheSurface) {
  const RiggedSurface truth = toy();
  const MatchedWeights same = match_weights(truth, truth);
  EXPECT_FALSE(same.transferred);
  EXPECT_EQ(skin_scores(same.rows, truth.weights, {{0, 0}, true}).l1, 0);

  // The same surface with its points in another order, and other names for the joints.
  RiggedSurface shuffled = truth;
  const std::size_t n = truth.points.size();
  for (std::size_t i = 0; i < n; ++i) {
    shuffled.points[n - 1 - i] = truth.points[i];
    shuffled.weights[n - 1 - i] = truth.weights[i];
  }
  for (auto& triangle : shuffled.triangles) {
    for (std::uint32_t& corner : triangle) corner = static_cast<std::uint32_t>(n) - 1 - corner;
  }
  for (std::string& name : shuffled.skeleton.names) name = "other " + name;
  const MatchedWeights moved = match_weights(shuffled, truth);
  EXPECT_TRUE(moved.transferred);
  EXPECT_EQ(moved.unmatched_joints, 0);
  EXPECT_NEAR(skin_scores(moved.rows, truth.weights, {{0, 0}, true}).l1, 0, 1e-5);
}

TEST(RiggedSurface, ReadsARigText) {
  const rig::TextRig text =
      rig::read_rig_text("joints a 0 0 0\njoints b 0 1 0\nhier a b\nskin 1 b 1\nskin 9 a 1\n", "t").value();
  const RiggedSurface surface = rigged_surface(text, {{{0, 0, 0}, {0, 1, 0}, {1, 1, 0}}, {{0, 1, 2}}});
  ASSERT_EQ(surface.weights.size(), 3u);
  EXPECT_TRUE(surface.weights[0].empty());
  ASSERT_EQ(surface.weights[1].size(), 1u);
  EXPECT_EQ(surface.weights[1][0].bone, 1);
}

}  // namespace
}  // namespace limber::metrics
