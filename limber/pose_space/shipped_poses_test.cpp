// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "limber/pose_space/pose_motion.h"
#include "limber/pose_space/pose_solve.h"
#include "limber/pose_space/pose_testing.h"
#include "limber/pose_space/solve_places.h"
#include "limber/testing/shared_data.h"
#include "limber/testing/toy_rigs.h"
#include "limber/zoo/action.h"

/// The network of the repository, without LibTorch, on bodies that no training has seen.
namespace limber::pose_space {
namespace {

std::filesystem::path shipped() { return testing::source_dir() / "models" / "pose_space"; }

double mean_distance(const PoseShape& a, const PoseShape& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.places.size(); ++j) sum += norm(a.places[j] - b.places[j]);
  return sum / static_cast<double>(a.places.size());
}

TEST(ShippedPoses, DrawPosesThatDifferKeepTheirBonesAndArePlausible) {
  for (const zoo::Plan plan : {zoo::Plan::kBiped, zoo::Plan::kQuadruped}) {
    const zoo::Creature creature = test_creature(plan, 970100);
    const PoseSpace space = open_pose_space(creature.subject, shipped()).value();
    const PoseSkeleton& skeleton = space.skeleton();
    const PoseShape rest = shape_of(skeleton, PoseState(skeleton.joints.size() * kStateSize, 0));
    std::vector<PoseShape> drawn;
    double plausible = 0;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const PoseState state = space.sample(seed);
      for (const double v : state) ASSERT_TRUE(std::isfinite(v));
      drawn.push_back(shape_of(skeleton, state));
      plausible += space.score(state_of(skeleton, drawn.back().turns)).whole / 4;
      // What it says of places is where its turns lead to.
      for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
        const Vec3d said{state[j * kStateSize], state[j * kStateSize + 1], state[j * kStateSize + 2]};
        EXPECT_LT(norm(skeleton.joints[j].place + kPositionUnit * said - drawn.back().places[j]), 0.1) << j;
      }
    }
    EXPECT_GT(plausible, 0.5) << zoo::name(plan);
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      EXPECT_LT(mean_distance(drawn[i], rest), 0.5);
      for (std::size_t k = 0; k < i; ++k) EXPECT_GT(mean_distance(drawn[i], drawn[k]), 0.005);
    }
  }
}

/// A walk is plausible; with a leg turned round it is not, and which joint it was is told.
TEST(ShippedPoses, TellAWalkFromOneWithALegTurnedRound) {
  const zoo::Creature creature = test_creature(zoo::Plan::kQuadruped, 970101);
  const PoseSpace space = open_pose_space(creature.subject, shipped()).value();
  const PoseSkeleton& skeleton = space.skeleton();
  zoo::ActionSettings action;
  action.frames = 4, action.fps = 6;
  const kinematics::Motion motion = zoo::perform(creature, action)->motion;
  const int joint = creature.legs[0].joints[1];
  for (int f = 0; f < motion.frame_count(); ++f) {
    kinematics::Pose pose = pose_at(motion, f);
    const Plausibility sound = space.score(encode_pose(skeleton, pose).state);
    pose.angles[static_cast<std::size_t>(joint)] += Vec3{0.5f, 1.8f, 0};
    const Plausibility spoiled = space.score(encode_pose(skeleton, pose).state);
    EXPECT_GT(sound.whole, 0.8) << f;
    EXPECT_LT(spoiled.whole, 0.2) << f;
    EXPECT_LT(spoiled.joints[static_cast<std::size_t>(skeleton.carriers[static_cast<std::size_t>(joint)])], 0.3) << f;
  }
}

TEST(ShippedPoses, InvertAndReturn) {
  const zoo::Creature creature = test_creature(zoo::Plan::kBiped, 970102);
  const PoseSpace space = open_pose_space(creature.subject, shipped()).value();
  zoo::ActionSettings action;
  action.frames = 3, action.fps = 6;
  const kinematics::Motion motion = zoo::perform(creature, action)->motion;
  for (int f = 0; f < motion.frame_count(); ++f) {
    const PoseState pose = encode_pose(space.skeleton(), pose_at(motion, f)).state;
    const PoseState back = space.denoise(space.invert(pose));
    EXPECT_LT(mean_distance(shape_of(space.skeleton(), back), shape_of(space.skeleton(), pose)), 0.01) << f;
  }
}

/// A rig of one joint has nothing to draw, one of 300 is looked at in part: both are answered.
TEST(ShippedPoses, ServeRigsOfOneJointAndOf300) {
  for (const int joints : {1, 300}) {
    testing::ToyRigSettings toy;
    toy.joints = joints;
    const PoseSkeleton skeleton = make_pose_skeleton(testing::toy_rig(toy));
    const PoseSpace space(PoseDenoiser::open(shipped()).value(), skeleton, make_conditions(skeleton));
    EXPECT_EQ(skeleton.riders(), std::max(0, joints - kMostJoints));
    const PoseState state = space.sample(1);
    const kinematics::Pose pose = decode_pose(skeleton, state, {});
    ASSERT_EQ(pose.angles.size(), static_cast<std::size_t>(joints));
    for (const Vec3& angles : pose.angles) EXPECT_TRUE(is_finite(angles));
    const Plausibility score = space.score(state);
    EXPECT_TRUE(score.whole >= 0 && score.whole <= 1);
    const SolvedPose solved = solve_pose(space, std::vector<PoseHandle>{{0, {0, 5, 0}}});
    EXPECT_NEAR(solved.errors[0], 5, 1e-9);  // the root stays where it is
  }
}

/// The same handle dragged a little: few steps from the pose before meet it, and the pose stays near.
TEST(ShippedPoses, FollowAHandleThatIsDragged) {
  const zoo::Creature creature = test_creature(zoo::Plan::kBiped, 970103);
  const PoseSpace space = open_pose_space(creature.subject, shipped()).value();
  const PoseSkeleton& skeleton = space.skeleton();
  const PoseShape posed = shape_of(skeleton, space.sample(3));
  const int hand = skeleton.size() - 1;
  std::vector<PoseHandle> handles{{hand, posed.places[static_cast<std::size_t>(hand)]}};
  SolvedPose solved = solve_pose(space, handles);
  EXPECT_LT(solved.errors[0], 1e-4);
  for (int i = 0; i < 3; ++i) {
    handles[0].target += 0.01 * (Vec3d{} - handles[0].target);
    SolveSettings dragged;
    dragged.from = &solved.state;
    const SolvedPose next = solve_pose(space, handles, dragged);
    EXPECT_LT(next.errors[0], 1e-4) << i;
    EXPECT_LT(mean_distance(shape_of(skeleton, next.state), shape_of(skeleton, solved.state)), 0.15) << i;
    solved = next;
  }
}

/// An asset of another size, elsewhere: places are its own, errors are in heights.
TEST(ShippedPoses, PutAJointWhereTheAssetWantsItOrTellHowMuchIsMissing) {
  zoo::Creature creature = test_creature(zoo::Plan::kBiped, 970103);
  rig::Subject& subject = creature.subject;
  const PoseSpace space = open_pose_space(subject, shipped()).value();
  const int hand = space.skeleton().joints.back().joint;
  const Vec3 rest = subject.rig.world_from_rest()[static_cast<std::size_t>(hand)].translation;
  subject.asset_scale = 20, subject.asset_offset = {5, 0, -3};
  const auto in_asset = [&](Vec3 p) { return subject.asset_scale * p + subject.asset_offset; };

  const std::vector<JointPlace> near{{hand, in_asset(rest + Vec3{0, 0.05f, 0})}};
  const SolvedPlaces met = solve_places(subject, space, near).value();
  EXPECT_LT(met.errors[0], 1e-4);
  EXPECT_GT(met.plausible, 0.2);
  const std::vector<JointPlace> far{{hand, in_asset(rest + Vec3{0, 9, 0})}};
  EXPECT_GT(solve_places(subject, space, far)->errors[0], 7);
}

}  // namespace
}  // namespace limber::pose_space
