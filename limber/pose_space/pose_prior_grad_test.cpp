// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "limber/kinematics/motion_adam.h"
#include "limber/pose_space/pose_motion.h"
#include "limber/pose_space/pose_prior.h"
#include "limber/pose_space/pose_testing.h"
#include "limber/pose_space/scan_testing.h"
#include "limber/testing/shared_data.h"
#include "limber/testing/toy_rigs.h"

namespace limber::pose_space {
namespace {

PoseSpace space_of(const PoseSkeleton& skeleton) {
  const testing::TemporaryFolder folder;
  EXPECT_TRUE(PoseFiles().write(folder.path()).ok());
  return {PoseDenoiser::open(folder.path()).value(), skeleton, make_conditions(skeleton)};
}

PoseSkeleton toy_skeleton(int joints) {
  testing::ToyRigSettings settings;
  settings.axes = true, settings.scales = true, settings.joints = joints;
  return make_pose_skeleton(testing::toy_rig(settings));
}

/// With what the network said held fixed, and joints that count differently.
TEST(PosePriorGrad, AgreesWithDifferences) {
  const PoseSkeleton skeleton = toy_skeleton(7);
  const kinematics::Motion motion = exact_motion(skeleton.rig, 2, 0.4, 3);
  PosePriorSettings settings;
  settings.period = 1 << 30;
  for (std::size_t i = 0; i < motion.angles.size(); ++i)
    settings.weights.push_back(0.2f + 0.1f * static_cast<float>(i % 5));
  const PosePriorEnergy energy(space_of(skeleton), settings);
  expect_exact_gradient(energy, motion);
}

TEST(PosePrior, IsTheSquaredTurnToWhereTheNetworkHasJoints) {
  const PoseSkeleton skeleton = toy_skeleton(5);
  const PoseSpace space = space_of(skeleton);
  const kinematics::Motion motion = exact_motion(skeleton.rig, 1, 0.3, 4);
  const PoseShape wanted = shape_of(skeleton, space.settle(encode_pose(skeleton, pose_at(motion, 0)).state, 0.12));
  const std::vector<Mat3d> turns = turns_of(skeleton, motion.angles);
  double sum = 0;
  for (std::size_t j = 1; j < 5; ++j) {
    const auto parent = static_cast<std::size_t>(skeleton.joints[j].parent);
    const Quatd own = to_quat(transposed(turns[parent]) * turns[j]);
    const double angle = angle_between(own, to_quat(transposed(wanted.turns[parent]) * wanted.turns[j]));
    sum += (2 - 2 * std::cos(angle)) / 4;
  }
  kinematics::MotionGradient unused;
  EXPECT_GT(sum, 1e-4);
  EXPECT_NEAR(PosePriorEnergy(space).add(motion, 0, unused), sum, 1e-9);
}

/// Followed downhill, the motion becomes what the network took it for.
TEST(PosePrior, LeadsToWhatTheNetworkSaid) {
  const PoseSkeleton skeleton = toy_skeleton(6);
  PosePriorSettings settings;
  settings.period = 1 << 30, settings.time = 0.6;
  const PosePriorEnergy energy(space_of(skeleton), settings);
  kinematics::Motion motion = exact_motion(skeleton.rig, 2, 0.3, 5);
  kinematics::MotionAdam adam;
  double first = 0, last = 0;
  for (int i = 0; i < 200; ++i) {
    kinematics::MotionGradient gradient;
    last = energy.add(motion, 1, gradient);
    if (i == 0) first = last;
    adam.step(motion, gradient, 0.02, 0);
  }
  EXPECT_GT(first, 1e-3);
  EXPECT_LT(last, 0.01 * first);
}

TEST(PosePrior, AsksAgainAfterItsPeriod) {
  const PoseSkeleton skeleton = toy_skeleton(6);
  PosePriorSettings settings;
  settings.period = 2;
  const PosePriorEnergy energy(space_of(skeleton), settings);
  kinematics::MotionGradient unused;
  const kinematics::Motion a = exact_motion(skeleton.rig, 1, 0.3, 5), b = exact_motion(skeleton.rig, 1, 0.3, 6);
  const double own = energy.add(a, 0, unused), held = energy.add(b, 0, unused), asked = energy.add(b, 0, unused);
  EXPECT_NE(held, asked);
  EXPECT_EQ(PosePriorEnergy(space_of(skeleton), settings).add(b, 0, unused), asked);
  EXPECT_EQ(PosePriorEnergy(space_of(skeleton), settings).add(a, 0, unused), own);
}

TEST(PosePrior, LeansTheMoreTheLessIsKnown) {
  const PoseSkeleton skeleton = toy_skeleton(6);
  const PoseSpace space = space_of(skeleton);
  const kinematics::Motion motion = exact_motion(skeleton.rig, 2, 0.3, 7);
  const auto change = [&](float confidence) {
    const std::vector<float> all(motion.angles.size(), confidence);
    const kinematics::Motion leant = lean_on_prior(space, motion, all);
    EXPECT_EQ(leant.root_translations, motion.root_translations);
    EXPECT_EQ(leant.frame_angles(0)[0], motion.frame_angles(0)[0]);
    double sum = 0;
    for (std::size_t i = 0; i < motion.angles.size(); ++i) sum += double{norm(leant.angles[i] - motion.angles[i])};
    return sum;
  };
  EXPECT_LT(change(1), 1e-4);
  EXPECT_GT(change(0), 1.5 * change(0.5f));
  EXPECT_GT(change(0.5f), 1e-2);
}

TEST(PosePrior, HasNothingToSayOfOneJoint) {
  const PoseSkeleton skeleton = toy_skeleton(1);
  kinematics::MotionGradient gradient;
  EXPECT_EQ(PosePriorEnergy(space_of(skeleton)).add(exact_motion(skeleton.rig, 2, 0.3, 8), 1, gradient), 0);
}

}  // namespace
}  // namespace limber::pose_space
