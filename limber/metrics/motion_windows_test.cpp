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
      << "a patch at least";
}

TEST(MotionWindows, AreCoveredWithinTwentyDegrees) {
  const std::vector<Turns> clips{held(0), held(90)};
  const auto coverage = [&](const std::vector<Turns>& samples) { return *measure_windows(samples, clips).coverage; };
  EXPECT_DOUBLE_EQ(coverage({held(19)}), 0.5);
  EXPECT_DOUBLE_EQ(coverage({held(21)}), 0);
  EXPECT_DOUBLE_EQ(coverage({held(-19), held(75)}), 1);
  // Windows count, not clips: 26 of 52 and 12 more where a short one is added.
  const std::vector<Turns> more{held(0), held(90), held(180, 26)};
  EXPECT_DOUBLE_EQ(*measure_windows(std::vector<Turns>{held(0)}, more).coverage, 26.0 / 64);
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

TEST(MotionWindows, TellHowDifferentSamplesAre) {
  const std::vector<Turns> clips{held(0), held(90)};
  const WindowMeasures measures = measure_windows(std::vector<Turns>{held(10), held(60), held(90)}, clips);
  EXPECT_NEAR(*measures.local_diversity, (10 + 30 + 0) / 3.0 * kDegree, 1e-4);
  EXPECT_NEAR(*measures.global_diversity, (10 + 30 + 0) / 3.0 * kDegree, 1e-4);
  EXPECT_NEAR(*measures.inter_diversity, (50 + 80 + 30) / 3.0 * kDegree, 1e-4);
  EXPECT_NEAR(*measures.intra_difference, 0, 1e-4) << "nobody moves";
  // A ramp's windows that have no frame in common: 40 frames have 26, and those 15 to 25 apart count.
  double sum = 0, count = 0;
  for (int apart = 15; apart <= 25; ++apart) sum += apart * (26 - apart), count += 26 - apart;
  const Turns ramp = turns_of(turning(40, [](int f) { return f; }));
  EXPECT_NEAR(*measure_windows(std::vector<Turns>{ramp}, clips).intra_difference, sum / count * kDegree, 1e-3);
}

TEST(MotionWindows, PatchesAreTakenFromAnywhereInAnyOrder) {
  // A clip of two halves, and a motion that has them the other way round.
  const auto step = [](int first, int second) {
    return turns_of(turning(60, [=](int f) { return f < 30 ? first : second; }));
  };
  EXPECT_NEAR(*patched_distance(step(50, 0), step(0, 50)), 0, 1e-3);
  WindowSettings long_patches;
  long_patches.patch = 60;
  EXPECT_NEAR(*patched_distance(step(50, 0), step(0, 50), long_patches), 50 * kDegree, 1e-3);
  EXPECT_FALSE(patched_distance(held(0, 29), held(0)));
}

TEST(MotionWindows, SayNothingOfMotionsThatAreTooShort) {
  const WindowMeasures measures = measure_windows(std::vector<Turns>{held(0, 14)}, std::vector<Turns>{held(0)});
  EXPECT_FALSE(measures.coverage);
  EXPECT_FALSE(measures.local_diversity);
  EXPECT_FALSE(measures.global_diversity);
  EXPECT_FALSE(measures.inter_diversity) << "there is one alone";
  EXPECT_FALSE(measures.intra_difference);
  EXPECT_FALSE(measure_windows({}, {}).coverage);
  EXPECT_FALSE(nearest_clip(held(0, 14), std::vector<Turns>{held(0)}));
}

TEST(MotionWindows, FindTheClipThatASampleIsLike) {
  const auto wave = [](double swing, double rate) {
    return turns_of(turning(60, [=](int f) { return swing * std::sin(rate * f); }));
  };
  const std::vector<Turns> clips{wave(5, 0.2), wave(40, 0.2), wave(40, 0.8), held(0, 10)};
  EXPECT_EQ(nearest_clip(wave(36, 0.22), clips), 1u);
  EXPECT_EQ(nearest_clip(wave(36, 0.78), clips), 2u);
  EXPECT_EQ(nearest_clip(held(0), clips), 0u) << "the last one is too short to be compared with";
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
