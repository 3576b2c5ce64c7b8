// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_diffusion.h"

#include <gtest/gtest.h>

#include "limber/base/threads.h"
#include "limber/pose_space/pose_testing.h"
#include "limber/testing/shared_data.h"

namespace limber::pose_space {
namespace {

/// A body in a space of a network that was never taught.
PoseSpace random_space() {
  const testing::TemporaryFolder folder;
  EXPECT_TRUE(PoseFiles().write(folder.path()).ok());
  const zoo::Creature creature = test_creature();
  PoseSkeleton skeleton = make_pose_skeleton(creature.subject.rig);
  const PoseConditions conditions = make_conditions(skeleton, surface_of(creature.subject));
  return {PoseDenoiser::open(folder.path()).value(), std::move(skeleton), conditions};
}

double distance(const PoseState& a, const PoseState& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

double length(const PoseState& a) { return distance(a, PoseState(a.size(), 0)); }

TEST(PoseDiffusion, DrawsTheSameForTheSameSeedAlone) {
  const PoseSpace space = random_space();
  const PoseState one = space.sample(1), again = space.sample(1), other = space.sample(2);
  EXPECT_EQ(one, again);
  EXPECT_GT(distance(one, other), 0.1);
  EXPECT_NEAR(length(space.noise(3)), 1, 0.1);
}

TEST(PoseDiffusion, FindsTheNoiseOfAPoseAgain) {
  const PoseSpace space = random_space();
  for (const double time : {0.25, 1.0}) {
    const PoseState pose = encode_pose(space.skeleton(), random_pose(space.skeleton().rig, 5, 0.4)).state;
    const PoseState inverted = space.invert(pose, time);
    EXPECT_GT(distance(inverted, pose), 0.05);
    EXPECT_LT(distance(space.denoise(inverted, time), pose), 0.01);
  }
}

TEST(PoseDiffusion, TakesTheSameWayWithAGuideThatSaysNothing) {
  const PoseSpace space = random_space();
  DenoiseSettings guided;
  int asked = 0;
  double last = 2;
  guided.guide = [&](PoseState&, double time) {
    EXPECT_LT(time, last);
    ++asked, last = time;
  };
  EXPECT_LT(distance(space.sample(4, guided), space.sample(4)), 1e-9);
  EXPECT_EQ(asked, 20);
}

TEST(PoseDiffusion, ObeysAGuideAtTheEnd) {
  const PoseSpace space = random_space();
  const PoseState wanted = encode_pose(space.skeleton(), random_pose(space.skeleton().rig, 6, 0.4)).state;
  DenoiseSettings guided;
  guided.guide = [&](PoseState& guess, double) { guess = wanted; };
  EXPECT_LT(distance(space.sample(4, guided), wanted), 1e-9);
}

TEST(PoseDiffusion, GoesFromOnePoseToTheOtherOnAnArc) {
  const PoseSpace space = random_space();
  const PoseState a = encode_pose(space.skeleton(), random_pose(space.skeleton().rig, 1, 0.3)).state;
  const PoseState b = encode_pose(space.skeleton(), random_pose(space.skeleton().rig, 2, 0.3)).state;
  const std::vector<PoseState> way = space.between(a, b, 5);
  ASSERT_EQ(way.size(), 5u);
  EXPECT_LT(distance(way.front(), a), 1e-9);
  EXPECT_LT(distance(way.back(), b), 1e-9);
  for (std::size_t i = 1; i < way.size(); ++i) EXPECT_LT(distance(way[i], way[i - 1]), 0.9 * distance(a, b));

  const PoseState n = space.noise(1), m = space.noise(2);
  for (const double u : {0.0, 0.3, 0.5, 1.0}) EXPECT_NEAR(length(slerp(n, m, u)), 1, 0.1);
  EXPECT_LT(distance(slerp(n, n, 0.4), n), 1e-12);
  PoseState lerp = n;
  for (std::size_t i = 0; i < lerp.size(); ++i) lerp[i] = 0.5 * (n[i] + m[i]);
  EXPECT_LT(length(lerp), 0.8);  // what the arc is for
}

TEST(PoseDiffusion, ProjectsGentlyWithLittleNoise) {
  const PoseSpace space = random_space();
  const PoseState pose = encode_pose(space.skeleton(), random_pose(space.skeleton().rig, 5, 0.4)).state;
  const double little = distance(space.project(pose, 0.02), pose), much = distance(space.project(pose, 0.8), pose);
  EXPECT_LT(little, 0.1);
  EXPECT_GT(much, 3 * little);
}

TEST(PoseDiffusion, ScoresEveryJointBetweenZeroAndOneForAnyNumberOfThreads) {
  const PoseSpace space = random_space();
  const PoseState pose = encode_pose(space.skeleton(), random_pose(space.skeleton().rig, 5, 0.4)).state;
  set_thread_count(1);
  const Plausibility one = space.score(pose);
  set_thread_count(3);
  const Plausibility three = space.score(pose);
  set_thread_count(0);
  EXPECT_EQ(one.joints, three.joints);
  ASSERT_EQ(one.joints.size(), space.skeleton().joints.size());
  for (const double p : one.joints) EXPECT_TRUE(p > 0 && p < 1);
  EXPECT_TRUE(one.whole > 0 && one.whole < 1);
}

TEST(PoseDiffusion, RefusesTimesThatAreNone) {
  const PoseSpace space = random_space();
  EXPECT_THROW(space.denoise(space.noise(1), 0), ContractError);
  EXPECT_THROW(space.denoise(space.noise(1), 1.5), ContractError);
}

}  // namespace
}  // namespace limber::pose_space
