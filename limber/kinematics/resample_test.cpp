// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/kinematics/resample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "limber/base/expect.h"
#include "limber/base/rng.h"
#include "limber/testing/toy_rigs.h"

namespace limber::kinematics {
namespace {

constexpr int kJoints = 3;

/// Root and angles as functions of time in seconds.
struct Recipe {
  std::function<Vec3d(double)> root = [](double) { return Vec3d{}; };
  std::function<Vec3d(double, int)> angles = [](double, int) { return Vec3d{}; };
};

Motion play(const Recipe& recipe, int frames, double fps, bool loops) {
  Motion motion;
  motion.fps = fps, motion.loops = loops, motion.joint_count = kJoints;
  for (int i = 0; i < frames; ++i) {
    motion.root_translations.push_back(recipe.root(i / fps).cast<float>());
    for (int j = 0; j < kJoints; ++j) motion.angles.push_back(recipe.angles(i / fps, j).cast<float>());
  }
  return motion;
}

/// The farthest that a motion is from its recipe, whose clock runs `stretch` times as fast.
double distance(const Motion& motion, const Recipe& recipe, double stretch = 1) {
  double farthest = 0;
  for (int i = 0; i < motion.frame_count(); ++i) {
    const double seconds = stretch * i / motion.fps;
    const Vec3d root = motion.root_translations[static_cast<std::size_t>(i)].cast<double>();
    farthest = std::max(farthest, norm(root - recipe.root(seconds)));
    for (int j = 0; j < kJoints; ++j) {
      const Vec3d angles = motion.frame_angles(i)[static_cast<std::size_t>(j)].cast<double>();
      farthest = std::max(farthest, norm(angles - recipe.angles(seconds, j)));
    }
  }
  return farthest;
}

Recipe line() {
  return {[](double t) {
            return Vec3d{0.3 + t, 0.5 - 0.2 * t, 2 * t};
          },
          [](double t, int j) {
            return Vec3d{0.1 * j + t, -0.5 * t, 0.3};
          }};
}

/// A walk of `period` seconds a cycle that goes `speed` a second along z, faster and slower.
Recipe walk(double period, double speed) {
  const auto wave = [period](double t, double phase) { return std::sin(2 * kPi * t / period + phase); };
  return {[=](double t) {
            return Vec3d{0.02 * wave(t, 1), 1 + 0.03 * wave(2 * t, 0), speed * t + 0.05 * wave(t, 0.4)};
          },
          [=](double t, int j) {
            return Vec3d{0.5 * wave(t, 2.0 * j), 0.1 * wave(t, j), 0.2 * wave(2 * t, 1.0 * j)};
          }};
}

TEST(Resampled, KeepsItsOwnRateToTheBit) {
  Rng rng(3);
  for (const bool loops : {false, true}) {
    Motion motion = rest_motion(testing::toy_rig({.joints = kJoints}), 9, 24);
    motion.loops = loops;
    for (Vec3& v : motion.root_translations) v = testing::random_vector(rng);
    for (Vec3& v : motion.angles) v = testing::random_vector(rng);
    const Motion same = resampled(motion, 24);
    EXPECT_EQ(same.root_translations, motion.root_translations);
    EXPECT_EQ(same.angles, motion.angles);
    EXPECT_EQ(same.loops, loops);
    // Twice the rate has the old frames among its own, and half of it gives them back.
    const Motion twice = resampled(motion, 48);
    EXPECT_EQ(twice.frame_count(), loops ? 18 : 17);
    for (int i = 0; i < 9; ++i) {
      EXPECT_EQ(twice.root_translations[static_cast<std::size_t>(2 * i)],
                motion.root_translations[static_cast<std::size_t>(i)]);
    }
    EXPECT_EQ(resampled(twice, 24).angles, motion.angles);
  }
}

TEST(Resampled, IsExactOnLinesAndParabolasAtEveryRate) {
  Recipe parabola = line();
  parabola.angles = [](double t, int j) { return Vec3d{t * t - 0.5 * t, 0.2 * j * t * t, 1 - t * t}; };
  for (const Recipe& recipe : {line(), parabola}) {
    for (int fps = 8; fps <= 120; ++fps) {
      const Motion motion = resampled(play(recipe, 25, 16, false), fps);
      // 1.5 seconds.
      ASSERT_EQ(motion.frame_count(), static_cast<int>(std::floor(1.5 * fps)) + 1) << fps;
      EXPECT_EQ(motion.fps, fps);
      EXPECT_LT(distance(motion, recipe), 3e-6) << fps;
    }
  }
}

TEST(Resampled, LoopsStayTheirWaveAndGoOnByTheirLapAtEveryRate) {
  const Recipe recipe = walk(1.25, 0.8);
  const Motion motion = play(recipe, 30, 24, true);
  for (int fps = 8; fps <= 120; ++fps) {
    const Motion other = resampled(motion, fps);
    const double count = std::round(1.25 * fps);
    ASSERT_EQ(other.frame_count(), static_cast<int>(count)) << fps;
    EXPECT_TRUE(other.loops);
    // One round is 1.25 seconds of the old clock, whatever it takes on the new one.
    EXPECT_LT(distance(other, recipe, 1.25 * fps / count), 0.004) << fps;
  }
}

TEST(Resampled, TheLapStaysAtEveryRate) {
  const Motion motion = play(walk(1.25, 0.8), 30, 24, true);
  EXPECT_NEAR(loop_lap(motion).z, 1.0f, 2e-3f);
  for (int fps = 16; fps <= 120; fps += 8) {
    const Vec3 lap = loop_lap(resampled(motion, fps));
    EXPECT_NEAR(lap.z, 1.0f, 0.01f) << fps;
    EXPECT_NEAR(lap.x, 0.0f, 0.005f) << fps;
    EXPECT_EQ(lap.y, 0.0f);
  }
}

TEST(Resampled, AnglesOfLoopsGoOnByWholeTurnsAndInTheOtherFamily) {
  // A wheel about the first axis, and a swing past the gimbal that ends in the other family of angles.
  Recipe recipe;
  recipe.angles = [](double t, int j) { return j == 0 ? Vec3d{4 * kPi * t, 0, 0} : Vec3d{0, 2 * kPi * t, 0}; };
  Motion motion = play(recipe, 24, 24, true);
  EXPECT_LT(distance(resampled(motion, 60), recipe), 1e-5);
  for (int f = 12; f < 24; ++f) {
    const Vec3 old = motion.frame_angles(f)[2];
    motion.frame_angles(f)[2] = {old.x + static_cast<float>(kPi), static_cast<float>(kPi) - old.y,
                                 old.z + static_cast<float>(kPi)};
  }
  const Motion other = resampled(motion, 60);
  const int last = other.frame_count() - 1;
  const Mat3d end = euler_matrix(other.frame_angles(last)[2].cast<double>());
  const Mat3d expected = euler_matrix(Vec3d{0, 2 * kPi * last / 60.0, 0});
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) EXPECT_NEAR(end(row, column), expected(row, column), 1e-5);
  }
}

TEST(Resampled, TakesClipsOfNoneOneTwoAndThreeFrames) {
  for (const bool loops : {false, true}) {
    EXPECT_EQ(resampled(play(line(), 0, 24, loops), 30).frame_count(), 0);
    for (int frames = 1; frames <= 3; ++frames) {
      for (int fps = 8; fps <= 120; ++fps) {
        const Motion motion = resampled(play(line(), frames, 24, loops), fps);
        ASSERT_GE(motion.frame_count(), 1) << frames << " at " << fps;
        EXPECT_EQ(motion.root_translations[0], line().root(0).cast<float>());
        if (!loops) {
          EXPECT_LT(distance(motion, line()), 1e-6) << frames << " at " << fps;
        }
        for (const Vec3& v : motion.angles) EXPECT_TRUE(is_finite(v));
      }
    }
  }
}

TEST(Resampled, AccelerationHasNoJumps) {
  constexpr int kFiner = 64;
  Rng rng(5);
  for (const bool loops : {false, true}) {
    Motion motion = rest_motion(testing::toy_rig({.joints = kJoints}), 10, 12);
    motion.loops = loops;
    for (Vec3& v : motion.angles) v = 0.1f * testing::random_vector(rng);
    const Motion fine = resampled(motion, 12 * kFiner);
    const int count = fine.frame_count();
    const auto angle = [&](int i) { return fine.frame_angles((i + count) % count)[1].cast<double>(); };
    const auto acceleration = [&](int i) { return angle(i + 1) - 2.0 * angle(i) + angle(i - 1); };
    double largest = 0, largest_change = 0;
    for (int i = loops ? 0 : 2; i < (loops ? count : count - 2); ++i) {
      largest = std::max(largest, norm(acceleration(i)));
      largest_change = std::max(largest_change, norm(acceleration(i) - acceleration(i - 1)));
    }
    // It runs straight from frame to frame of the old motion: twice the largest in so many steps. A jump would be of
    // its size.
    EXPECT_LT(largest_change, 3 * largest / kFiner + 1e-6) << loops;
  }
}

TEST(Resampled, AFrameThatIsNotFiniteSpoilsItsNeighboursAlone) {
  Motion motion = play(line(), 20, 12, false);
  motion.frame_angles(10)[1].x = std::numeric_limits<float>::quiet_NaN();
  const Motion other = resampled(motion, 24);
  for (int i = 0; i < other.frame_count(); ++i) {
    EXPECT_EQ(is_finite(other.frame_angles(i)[1]), i < 19 || i > 21) << i;
  }
}

TEST(Resampled, OverridesFollowAndScalesKeepTheirSign) {
  Motion motion = play(line(), 6, 10, false);
  JointOverride over{1, {}, {}};
  for (int i = 0; i < 6; ++i) {
    over.translations.push_back({0, 0.5f + 0.1f * static_cast<float>(i), 0});
    over.scales.push_back(i < 3 ? Vec3{0.01f, -0.01f, 1} : Vec3{2, -2, 1});
  }
  motion.overrides = {over, {2, {}, over.scales}};
  const Motion other = resampled(motion, 40);
  ASSERT_EQ(other.overrides.size(), 2u);
  EXPECT_TRUE(other.overrides[1].translations.empty());
  ASSERT_EQ(other.overrides[0].translations.size(), 21u);
  for (std::size_t i = 0; i < 21; ++i) {
    EXPECT_NEAR(other.overrides[0].translations[i].y, 0.5 + 0.025 * static_cast<double>(i), 1e-6);
    EXPECT_GE(other.overrides[0].scales[i].x, 0.005f);
    EXPECT_LE(other.overrides[0].scales[i].y, -0.005f);
    EXPECT_NEAR(other.overrides[0].scales[i].z, 1, 1e-6);
  }
}

TEST(Resampled, RefusesRatesAndSizesThatAreNone) {
  const Motion motion = play(line(), 5, 24, false);
  for (const double fps : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), 1e300}) {
    EXPECT_THROW(resampled(motion, fps), ContractError) << fps;
  }
  Motion broken = motion;
  broken.angles.pop_back();
  EXPECT_THROW(resampled(broken, 30), ContractError);
  broken = motion;
  broken.overrides = {{0, std::vector<Vec3>(4), {}}};
  EXPECT_THROW(resampled(broken, 30), ContractError);
}

/// How far a loop's pose jumps from its last frame to its first, against the largest step within it.
double seam(const Motion& loop) {
  double inside = 0, across = 0;
  const int last = loop.frame_count() - 1;
  for (std::size_t j = 0; j < static_cast<std::size_t>(loop.joint_count); ++j) {
    for (int f = 0; f < last; ++f) {
      inside = std::max(inside, double(norm(loop.frame_angles(f + 1)[j] - loop.frame_angles(f)[j])));
    }
    across = std::max(across, double(norm(loop.frame_angles(0)[j] - loop.frame_angles(last)[j])));
  }
  return across / inside;
}

TEST(CutLoop, FindsTheCycleOfAPeriodicMotionAndKeepsItsTravel) {
  const Recipe recipe = walk(1, 0.7);
  for (const double period : {0.0, 1.0, 0.95, 1.1}) {
    const auto cut = cut_loop(play(recipe, 60, 24, false), period);
    ASSERT_TRUE(cut.has_value()) << period;
    EXPECT_EQ(cut->motion.frame_count(), 24) << period;
    EXPECT_DOUBLE_EQ(cut->period, 1);
    EXPECT_LT(cut->gap, 1e-5);
    EXPECT_TRUE(cut->motion.loops);
    EXPECT_LE(seam(cut->motion), 1.001);
    EXPECT_NEAR(loop_lap(cut->motion).z, 0.7f, 0.005f);
    EXPECT_EQ(cut->motion.root_translations[0].z,
              play(recipe, 60, 24, false).root_translations[static_cast<std::size_t>(cut->first)].z);
  }
}

TEST(CutLoop, TakesSeveralCyclesWhereOneIsNoWholeNumberOfFrames) {
  const auto cut = cut_loop(play(walk(0.6875, 0.7), 49, 16, false), 0.6875);  // 11 frames
  ASSERT_TRUE(cut.has_value());
  EXPECT_EQ(cut->motion.frame_count(), 11);
  const auto two = cut_loop(play(walk(10.5 / 16, 0.7), 49, 16, false), 0.65);
  ASSERT_TRUE(two.has_value());
  EXPECT_EQ(two->motion.frame_count(), 21);
  EXPECT_LT(two->gap, 1e-5);
}

TEST(CutLoop, ClosesAWalkThatDriftsTurnsAndRises) {
  Recipe recipe = walk(1, 0.7);
  const Recipe straight = recipe;
  recipe.root = [=](double t) { return straight.root(t) + Vec3d{0, 0.1 * t, 0}; };
  recipe.angles = [=](double t, int j) { return straight.angles(t, j) + (j == 0 ? Vec3d{0, 0.3 * t, 0} : Vec3d{}); };
  const auto cut = cut_loop(play(recipe, 49, 24, false), 1);
  ASSERT_TRUE(cut.has_value());
  EXPECT_EQ(cut->motion.frame_count(), 24);
  EXPECT_NEAR(cut->gap, 0.3, 0.01);
  // What is left is the straight walk, but for the constant that the middle of the cut had.
  const int last = cut->motion.frame_count() - 1;
  EXPECT_LE(seam(cut->motion), 1.01);
  const Vec3 step = cut->motion.root_translations[0] - cut->motion.root_translations[static_cast<std::size_t>(last)];
  EXPECT_LT(std::abs(step.y), 0.02f);
  for (int i = 0; i <= last; ++i) {
    const Vec3d expected = straight.angles((cut->first + i) / 24.0, 0) + Vec3d{0, 0.3 * (cut->first + 12) / 24.0, 0};
    EXPECT_LT(norm(cut->motion.frame_angles(i)[0].cast<double>() - expected), 0.01) << i;
  }
}

TEST(CutLoop, LooksForTheMovingPartRatherThanTheStillOne) {
  // Two seconds of standing, then two of walking.
  Recipe recipe = walk(0.5, 0);
  const Recipe moving = recipe;
  recipe.angles = [=](double t, int j) { return t < 2 ? Vec3d{} : moving.angles(t, j); };
  const auto cut = cut_loop(play(recipe, 96, 24, false), 0);
  ASSERT_TRUE(cut.has_value());
  EXPECT_GE(cut->first, 47);
  EXPECT_EQ(cut->motion.frame_count() % 12, 0);
}

TEST(CutLoop, GivesNoneForClipsThatAreTooShortAndLeavesLoopsAlone) {
  for (int frames = 0; frames <= 3; ++frames) {
    EXPECT_FALSE(cut_loop(play(line(), frames, 24, false), 0).has_value()) << frames;
    EXPECT_FALSE(cut_loop(play(line(), frames, 24, false), 1).has_value()) << frames;
  }
  EXPECT_FALSE(cut_loop(play(line(), 0, 24, true), 0).has_value());
  const Motion loop = play(walk(1, 0.5), 24, 24, true);
  const auto same = cut_loop(loop, 0.3);
  ASSERT_TRUE(same.has_value());
  EXPECT_EQ(same->motion.angles, loop.angles);
  EXPECT_DOUBLE_EQ(same->period, 1);
  EXPECT_EQ(same->gap, 0);
}

TEST(CutLoop, SkipsFramesThatAreNotFinite) {
  Motion motion = play(walk(1, 0.5), 72, 24, false);
  motion.frame_angles(5)[1].x = std::numeric_limits<float>::quiet_NaN();
  const auto cut = cut_loop(motion, 1);
  ASSERT_TRUE(cut.has_value());
  for (const Vec3& v : cut->motion.angles) EXPECT_TRUE(is_finite(v));
}

TEST(CutLoop, CutsOverridesToo) {
  Motion motion = play(walk(1, 0.5), 60, 24, false);
  JointOverride over{1, {}, {}};
  for (int i = 0; i < 60; ++i) over.translations.push_back({0.01f * static_cast<float>(i), 0, 0});
  motion.overrides = {over};
  const auto cut = cut_loop(motion, 1);
  ASSERT_TRUE(cut.has_value());
  ASSERT_EQ(cut->motion.overrides.size(), 1u);
  ASSERT_EQ(cut->motion.overrides[0].translations.size(), 24u);
  EXPECT_TRUE(cut->motion.overrides[0].scales.empty());
  for (const Vec3& v : cut->motion.overrides[0].translations) EXPECT_NEAR(v.x, 0.01 * (cut->first + 12), 1e-6);
}

TEST(RemoveTravel, TakesTheLineOutAndLeavesTheRest) {
  for (const bool loops : {false, true}) {
    Motion motion = play(line(), 20, 24, loops);
    const std::vector<Vec3> before = motion.root_translations;
    const Vec3 pace = remove_travel(motion);
    EXPECT_NEAR(pace.x, 1.0 / 24, 1e-6);
    EXPECT_EQ(pace.y, 0);
    EXPECT_NEAR(pace.z, 2.0 / 24, 1e-6);
    EXPECT_EQ(motion.root_translations[0], before[0]);
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_NEAR(motion.root_translations[i].x, 0.3, 1e-5);
      EXPECT_EQ(motion.root_translations[i].y, before[i].y);
      EXPECT_NEAR(motion.root_translations[i].z, 0, 1e-5);
    }
    EXPECT_NEAR(norm(remove_travel(motion)), 0, 1e-6);
  }
  for (int frames = 0; frames < 2; ++frames) {
    Motion motion = play(line(), frames, 24, true);
    EXPECT_EQ(remove_travel(motion), Vec3{});
  }
}

TEST(RemoveTravel, SwayOfALoopIsNoTravel) {
  Motion motion = play(walk(1, 0), 24, 24, true);
  EXPECT_LT(norm(remove_travel(motion)), 1e-4f);
}

}  // namespace
}  // namespace limber::kinematics
