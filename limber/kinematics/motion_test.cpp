// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/kinematics/motion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/base/rng.h"
#include "limber/testing/toy_rigs.h"

namespace limber::kinematics {
namespace {

/// Angle in radians between two rotations.
double angle_between(const Mat3d& a, const Mat3d& b) { return limber::angle_between(to_quat(a), to_quat(b)); }

double largest(Vec3d v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

TEST(EulerAngles, GiveTheRotationBack) {
  Rng rng(1);
  for (int i = 0; i < 10000; ++i) {
    const Mat3d rotation = to_matrix(normalized(Quatd{rng.normal(), rng.normal(), rng.normal(), rng.normal()}));
    const Vec3d previous{rng.normal() * 5, rng.normal() * 5, rng.normal() * 5};
    EXPECT_LT(angle_between(euler_matrix(euler_angles(rotation, previous)), rotation), 1e-7);
  }
}

TEST(EulerAngles, GiveTheRotationBackAtAndNearTheGimbal) {
  Rng rng(2);
  for (int i = 0; i < 10000; ++i) {
    const double offset = i % 10 == 0 ? 0 : std::pow(10.0, rng.uniform(-16, -2)) * (rng.chance(0.5) ? 1 : -1);
    const Vec3d angles{rng.uniform(-kPi, kPi), (rng.chance(0.5) ? 1 : -1) * kPi / 2 + offset, rng.uniform(-kPi, kPi)};
    const Mat3d rotation = euler_matrix(angles);
    const Vec3d previous{rng.normal(), rng.normal(), rng.normal()};
    EXPECT_LT(angle_between(euler_matrix(euler_angles(rotation, previous)), rotation), 1e-6);
  }
}

TEST(EulerAngles, ReturnThePreviousAnglesOfTheSameRotation) {
  Rng rng(3);
  for (int i = 0; i < 1000; ++i) {
    // Any number of turns, either family of solutions, gimbal every tenth time.
    Vec3d angles{rng.uniform(-9, 9), rng.uniform(-9, 9), rng.uniform(-9, 9)};
    if (i % 10 == 0) angles.y = kPi / 2 + kPi * std::floor(rng.uniform(-2, 2));
    EXPECT_LT(largest(euler_angles(euler_matrix(angles), angles) - angles), 1e-6) << angles.y;
  }
}

TEST(EulerAngles, StayContinuousThroughTheGimbal) {
  // b sweeps through several right angles while a and c drift; some frames fall on the gimbal exactly.
  Vec3d found{0.4, 0, -0.3};
  for (int i = 0; i <= 4000; ++i) {
    const double t = i / 1000.0;
    const Vec3d angles{0.4 + 0.2 * t, kPi / 2 * t, -0.3 + 0.1 * t};
    const Vec3d next = euler_angles(euler_matrix(angles), found);
    EXPECT_LT(largest(next - found), 0.01) << "frame " << i;
    EXPECT_LT(angle_between(euler_matrix(next), euler_matrix(angles)), 1e-6);
    found = next;
  }
}

TEST(EulerAngles, ShareAFreeTurnAtTheGimbalFairly) {
  const Vec3d found = euler_angles(euler_matrix(Vec3d{0.5, kPi / 2, 0.3}), {0.1, kPi / 2, 0.1});
  EXPECT_LT(norm(found - Vec3d{0.4, kPi / 2, 0.4}), 1e-7);
  const Vec3d below = euler_angles(euler_matrix(Vec3d{0.5, -kPi / 2, 0.3}), {0.1, -kPi / 2, 0.1});
  EXPECT_LT(norm(below - Vec3d{0.2, -kPi / 2, 0.0}), 1e-7);
}

TEST(Motion, RestHasZeroAnglesForEveryFrameAndJoint) {
  const rig::Rig rig = testing::toy_rig();
  Motion motion = rest_motion(rig, 3, 30);
  EXPECT_EQ(motion.frame_count(), 3);
  EXPECT_EQ(motion.angles.size(), 3u * rig.joints().size());
  motion.frame_angles(1)[2] = {1, 2, 3};
  EXPECT_EQ(motion.angles[rig.joints().size() + 2], (Vec3{1, 2, 3}));
  EXPECT_EQ(rest_pose(rig).angles.size(), rig.joints().size());
  EXPECT_THROW(rest_motion(rig, -1, 30), ContractError);
  EXPECT_THROW(rest_motion(rig, 1, 0), ContractError);
}

}  // namespace
}  // namespace limber::kinematics
