// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/repair.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "limber/testing/toy_rigs.h"

namespace limber::physics {
namespace {

/// A root that walks steadily and joints that swing.
kinematics::Motion steady(int frames = 40) {
  const rig::Rig rig = testing::toy_rig({.joints = 4});
  kinematics::Motion motion = kinematics::rest_motion(rig, frames, 24);
  for (int f = 0; f < frames; ++f) {
    const auto t = static_cast<float>(f);
    motion.root_translations[static_cast<std::size_t>(f)] = {0, 0.5f, 0.03f * t};
    for (Vec3& a : motion.frame_angles(f)) a = {0.3f * std::sin(0.4f * t), 0.1f, 0};
  }
  return motion;
}

double largest_difference(const kinematics::Motion& a, const kinematics::Motion& b) {
  double worst = 0;
  for (std::size_t k = 0; k < a.root_translations.size(); ++k) {
    worst = std::max(worst, double(norm(a.root_translations[k] - b.root_translations[k])));
  }
  for (std::size_t k = 0; k < a.angles.size(); ++k) worst = std::max(worst, double(norm(a.angles[k] - b.angles[k])));
  return worst;
}

TEST(PhysicsRepair, LeavesAGoodMotionAlone) {
  const kinematics::Motion motion = steady();
  const Repaired repaired = repair_motion(motion);
  EXPECT_EQ(repaired.motion.angles, motion.angles);
  EXPECT_EQ(repaired.motion.root_translations, motion.root_translations);
  EXPECT_TRUE(repaired.report.frames.empty());
}

TEST(PhysicsRepair, FillsFramesThatAreNotFinite) {
  const kinematics::Motion good = steady();
  kinematics::Motion motion = good;
  motion.root_translations[7].y = std::numeric_limits<float>::quiet_NaN();
  motion.frame_angles(20)[2].x = std::numeric_limits<float>::infinity();
  motion.frame_angles(0)[1].z = std::numeric_limits<float>::quiet_NaN();
  motion.root_translations[39].x = 1e30f;
  const Repaired repaired = repair_motion(motion);
  EXPECT_EQ(repaired.report.not_finite, 4);
  EXPECT_LT(largest_difference(repaired.motion, good), 0.15);
}

TEST(PhysicsRepair, BringsBackATeleportingFrame) {
  const kinematics::Motion good = steady();
  kinematics::Motion motion = good;
  motion.root_translations[15] += Vec3{4, 0, 1};
  const Repaired repaired = repair_motion(motion);
  EXPECT_EQ(repaired.report.spikes, 1);
  EXPECT_LT(largest_difference(repaired.motion, good), 0.05);
}

TEST(PhysicsRepair, GoesOnAfterAJump) {
  const kinematics::Motion good = steady();
  kinematics::Motion motion = good;
  for (std::size_t f = 15; f < 40; ++f) motion.root_translations[f] += Vec3{4, 0, 1};
  const Repaired repaired = repair_motion(motion);
  EXPECT_EQ(repaired.report.jumps, 1);
  EXPECT_LT(largest_difference(repaired.motion, good), 0.01);
}

TEST(PhysicsRepair, ANothingOfAMotionBecomesRest) {
  kinematics::Motion motion = steady(3);
  for (Vec3& a : motion.angles) a.x = std::numeric_limits<float>::quiet_NaN();
  const Repaired repaired = repair_motion(motion);
  EXPECT_EQ(repaired.report.not_finite, 3);
  for (const Vec3& a : repaired.motion.angles) EXPECT_EQ(a, Vec3{});
  EXPECT_EQ(repair_motion(kinematics::Motion{}).motion.frame_count(), 0);
}

}  // namespace
}  // namespace limber::physics
