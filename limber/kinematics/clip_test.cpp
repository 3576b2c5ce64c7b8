// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/kinematics/clip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "limber/asset/pose.h"
#include "limber/base/at.h"
#include "limber/kinematics/forward.h"
#include "limber/testing/toy_assets.h"

namespace limber::kinematics {
namespace {

using testing::add_node;
using testing::add_random_channel;
using testing::tube_asset;

/// Largest error of the posed geometry over all frames of a motion made from the asset's first clip.
double clip_error(const asset::Asset& asset, const rig::Subject& subject, const Motion& motion) {
  const std::vector<Affine> bones = bone_matrices(subject.rig, motion);
  double worst = 0;
  for (int f = 0; f < motion.frame_count(); ++f) {
    const asset::NodeState state = asset::clip_state(asset, asset.clips[0], f / motion.fps);
    const auto count = subject.rig.bones().size();
    const double error =
        testing::posed_error(asset, state.world_from_node, subject, std::span(bones).subspan(at(f) * count, count));
    worst = std::max(worst, error);
  }
  return worst;
}

double clip_error(const asset::Asset& asset, double fps = 24) {
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  return clip_error(asset, subject, motion_from_clip(asset, asset.clips[0], subject, fps).value());
}

TEST(MotionFromClip, PosesAsTheAssetDoes) {
  const asset::Asset asset = tube_asset(5);
  EXPECT_LT(clip_error(asset), 1e-6);
  EXPECT_LT(clip_error(asset, 17.3), 1e-6);
}

TEST(MotionFromClip, LeavesOutTheLastFrameOfALoop) {
  const asset::Asset asset = tube_asset(3);
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  const Motion loop = motion_from_clip(asset, asset.clips[0], subject, 24).value();
  EXPECT_TRUE(loop.loops);
  EXPECT_EQ(loop.frame_count(), 24);
  EXPECT_TRUE(loop.overrides.empty());

  // 10.5 frames: none of them is the first again.
  const Motion uneven = motion_from_clip(asset, asset.clips[0], subject, 10.4).value();
  EXPECT_FALSE(uneven.loops);
  EXPECT_EQ(uneven.frame_count(), 11);
}

TEST(MotionFromClip, MovesTheRootInTheSubjectsUnits) {
  asset::Asset asset = tube_asset(4);
  asset.nodes[0].local.rotation = axis_angle(Vec3{0, 1, 0}, static_cast<float>(kPi / 2));
  asset::Channel walk;
  walk.node = 1, walk.path = asset::Path::kTranslation;
  walk.times = {0, 1}, walk.values = {0, 0, 0, 8, 0, 0};
  asset.clips[0].channels.push_back(walk);
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  const Motion motion = motion_from_clip(asset, asset.clips[0], subject, 24).value();
  EXPECT_FALSE(motion.loops);
  // Eight units along the armature's x, which is the world's -z; the tube is four units high.
  EXPECT_NEAR(motion.root_translations.back().z, -2, 1e-5);
  EXPECT_NEAR(motion.root_translations.back().x, 0, 1e-5);
  EXPECT_TRUE(motion.overrides.empty());
  EXPECT_LT(clip_error(asset, subject, motion), 1e-6);
}

TEST(MotionFromClip, KeepsTranslationsAndScalesAsOverrides) {
  asset::Asset asset = tube_asset(5);
  add_random_channel(asset, 2, asset::Path::kTranslation, 0.4f, 1);
  add_random_channel(asset, 3, asset::Path::kScale, 0.4f, 2);
  add_random_channel(asset, 1, asset::Path::kScale, 0.2f, 3);
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  const Motion motion = motion_from_clip(asset, asset.clips[0], subject, 24).value();
  ASSERT_EQ(motion.overrides.size(), 3u);
  EXPECT_EQ(motion.overrides[0].joint, 0);
  EXPECT_TRUE(motion.overrides[0].translations.empty());
  EXPECT_EQ(motion.overrides[1].translations.size(), at(motion.frame_count()));
  EXPECT_LT(clip_error(asset, subject, motion), 1e-6);
}

TEST(MotionFromClip, GivesAttachedJointsTheirOwnMotion) {
  asset::Asset asset = tube_asset(6, /*siblings=*/true);
  asset.nodes[0].local = {{1, 2, 3}, axis_angle(normalized(Vec3{1, 2, 3}), 1.0f), {0.01f, 0.01f, 0.01f}};
  for (int node = 1; node <= 6; ++node) add_random_channel(asset, node, asset::Path::kTranslation, 0.2f, at(node));
  EXPECT_LT(clip_error(asset), 1e-5);
}

TEST(MotionFromClip, KeepsAttachedJointsExactUnderEvenAndFixedUnevenScales) {
  asset::Asset asset = tube_asset(4, /*siblings=*/true);
  asset.nodes[2].local.scale = {1.5f, 0.8f, 1.1f};
  asset.nodes[3].local.scale = {-1, 1, 1};
  asset::Channel grow;
  grow.node = 1, grow.path = asset::Path::kScale;
  grow.times = {0, 1}, grow.values = {1, 1, 1, 2, 2, 2};
  asset.clips[0].channels.push_back(grow);
  EXPECT_LT(clip_error(asset), 1e-5);
}

TEST(MotionFromClip, AvoidsHangingJointsOnUnevenlyScaledOnes) {
  asset::Asset asset = tube_asset(4, /*siblings=*/true);
  add_random_channel(asset, 2, asset::Path::kScale, 0.5f, 4);
  add_random_channel(asset, 3, asset::Path::kScale, 0.5f, 5);
  EXPECT_LT(clip_error(asset), 1e-5);
}

TEST(MotionFromClip, ShowsPropsThatAreHiddenAtRest) {
  asset::Asset asset = tube_asset(3);
  const int prop = add_node(asset, 3, "prop", {{0, 1, 0}, {}, {0, 0, 0}});
  const int blade = add_node(asset, prop, "blade", {{0, 1, 0}, {}, {1, 1, 1}});
  asset.nodes[at(blade)].mesh = testing::add_tube(asset, 1, 1);
  asset::Channel show;
  show.node = prop, show.path = asset::Path::kScale, show.interpolation = asset::Interpolation::kStep;
  show.times = {0, 0.5f}, show.values = {0, 0, 0, 1, 1, 1};
  asset.clips[0].channels.push_back(show);
  EXPECT_LT(clip_error(asset), 1e-5);
}

TEST(MotionFromClip, HidesJointsThatOthersHangOn) {
  asset::Asset asset = tube_asset(3, /*siblings=*/true);
  asset::Channel hide;
  hide.node = 2, hide.path = asset::Path::kScale, hide.interpolation = asset::Interpolation::kStep;
  hide.times = {0, 0.5f}, hide.values = {1, 1, 1, 0, 0, 0};
  asset.clips[0].channels.push_back(hide);
  EXPECT_LT(clip_error(asset), 1e-5);
}

TEST(MotionFromClip, FollowsNodesThatAreNoJointsOfASkin) {
  asset::Asset asset = tube_asset(3);
  testing::add_swing_clip(asset, {0});
  asset.clips[0].channels.insert(asset.clips[0].channels.end(), asset.clips[1].channels.begin(),
                                 asset.clips[1].channels.end());
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  EXPECT_EQ(subject.rig.joint_count(), 4);
  EXPECT_LT(clip_error(asset), 1e-6);
}

TEST(MotionFromClip, StaysContinuousThroughWholeTurns) {
  asset::Asset asset = tube_asset(2);
  asset::Channel& spin = asset.clips[0].channels[1];
  spin.times.clear(), spin.values.clear();
  for (int key = 0; key <= 12; ++key) {
    spin.times.push_back(static_cast<float>(key) / 12);
    const Quatd q = axis_angle(Vec3d{1, 0, 0}, key * kPi / 3);
    for (int k = 0; k < 4; ++k) spin.values.push_back(static_cast<float>(q[k]));
  }
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  const Motion motion = motion_from_clip(asset, asset.clips[0], subject, 24).value();
  for (int f = 1; f < motion.frame_count(); ++f) {
    EXPECT_NEAR(motion.frame_angles(f)[1].x - motion.frame_angles(f - 1)[1].x, kPi / 6, 1e-4);
  }
}

TEST(MotionFromClip, TakesClipsWithoutLengthAndWithoutChannels) {
  asset::Asset asset = tube_asset(2);
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  asset::Clip still;
  EXPECT_EQ(motion_from_clip(asset, still, subject, 24)->frame_count(), 1);
  asset.clips[0].channels.resize(1);
  asset.clips[0].channels[0].times.resize(1), asset.clips[0].channels[0].values.resize(4);
  EXPECT_EQ(motion_from_clip(asset, asset.clips[0], subject, 24)->frame_count(), 1);
}

TEST(MotionFromClip, RefusesEndlessClips) {
  asset::Asset asset = tube_asset(2);
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  asset.clips[0].channels[0].times.back() = std::numeric_limits<float>::max();
  const auto result = motion_from_clip(asset, asset.clips[0], subject, 24);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().what.find("'swing' is too long"), std::string::npos);
  EXPECT_THROW((void)motion_from_clip(asset, asset.clips[0], subject, 0), ContractError);
}

}  // namespace
}  // namespace limber::kinematics
