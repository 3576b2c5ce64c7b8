// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/pose_error.h"

#include <gtest/gtest.h>

#include "limber/testing/toy_rigs.h"

namespace limber::metrics {
namespace {

TEST(PoseError, IsZeroForTheTruthAndDoesNotCountTheRoot) {
  const rig::Rig rig = testing::toy_rig();
  kinematics::Motion truth = kinematics::rest_motion(rig, 3, 24);
  Rng rng(1);
  for (Vec3& a : truth.angles) a = testing::random_vector(rng, 0.4);
  kinematics::Motion moved = truth;
  for (int t = 0; t < 3; ++t) moved.frame_angles(t)[0] = {0.5f, 0, 0}, moved.root_translations[1].x = 2;
  const PoseError error = pose_error(rig, moved, truth);
  EXPECT_NEAR(error.angle, 0, 1e-6);
  EXPECT_NEAR(error.position, 0, 1e-5);
}

TEST(PoseError, MeasuresATurn) {
  testing::ToyRigSettings settings;
  settings.shape = testing::ToyShape::kChain, settings.joints = 3;
  const rig::Rig rig = testing::toy_rig(settings);
  const kinematics::Motion truth = kinematics::rest_motion(rig, 2, 24);
  kinematics::Motion turned = truth;
  turned.frame_angles(1)[1].y = 0.4f;
  EXPECT_NEAR(joint_angle_error(turned, truth, 1, 1), 0.4, 1e-6);
  EXPECT_NEAR(pose_error(rig, turned, truth).angle, 0.1, 1e-6);  // of two frames and two joints
  EXPECT_NEAR(pose_error(rig, turned, truth, {true, true, false}).angle, 0.2, 1e-6);
  EXPECT_GT(pose_error(rig, turned, truth).position, 0);
}

TEST(PoseError, CountsPointsThatAreNearEnough) {
  const std::vector<Vec2> truth{{0, 0}, {100, 0}, {50, 20}}, found{{4, 0}, {100, 6}, {50, 20}};
  EXPECT_NEAR(correct_points(found, truth), 2.0 / 3, 1e-12);
  EXPECT_EQ(correct_points({}, {}), 0);
}

}  // namespace
}  // namespace limber::metrics
