// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "limber/base/rng.h"
#include "limber/base/threads.h"
#include "limber/kinematics/motion_energy.h"
#include "limber/testing/gradient_check.h"
#include "limber/testing/toy_rigs.h"

namespace limber::kinematics {
namespace {

using testing::check_gradient;
using testing::GradientCheck;

constexpr double kStep = 0x1.0p-8;  ///< of differences

/// A random multiple of 2^-10: with `kStep` added or taken away a float still holds it exactly, so that differences of
/// energies of float motions are as good as in double.
float exact_value(Rng& rng, double size) { return static_cast<float>(std::round(rng.normal() * size * 1024) / 1024); }

Motion random_motion(const rig::Rig& rig, int frames, double size, std::uint64_t seed) {
  Rng rng(seed);
  Motion motion = rest_motion(rig, frames, 24);
  for (auto* part : {&motion.root_translations, &motion.angles}) {
    for (Vec3& v : *part) {
      for (int k = 0; k < 3; ++k) v[k] = exact_value(rng, size);
    }
  }
  return motion;
}

std::vector<double> flat(const std::vector<Vec3>& roots, const std::vector<Vec3>& angles) {
  std::vector<double> result;
  for (const auto* part : {&roots, &angles}) {
    for (const Vec3& v : *part) {
      for (int k = 0; k < 3; ++k) result.push_back(double(v[k]));
    }
  }
  return result;
}

Motion with_values(Motion motion, std::span<const double> x) {
  std::size_t next = 0;
  for (auto* part : {&motion.root_translations, &motion.angles}) {
    for (Vec3& v : *part) {
      for (int k = 0; k < 3; ++k) v[k] = static_cast<float>(x[next++]);
    }
  }
  return motion;
}

double energy_of(const MotionEnergy& energy, const Motion& motion) {
  MotionGradient unused;
  return energy.add(motion, 0, unused);
}

void expect_exact_gradient(const MotionEnergy& energy, const Motion& motion) {
  MotionGradient gradient;
  const double scale = 3.5, value = energy.add(motion, scale, gradient);
  EXPECT_GT(value, 0);
  const std::vector<double> x = flat(motion.root_translations, motion.angles);
  const std::vector<double> steps(x.size(), kStep);
  testing::GradientCheckSettings settings;
  settings.steps = steps;
  const GradientCheck check =
      check_gradient([&](std::span<const double> at) { return scale * energy_of(energy, with_values(motion, at)); }, x,
                     flat(gradient.root_translations, gradient.angles), settings);
  EXPECT_LT(check.error, 1e-5) << check.summary();
}

/// Joint limits of a third of a radian; several random angles lie outside.
rig::Rig limited_rig() {
  const rig::Rig wide = testing::toy_rig({.joints = 5, .axes = true});
  rig::RigDraft draft;
  draft.joints.assign(wide.joints().begin(), wide.joints().end());
  for (rig::Joint& joint : draft.joints) joint.limits = {{-0.3001f, -0.2002f, -0.3f}, {0.3003f, 0.3f, 0.1f}};
  return rig::build_rig(std::move(draft)).value();
}

std::vector<rig::BoneBox> boxes_of(const rig::Rig& rig) {
  std::vector<rig::BoneBox> boxes;
  for (int j = 0; j < rig.joint_count(); ++j) {
    rig::BoneBox box;
    box.joint = j;
    box.centre = rig.world_from_rest()[static_cast<std::size_t>(j)].translation + Vec3{0.05f, 0.02f, 0};
    box.half = {0.1f, 0.2f, 0.05f};
    boxes.push_back(box);
  }
  return boxes;
}

/// Whether a corner is so near to the ground that a difference would cross it.
bool near_the_ground(const rig::Rig& rig, const std::vector<rig::BoneBox>& boxes, const Motion& motion) {
  const std::vector<Affine> world = joint_matrices(rig, motion);
  for (std::size_t f = 0; f < motion.root_translations.size(); ++f) {
    for (const rig::BoneBox& box : boxes) {
      const auto joint = static_cast<std::size_t>(box.joint);
      const Affine posed = world[f * rig.joints().size() + joint] * inverse(rig.world_from_rest()[joint]);
      for (const Vec3& corner : box.corners()) {
        if (std::abs((posed * corner).y) < 0.04f) return true;
      }
    }
  }
  return false;
}

TEST(MotionEnergyGrad, OfSmoothnessIsExact) {
  const rig::Rig rig = testing::toy_rig({.joints = 4});
  // Large second differences: no kink of the absolute value is within reach of a difference.
  Motion motion = random_motion(rig, 6, 8, 1);
  expect_exact_gradient(SmoothnessEnergy(), motion);
  motion = random_motion(rig, 6, 0.3, 2);
  expect_exact_gradient(SmoothnessEnergy(0.25), motion);
}

TEST(MotionEnergyGrad, OfSmoothnessIsExactForLoops) {
  const rig::Rig rig = testing::toy_rig({.joints = 4});
  for (const int frames : {2, 3, 7}) {
    Motion motion = random_motion(rig, frames, 0.3, 3);
    motion.loops = true;
    expect_exact_gradient(SmoothnessEnergy(0.25), motion);
  }
}

TEST(MotionEnergyGrad, OfLimitsIsExact) {
  const rig::Rig rig = limited_rig();
  const Motion motion = random_motion(rig, 4, 2, 4);
  expect_exact_gradient(LimitEnergy(rig), motion);
}

TEST(MotionEnergyGrad, OfTheGroundIsExact) {
  const rig::Rig rig =
      testing::toy_rig({.joints = 3, .scales = true, .axes = true, .frames = true, .extra_bones = 2, .seed = 3});
  const std::vector<rig::BoneBox> boxes = boxes_of(rig);
  int tried = 0;
  for (std::uint64_t seed = 1; tried < 3 && seed < 400; ++seed) {
    const Motion motion = random_motion(rig, 2, 0.4, seed);
    if (near_the_ground(rig, boxes, motion)) continue;
    expect_exact_gradient(GroundEnergy(rig, boxes), motion);
    ++tried;
  }
  EXPECT_EQ(tried, 3);
}

TEST(MotionEnergy, OfSmoothnessIsTheMeanSecondDifference) {
  const rig::Rig rig = testing::toy_rig({.joints = 3});
  Motion motion = rest_motion(rig, 5, 24);
  motion.frame_angles(2)[1].y = 0.5f;  // seen by three second differences, of 1/2, 1 and 1/2
  EXPECT_NEAR(energy_of(SmoothnessEnergy(), motion), 2.0 / (3 * 3 * 4), 1e-12);
  motion.loops = true;
  EXPECT_NEAR(energy_of(SmoothnessEnergy(), motion), 2.0 / (5 * 3 * 4), 1e-12);
}

TEST(MotionEnergy, OfSmoothnessIsZeroForASteadyWay) {
  const rig::Rig rig = testing::toy_rig({.joints = 3});
  for (const bool loops : {false, true}) {
    Motion motion = rest_motion(rig, 8, 24);
    motion.loops = loops;
    for (int f = 0; f < 8; ++f) {
      motion.root_translations[static_cast<std::size_t>(f)] = {0.125f * static_cast<float>(f), 1, 0};
      // Two turns a lap: where a loop closes, whole turns do not count.
      motion.frame_angles(f)[0].y = static_cast<float>(4 * kPi * f / 8);
    }
    EXPECT_NEAR(energy_of(SmoothnessEnergy(), motion), 0, 1e-6);
  }
}

TEST(MotionEnergy, OfShortMotionsIsZero) {
  const rig::Rig rig = testing::toy_rig({.joints = 1});
  for (const int frames : {0, 1, 2}) {
    const Motion motion = random_motion(rig, frames, 1, 1);
    EXPECT_EQ(energy_of(SmoothnessEnergy(), motion), 0);
    EXPECT_EQ(energy_of(LimitEnergy(rig), motion), 0);
    EXPECT_EQ(energy_of(GroundEnergy(rig, {}), motion), 0);
  }
}

TEST(MotionEnergy, OfLimitsLeavesTheRootFree) {
  const rig::Rig rig = limited_rig();
  Motion motion = rest_motion(rig, 2, 24);
  motion.frame_angles(0)[0] = {3, 3, 3};
  EXPECT_EQ(energy_of(LimitEnergy(rig), motion), 0);
  motion.frame_angles(1)[2].z = 0.6f;  // half a radian beyond
  EXPECT_NEAR(energy_of(LimitEnergy(rig), motion), 0.25 / (2 * 3 * 4), 1e-7);
}

TEST(MotionEnergy, OfTheGroundIsTheMeanDepthOfTheCorners) {
  const rig::Rig rig = testing::toy_rig({.joints = 1});
  rig::BoneBox box;
  box.centre = {0, 0.25f, 0};
  box.half = {0.5f, 0.25f, 0.5f};
  Motion motion = rest_motion(rig, 2, 24);
  const GroundEnergy energy(rig, {box});
  EXPECT_NEAR(energy_of(energy, motion), 0, 1e-6);
  motion.root_translations[1].y = -0.25f;  // four of sixteen corners, a quarter deep
  EXPECT_NEAR(energy_of(energy, motion), 0.25 * 4 / 16, 1e-6);
}

TEST(MotionEnergy, IsTheSameForAnyThreadCount) {
  const rig::Rig rig = testing::toy_rig({.joints = 12, .axes = true});
  const GroundEnergy energy(rig, boxes_of(rig));
  const Motion motion = random_motion(rig, 17, 0.5, 5);
  std::vector<double> values;
  std::vector<MotionGradient> gradients(3);
  for (std::size_t i = 0; i < 3; ++i) {
    set_thread_count(1 << i);
    values.push_back(energy.add(motion, 2, gradients[i]));
  }
  set_thread_count(0);
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_EQ(values[i], values[0]);
    EXPECT_EQ(gradients[i].angles, gradients[0].angles);
    EXPECT_EQ(gradients[i].root_translations, gradients[0].root_translations);
  }
}

TEST(MotionEnergy, RefusesOtherRigsAndGradients) {
  const rig::Rig rig = limited_rig(), other = testing::toy_rig({.joints = 2});
  const Motion motion = rest_motion(other, 3, 24);
  MotionGradient gradient;
  EXPECT_THROW(LimitEnergy(rig).add(motion, 1, gradient), ContractError);
  EXPECT_THROW(GroundEnergy(rig, {}).add(motion, 1, gradient), ContractError);
  rig::BoneBox box;
  box.joint = 2;
  EXPECT_THROW(GroundEnergy(other, {box}), ContractError);
  gradient.angles.resize(1);
  EXPECT_THROW(SmoothnessEnergy().add(motion, 1, gradient), ContractError);
}

}  // namespace
}  // namespace limber::kinematics
