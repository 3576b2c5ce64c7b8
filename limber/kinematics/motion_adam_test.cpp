// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/kinematics/motion_adam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "limber/base/rng.h"
#include "limber/kinematics/motion_energy.h"
#include "limber/testing/toy_rigs.h"

namespace limber::kinematics {
namespace {

Motion random_motion(std::uint64_t seed) {
  Rng rng(seed);
  Motion motion = rest_motion(testing::toy_rig({.joints = 3}), 4, 24);
  for (Vec3& v : motion.root_translations) v = testing::random_vector(rng);
  for (Vec3& v : motion.angles) v = testing::random_vector(rng);
  return motion;
}

/// Of half the squared distance, badly scaled: roots count a thousand times less than angles.
MotionGradient gradient_towards(const Motion& motion, const Motion& target) {
  MotionGradient gradient;
  size_gradient(motion, gradient);
  for (std::size_t i = 0; i < motion.root_translations.size(); ++i) {
    gradient.root_translations[i] = 1e-3f * (motion.root_translations[i] - target.root_translations[i]);
  }
  for (std::size_t i = 0; i < motion.angles.size(); ++i) gradient.angles[i] = motion.angles[i] - target.angles[i];
  return gradient;
}

float distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  float farthest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) farthest = std::max(farthest, norm(a[i] - b[i]));
  return farthest;
}

TEST(MotionAdam, FindsTheMinimumWhateverTheScale) {
  const Motion target = random_motion(1);
  Motion motion = random_motion(2);
  MotionAdam adam;
  for (int i = 0; i < 600; ++i) {
    const double rate = 0.05 * (1 - i / 600.0);
    adam.step(motion, gradient_towards(motion, target), rate, rate);
  }
  EXPECT_LT(distance(motion.angles, target.angles), 1e-2f);
  EXPECT_LT(distance(motion.root_translations, target.root_translations), 1e-2f);
}

TEST(MotionAdam, MovesByTheRatesInTheFirstStep) {
  const Motion target = random_motion(1), start = random_motion(2);
  Motion motion = start;
  MotionAdam().step(motion, gradient_towards(motion, target), 0.125, 0.5);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(std::abs(motion.angles[4][k] - start.angles[4][k]), 0.125, 1e-4);
    EXPECT_NEAR(std::abs(motion.root_translations[1][k] - start.root_translations[1][k]), 0.5, 1e-4);
  }
}

TEST(MotionAdam, LeavesJointsThatAreNotFree) {
  const Motion target = random_motion(1), start = random_motion(2);
  Motion motion = start;
  MotionAdam adam;
  for (int i = 0; i < 5; ++i) adam.step(motion, gradient_towards(motion, target), 0.1, 0.1, {true, false, true});
  for (int f = 0; f < motion.frame_count(); ++f) {
    EXPECT_EQ(motion.frame_angles(f)[1], start.frame_angles(f)[1]);
    EXPECT_NE(motion.frame_angles(f)[0], start.frame_angles(f)[0]);
    EXPECT_NE(motion.frame_angles(f)[2], start.frame_angles(f)[2]);
  }
}

TEST(MotionAdam, LeavesEntriesWithoutAFiniteGradient) {
  const Motion target = random_motion(1), start = random_motion(2);
  Motion motion = start;
  MotionGradient gradient = gradient_towards(motion, target);
  gradient.angles[5].y = std::numeric_limits<float>::quiet_NaN();
  gradient.root_translations[2].z = std::numeric_limits<float>::infinity();
  MotionAdam adam;
  adam.step(motion, gradient, 0.1, 0.1);
  EXPECT_EQ(motion.angles[5].y, start.angles[5].y);
  EXPECT_EQ(motion.root_translations[2].z, start.root_translations[2].z);
  EXPECT_NE(motion.angles[5].x, start.angles[5].x);
  for (const float moment : adam.state().second) EXPECT_TRUE(std::isfinite(moment));
}

TEST(MotionAdam, GoesOnFromItsStateWithTheSameBits) {
  const Motion target = random_motion(1);
  Motion whole = random_motion(2), halves = whole;
  MotionAdam adam;
  for (int i = 0; i < 20; ++i) adam.step(whole, gradient_towards(whole, target), 0.05, 0.02);
  MotionAdam first, second;
  for (int i = 0; i < 7; ++i) first.step(halves, gradient_towards(halves, target), 0.05, 0.02);
  second.set_state(first.state());
  for (int i = 7; i < 20; ++i) second.step(halves, gradient_towards(halves, target), 0.05, 0.02);
  EXPECT_EQ(halves.angles, whole.angles);
  EXPECT_EQ(halves.root_translations, whole.root_translations);
  EXPECT_EQ(second.state().steps, 20);
}

TEST(MotionAdam, RefusesAGradientOfAnotherMotion) {
  Motion motion = random_motion(1);
  EXPECT_THROW(MotionAdam().step(motion, {}, 0.1, 0.1), ContractError);
  MotionGradient gradient;
  size_gradient(motion, gradient);
  EXPECT_THROW(MotionAdam().step(motion, gradient, 0.1, 0.1, {true}), ContractError);
}

}  // namespace
}  // namespace limber::kinematics
