// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>

#include "limber/kinematics/resample.h"
#include "limber/motion_space/motion_contacts.h"
#include "limber/motion_space/motion_prior.h"
#include "limber/motion_space/motion_testing.h"
#include "limber/pose_space/scan_testing.h"
#include "limber/pose_space/wanted_turns.h"
#include "limber/testing/shared_data.h"
#include "limber/testing/toy_rigs.h"

namespace limber::motion_space {
namespace {

/// A rig alone, without a surface, as a space of motions by a tiny network.
std::shared_ptr<const MotionSpace> space_of(int joints) {
  testing::ToyRigSettings settings;
  settings.axes = true, settings.scales = true, settings.joints = joints;
  pose_space::PoseSkeleton skeleton = pose_space::make_pose_skeleton(testing::toy_rig(settings));
  MotionConditions conditions = make_motion_conditions(skeleton, {{}, {}, rig::SkinWeights()});
  const testing::TemporaryFolder folder;
  EXPECT_TRUE(write_tiny_motions(folder.path()).ok());
  return std::make_shared<const MotionSpace>(MotionDenoiser::open(folder.path()).value(),
                                             MotionBody{std::move(skeleton), std::move(conditions)});
}

kinematics::Motion motion_for(const MotionSpace& space, int frames, std::uint64_t seed) {
  return pose_space::exact_motion(space.skeleton().rig, frames, 0.3, seed);
}

MotionPriorSettings asked_once() {
  MotionPriorSettings settings;
  settings.period = 1 << 30;
  return settings;
}

/// With what the network said held fixed.
TEST(MotionPriorGrad, AgreesWithDifferences) {
  const auto space = space_of(5);
  const MotionPriorEnergy energy(space, asked_once());
  pose_space::expect_exact_gradient(energy, motion_for(*space, 3, 3));
}

TEST(MotionPrior, IsTheSquaredTurnToWhereTheNetworkHasJoints) {
  const auto space = space_of(5);
  const kinematics::Motion motion = motion_for(*space, 4, 4);
  const std::vector<Mat3d> wanted = wanted_turns(*space, motion, {}, 0.3);
  double sum = 0;
  for (int f = 0; f < 4; ++f) {
    for (std::size_t j = 1; j < 5; ++j) {
      const auto joint = static_cast<std::size_t>(space->skeleton().joints[j].joint);
      const Quatd own = to_quat(kinematics::euler_matrix(motion.frame_angles(f)[joint].cast<double>()));
      const double angle = angle_between(own, to_quat(wanted[static_cast<std::size_t>(f) * 5 + j]));
      sum += (2 - 2 * std::cos(angle)) / 16;
    }
  }
  kinematics::MotionGradient unused;
  EXPECT_GT(sum, 1e-4);
  EXPECT_NEAR(MotionPriorEnergy(space, {}).add(motion, 0, unused), sum, 1e-9);
}

/// Frames at 30 a second, of which there are sixty, are those that the network sees.
TEST(MotionPrior, WantsWhatTheNetworkSettlesOn) {
  const auto space = space_of(4);
  kinematics::Motion motion = motion_for(*space, kFrames, 5);
  motion.fps = kFps;
  MotionState state = encode_motion(space->skeleton(), motion);
  put_standing(space->skeleton(), space->feet(), state);
  const kinematics::Motion settled = decode_motion(space->skeleton(), space->settle(state, {}, 0.3));
  const std::vector<Mat3d> wanted = wanted_turns(*space, motion, {}, 0.3);
  for (const int f : {0, 7, kFrames - 1}) {
    for (std::size_t j = 1; j < 4; ++j) {
      const auto joint = static_cast<std::size_t>(space->skeleton().joints[j].joint);
      const Mat3d turn = kinematics::euler_matrix(settled.frame_angles(f)[joint].cast<double>());
      EXPECT_LT(angle_between(to_quat(turn), to_quat(wanted[static_cast<std::size_t>(f) * 4 + j])), 1e-3);
    }
  }
}

/// At any rate and of any length: frames far from each other are looked at together with their own neighbours.
TEST(MotionPrior, LooksAtLongMotionsPieceByPiece) {
  const auto space = space_of(4);
  kinematics::Motion motion = motion_for(*space, 60, 6);
  motion.fps = 12;  // five seconds
  const std::vector<Mat3d> wanted = wanted_turns(*space, motion, {}, 0.3);
  ASSERT_EQ(wanted.size(), 60u * 4);
  kinematics::Motion other = motion;
  for (Vec3& angles : other.frame_angles(59)) angles += Vec3{0.5f, 0, 0};
  const std::vector<Mat3d> changed = wanted_turns(*space, other, {}, 0.3);
  const auto moved = [&](int frame) {
    double most = 0;
    for (std::size_t j = 1; j < 4; ++j) {
      const std::size_t i = static_cast<std::size_t>(frame) * 4 + j;
      most = std::max(most, angle_between(to_quat(wanted[i]), to_quat(changed[i])));
    }
    return most;
  };
  EXPECT_LT(moved(0), 1e-9);
  EXPECT_LT(moved(20), 1e-9);
  EXPECT_GT(moved(58), 1e-4);
}

TEST(MotionPrior, AsksAgainAfterItsPeriod) {
  const auto space = space_of(5);
  MotionPriorSettings settings;
  settings.period = 2;
  const MotionPriorEnergy energy(space, settings);
  kinematics::MotionGradient unused;
  const kinematics::Motion a = motion_for(*space, 3, 5), b = motion_for(*space, 3, 6);
  const double own = energy.add(a, 0, unused), held = energy.add(b, 0, unused), asked = energy.add(b, 0, unused);
  EXPECT_NE(held, asked);
  EXPECT_EQ(MotionPriorEnergy(space, settings).add(b, 0, unused), asked);
  EXPECT_EQ(MotionPriorEnergy(space, settings).add(a, 0, unused), own);
}

}  // namespace
}  // namespace limber::motion_space
