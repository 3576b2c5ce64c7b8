// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_motion.h"

#include <gtest/gtest.h>

#include "limber/base/at.h"
#include "limber/kinematics/forward.h"
#include "limber/pose_space/pose_testing.h"
#include "limber/testing/shared_data.h"
#include "limber/testing/toy_rigs.h"
#include "limber/zoo/action.h"

namespace limber::pose_space {
namespace {

PoseSpace space_of(const rig::Subject& subject) {
  const testing::TemporaryFolder folder;
  EXPECT_TRUE(PoseFiles().write(folder.path()).ok());
  return open_pose_space(subject, folder.path()).value();
}

kinematics::Motion walk(const zoo::Creature& creature) {
  zoo::ActionSettings settings;
  settings.frames = 6, settings.fps = 8;
  return zoo::perform(creature, settings)->motion;
}

TEST(PoseMotion, NeedsAModel) {
  const testing::TemporaryFolder folder;
  EXPECT_FALSE(open_pose_space(test_creature().subject, folder.path()).ok());
}

TEST(PoseMotion, KeepsThePlaceOfWhatItProjectsAndChangesLittleWithLittleNoise) {
  const zoo::Creature creature = test_creature();
  const PoseSpace space = space_of(creature.subject);
  const kinematics::Motion motion = walk(creature);
  const auto mended = project_motion(space, motion, 0.01);
  ASSERT_TRUE(mended.ok());
  EXPECT_EQ(mended->root_translations, motion.root_translations);
  double most = 0;
  for (std::size_t i = 0; i < motion.angles.size(); ++i)
    most = std::max<double>(most, norm(mended->angles[i] - motion.angles[i]));
  EXPECT_GT(most, 1e-4);
  EXPECT_LT(most, 0.5);
  const auto stopped = project_motion(space, motion, 0.01, 0, [](std::string_view, double) { return false; });
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::kCancelled);
}

TEST(PoseMotion, WhatNobodySeesIsNotJudged) {
  rig::Subject subject = test_creature().subject;
  const int last = subject.rig.joint_count() - 1;
  const auto score_turned = [&] {
    const PoseSpace space = space_of(subject);
    kinematics::Pose pose = kinematics::rest_pose(subject.rig);
    const double rest = space.score(encode_pose(space.skeleton(), pose).state).whole;
    pose.angles[at(last)] = {1.5f, 1, -1.5f};
    return std::pair{rest, space.score(encode_pose(space.skeleton(), pose).state).whole};
  };
  const auto [seen_rest, seen] = score_turned();
  EXPECT_NE(seen_rest, seen);
  for (std::size_t k = 0; k < subject.weights.bones.size(); ++k) {
    if (subject.rig.bones()[subject.weights.bones[k]].joint == last) subject.weights.weights[k] = 0;
  }
  const auto [unseen_rest, unseen] = score_turned();
  EXPECT_DOUBLE_EQ(unseen_rest, unseen);
}

TEST(PoseMotion, IsScoredFrameByFrame) {
  const zoo::Creature creature = test_creature();
  const PoseSpace space = space_of(creature.subject);
  const kinematics::Motion motion = walk(creature);
  const std::vector<Plausibility> scores = score_motion(space, motion);
  ASSERT_EQ(scores.size(), at(motion.frame_count()));
  const EncodedPose second = encode_pose(space.skeleton(), pose_at(motion, 1));
  EXPECT_EQ(scores[1].whole, space.score(second.state).whole);
  EXPECT_NE(scores[0].whole, scores[1].whole);
}

TEST(PoseMotion, StandsPosesOnTheGroundThatTheBodyRestsOn) {
  const PoseSkeleton skeleton = make_pose_skeleton(test_creature().subject.rig);
  std::vector<PoseState> poses;
  for (std::uint64_t seed = 0; seed < 3; ++seed)
    poses.push_back(encode_pose(skeleton, random_pose(skeleton.rig, seed, 0.4)).state);
  const kinematics::Motion motion = motion_of_poses(skeleton, poses, 1);
  ASSERT_EQ(motion.frame_count(), 3);
  const auto lowest = [](std::span<const Affine> joints) {
    float low = 1e9f;
    for (const Affine& joint : joints) low = std::min(low, joint.translation.y);
    return low;
  };
  const float ground = lowest(skeleton.rig.world_from_rest());
  for (int f = 0; f < 3; ++f) {
    EXPECT_NEAR(lowest(kinematics::joint_matrices(skeleton.rig, pose_at(motion, f))), ground, 1e-5);
    const PoseState back = encode_pose(skeleton, pose_at(motion, f)).state;
    for (std::size_t i = 0; i < back.size(); ++i) ASSERT_NEAR(back[i], poses[at(f)][i], 1e-4);
  }
}

TEST(PoseMotion, HoldsJointsByTheirPlaceInTheWorldButNotRiders) {
  testing::ToyRigSettings settings;
  settings.joints = 200;
  const PoseSkeleton skeleton = make_pose_skeleton(testing::toy_rig(settings));
  const std::span<const Affine> rest = skeleton.rig.world_from_rest();
  int held = 0;
  for (int j = 0; j < skeleton.rig.joint_count(); ++j) {
    const auto handle = make_handle(skeleton, j, rest[at(j)].translation);
    if (!handle.ok()) {
      EXPECT_EQ(handle.error().kind, ErrorKind::kUnsupported);
      EXPECT_EQ(handle.error().where, skeleton.rig.joints()[at(j)].name);
      continue;
    }
    ++held;
    EXPECT_LT(norm(handle->target - skeleton.joints[at(handle->joint)].place), 1e-6);
  }
  EXPECT_EQ(held, kMostJoints);
}

}  // namespace
}  // namespace limber::pose_space
