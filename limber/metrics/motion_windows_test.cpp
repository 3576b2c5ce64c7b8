// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/motion_windows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "limber/metrics/jerk.h"
#include "limber/zoo/creature.h"

namespace limber::metrics {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

/// Two joints beside the root, at 20 fps; both are turned about x by `angle(frame)` degrees.
kinematics::Motion turning(int frames, const std::function<double(int)>& angle, bool loops = false) {
  kinematics::Motion motion;
  motion.fps = 20, motion.joint_count = 3, motion.loops = loops;
  for (int f = 0; f < frames; ++f) {
    const auto turned = static_cast<float>(angle(f) * kDegree);
    motion.root_translations.push_back({static_cast<float>(f), 0, 0});
    // The root turns as it likes.
    motion.angles.push_back({0.3f * static_cast<float>(f), 0, 0});
    motion.angles.push_back({turned, 0, 0});
    motion.angles.push_back({turned, 0, 0});
  }
  return motion;
}

Turns held(double degrees, int frames = 40) {
  return turns_of(turning(frames, [&](int) { return degrees; }));
}

TEST(MotionWindows, LeaveTheRootOutAndTakeTheRate) {
  const Turns turns = held(10);
  EXPECT_EQ(turns.joints, 2);
  EXPECT_EQ(turns.frames(), 40);
  kinematics::Motion fast = turning(61, [](int f) { return f; });
  fast.fps = 60;
  const Turns slow = turns_of(fast);
  ASSERT_EQ(slow.frames(), 21) << "one second";
  EXPECT_NEAR(frame_distances(slow, slow)[20], 60 * kDegree, 1e-3);
  EXPECT_NEAR(frame_distances(slow, slow)[1], 3 * kDegree, 1e-3);
}

TEST(MotionWindows, MeasureTheMeanAngleOfJoints) {
  kinematics::Motion one = turning(20, [](int) { return 0.0; });
  for (int f = 0; f < 20; ++f) one.frame_angles(f)[2].y = static_cast<float>(50 * kDegree);
  EXPECT_NEAR(frame_distances(turns_of(one), held(0, 20))[7], 25 * kDegree, 1e-4) << "one of two joints";
  // A whole turn is none.
  EXPECT_NEAR(frame_distances(held(360, 20), held(0, 20))[0], 0, 1e-3);
}

TEST(MotionWindows, OfLoopsBeginAtEveryFrame) {
  const Turns loop = turns_of(turning(
      20, [](int f) { return 18.0 * f; }, true));
  EXPECT_EQ(loop.frames(), 34);
  EXPECT_NEAR(frame_distances(loop, loop)[20], 0, 1e-3) << "the first frame comes again";
  EXPECT_EQ(turns_of(turning(
                         4, [](int) { return 0.0; }, true))
                .frames(),
            30)
      << "a second and a half at least";
}

TEST(MotionWindows, AreFoundWhereverTheyAre) {
  // A ramp of a degree a frame: a piece of it from the middle is in it.
  const Turns ramp = turns_of(turning(60, [](int f) { return f; }));
  const Turns piece = turns_of(turning(20, [](int f) { return 31.0 + f; }));
  for (const double distance : nearest_windows(piece, std::vector<Turns>{ramp})) EXPECT_NEAR(distance, 0, 1e-3);
  // And backward: nearest where both cross in the middle, with a mean of 2 x (1 + ... + 7) / 15 steps of two degrees.
  const Turns back = turns_of(turning(15, [](int f) { return 44.0 - f; }));
  const std::vector<double> nearest = nearest_windows(back, std::vector<Turns>{ramp});
  ASSERT_EQ(nearest.size(), 1u);
  EXPECT_NEAR(nearest[0], 2 * 2 * 28.0 / 15 * kDegree, 1e-3);
}

TEST(MotionWindows, LeaveOutWhatDoesNotMove) {
  // The second joint holds a pose that nobody else has.
  const auto bent = [](double degrees, double held_at) {
    kinematics::Motion motion = turning(40, [=](int f) { return degrees * std::sin(0.3 * f); });
    for (int f = 0; f < 40; ++f) motion.frame_angles(f)[2] = {static_cast<float>(held_at * kDegree), 0, 0};
    return turns_of(motion);
  };
  const Turns theirs = bent(30, 0), ours = bent(30, 70);
  EXPECT_EQ(moving_joints(theirs), std::vector<int>{0});
  EXPECT_TRUE(moving_joints(bent(2.9, 0)).empty());
  EXPECT_GT(window_gap(theirs, ours).value(), 30 * kDegree) << "70 degrees of one of two joints";
  const std::vector<int> moving = moving_joints(theirs);
  EXPECT_NEAR(window_gap(only(theirs, moving), only(ours, moving)).value(), 0, 1e-6);
  EXPECT_GT(window_gap(only(theirs, moving), only(bent(0, 0), moving)).value(), 10 * kDegree);
  EXPECT_FALSE(window_gap(theirs, held(0, 14))) << "too short for a window";
}

TEST(MotionWindows, AboutTheMeanDoNotSeeHowABodyHoldsItself) {
  const auto wave = [](double held_at, double swing) {
    return turns_of(turning(40, [=](int f) { return held_at + swing * std::sin(2 * std::numbers::pi * f / 20); }));
  };
  EXPECT_NEAR(window_gap(wave(0, 20), wave(60, 20)).value(), 60 * kDegree, 8 * kDegree);
  EXPECT_NEAR(window_gap(about_mean(wave(0, 20)), about_mean(wave(60, 20))).value(), 0, 1e-3);
  EXPECT_GT(window_gap(about_mean(wave(0, 20)), about_mean(held(60))).value(), 10 * kDegree);
  EXPECT_EQ(about_mean(Turns{}).frames(), 0);
}

TEST(MotionWindows, TellWhichClipAMotionDoes) {
  // Both joints: who waves, how far and how often; the second one is held aside by `held_at`.
  const auto wave = [](double first, double second, double rate, double held_at) {
    kinematics::Motion motion = turning(60, [](int) { return 0.0; });
    for (int f = 0; f < 60; ++f) {
      motion.frame_angles(f)[1].x = static_cast<float>(first * kDegree * std::sin(rate * f));
      motion.frame_angles(f)[2].x = static_cast<float>((held_at + second * std::sin(rate * f + 1)) * kDegree);
    }
    return turns_of(motion);
  };
  const std::vector<Turns> clips{wave(30, 5, 0.3, 0), wave(5, 30, 0.3, 0), wave(3.5, 3.5, 0.1, 0), held(0, 10)};
  EXPECT_EQ(most_alike(wave(25, 8, 0.32, 70), clips), 0u) << "as another artist holds it";
  EXPECT_EQ(most_alike(wave(8, 25, 0.28, -70), clips), 1u);
  EXPECT_EQ(most_alike(held(0, 60), clips), 2u) << "who stands still does what moves least";
  EXPECT_FALSE(most_alike(held(0, 10), clips)) << "too short";
  EXPECT_FALSE(most_alike(clips[0], std::vector<Turns>{held(0), held(50)})) << "nothing moves";
  EXPECT_FALSE(most_alike(clips[0], {}));
}

TEST(MotionPace, IsMeasuredPerSecond) {
  const rig::Rig rig = zoo::make_creature({zoo::Plan::kQuadruped, 5, 24}).value().subject.rig;
  kinematics::Motion motion = kinematics::rest_motion(rig, 31, 30);
  EXPECT_EQ(motion_pace(rig, motion).activity, 0);
  EXPECT_EQ(motion_pace(rig, motion).root_speed, 0);
  EXPECT_NEAR(motion_pace(rig, motion).jitter, 0, 1e-6);
  for (int f = 0; f <= 30; ++f) {
    motion.root_translations[static_cast<std::size_t>(f)] = {0, 0.1f * static_cast<float>(f % 2),
                                                             0.05f * static_cast<float>(f)};
    motion.frame_angles(f)[1].x += 0.02f * static_cast<float>(f);
  }
  const MotionPace pace = motion_pace(rig, motion);
  EXPECT_NEAR(pace.root_speed, 1.5, 1e-4) << "over the ground: going up and down is no speed";
  EXPECT_NEAR(pace.activity, 0.6 / (rig.joint_count() - 1), 1e-4);
  EXPECT_NEAR(pace.jitter, mean_jerk(rig, motion), 1e-9);
  EXPECT_NEAR(pace.peak_speed, 0.6 / (rig.joint_count() - 1), 1e-4) << "it turns evenly";
  // One jump of half a radian, of one joint: activity hardly grows.
  for (int f = 15; f <= 30; ++f) motion.frame_angles(f)[1].x += 0.5f;
  const MotionPace jumped = motion_pace(rig, motion);
  EXPECT_NEAR(jumped.peak_speed, (0.6 + 0.5 * 30) / (rig.joint_count() - 1), 1e-3);
  EXPECT_NEAR(jumped.activity, (0.6 + 0.5) / (rig.joint_count() - 1), 1e-3);
}

}  // namespace
}  // namespace limber::metrics
