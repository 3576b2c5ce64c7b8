// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/join.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/animate/animate_testing.h"
#include "limber/kinematics/playing.h"
#include "limber/metrics/jerk.h"
#include "limber/testing/gradient_check.h"

namespace limber::animate {
namespace {

using kinematics::Motion;

const rig::Rig& rig_of_stage() { return stage().creature.subject.rig; }

/// A walk of several chunks.
Motion long_walk(int frames) {
  zoo::ActionSettings action;
  action.fps = kStageFps, action.frames = frames;
  Motion motion = zoo::perform(stage().creature, action).value().motion;
  motion.loops = false;
  return motion;
}

Motion part_of(const Motion& whole, int first, int frames) {
  Motion part = kinematics::rest_motion(rig_of_stage(), frames, whole.fps);
  for (int f = 0; f < frames; ++f) {
    part.root_translations[static_cast<std::size_t>(f)] = whole.root_translations[static_cast<std::size_t>(first + f)];
    const auto from = whole.frame_angles(first + f);
    std::copy(from.begin(), from.end(), part.frame_angles(f).begin());
  }
  return part;
}

double most(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

TEST(AppendMotion, GivesTheWholeBackWherePiecesAgree) {
  const Motion whole = long_walk(40);
  Motion motion = part_of(whole, 0, 24);
  append_motion(motion, part_of(whole, 16, 24), 8, 20);
  ASSERT_EQ(motion.frame_count(), 36);
  for (std::size_t i = 0; i < motion.angles.size(); ++i) EXPECT_LT(norm(motion.angles[i] - whole.angles[i]), 1e-6f);
}

TEST(AppendMotion, MakesSeamsNoRougherThanTheMotionItself) {
  const Motion whole = long_walk(72);
  const double own = most(metrics::frame_jerk(rig_of_stage(), whole));
  Motion motion = part_of(whole, 0, 24);
  std::vector<int> seams;
  for (int first = 16; first + 24 <= 72; first += 16) {
    Motion next = part_of(whole, first, 24);
    // Five degrees and two hundredths of the height off, another way in every chunk: what a lift may be off by.
    const float off = (first / 16) % 2 == 0 ? 0.09f : -0.09f;
    for (Vec3& angle : next.angles) angle.x += off;
    for (Vec3& root : next.root_translations) root.z += 0.25f * off;
    seams.push_back(motion.frame_count() - 4);
    append_motion(motion, next, 8, 24);
  }
  const metrics::SeamJerk jerk = metrics::seam_jerk(metrics::frame_jerk(rig_of_stage(), motion), seams, 5);
  EXPECT_LT(jerk.seams, 1.1 * own);

  // A cut without any fading is rougher: the test can fail.
  Motion cut = part_of(whole, 0, 24);
  Motion next = part_of(whole, 24, 24);
  for (Vec3& angle : next.angles) angle.x += 0.09f;
  append_motion(cut, next, 0, 24);
  EXPECT_GT(most(metrics::frame_jerk(rig_of_stage(), cut)), 1.2 * own);
}

TEST(CloseLoop, LeadsFromTheLastFrameToTheFirst) {
  const Motion whole = long_walk(40);
  // One cycle, and four frames more that are a little off.
  const int period = static_cast<int>(std::lround(kStageFps / stage().gait.frequency));
  Motion motion = part_of(whole, 0, period + 4);
  for (int f = period; f < period + 4; ++f) {
    for (Vec3& angle : motion.frame_angles(f)) angle.x += 0.05f;
  }
  const Motion open = motion;
  join_ends(motion, period);
  EXPECT_TRUE(motion.loops);
  ASSERT_EQ(motion.frame_count(), period);
  for (std::size_t j = 0; j < static_cast<std::size_t>(motion.joint_count); ++j) {
    EXPECT_LT(norm(motion.frame_angles(0)[j] - open.frame_angles(period)[j]), 1e-6f) << "what followed the last frame";
  }
  EXPECT_NEAR(motion.root_translations[0].y, open.root_translations[static_cast<std::size_t>(period)].y, 1e-6);
  EXPECT_NEAR(motion.root_translations[0].z, open.root_translations[0].z, 1e-5) << "where it began";
}

TEST(MeetKeys, PassesThroughThemAndLeavesTheRest) {
  const Motion before = long_walk(40);
  Motion motion = before;
  std::vector<Key> keys;
  for (const int frame : {10, 22}) {
    Key key{frame / kStageFps, {before.root_translations[static_cast<std::size_t>(frame)] + Vec3{0.1f, 0, 0}, {}}};
    for (const Vec3& angle : before.frame_angles(frame)) key.pose.angles.push_back(angle + Vec3{0, 0.2f, 0});
    keys.push_back(std::move(key));
  }
  keys[1].pose.angles[2].x += static_cast<float>(2 * kPi);  // told by another turn
  EXPECT_GT(key_error(motion, keys), 0.19);
  meet_keys(motion, keys);
  EXPECT_LT(key_error(motion, keys), 1e-5);
  EXPECT_NEAR(motion.root_translations[10].x, before.root_translations[10].x + 0.1f, 1e-6);
  for (const int frame : {0, 39}) {
    EXPECT_EQ(motion.root_translations[static_cast<std::size_t>(frame)].x,
              before.root_translations[static_cast<std::size_t>(frame)].x);
  }
  // Between two keys that miss by the same, all frames do.
  EXPECT_NEAR(motion.root_translations[16].x, before.root_translations[16].x + 0.1f, 1e-5);
  std::vector<Key> beyond{{100, keys[0].pose}};
  const Motion same = motion;
  meet_keys(motion, beyond);
  EXPECT_EQ(motion.angles, same.angles);
}

TEST(HoldEnergyGrad, AgreesWithDifferences) {
  Motion motion = part_of(long_walk(24), 0, 4);
  Motion poses = part_of(long_walk(24), 3, 4);
  const HoldEnergy energy(poses, {1, 0, 0.5f, 1});
  const std::size_t roots = motion.root_translations.size(), all = roots + motion.angles.size();
  const auto entry = [&](Motion& m, std::size_t i) -> float& {
    Vec3& v = i / 3 < roots ? m.root_translations[i / 3] : m.angles[i / 3 - roots];
    return v[static_cast<int>(i % 3)];
  };
  std::vector<double> x, slopes;
  kinematics::MotionGradient gradient;
  energy.add(motion, 0.7, gradient);
  for (std::size_t i = 0; i < 3 * all; ++i) {
    x.push_back(double(entry(motion, i)));
    const Vec3& v = i / 3 < roots ? gradient.root_translations[i / 3] : gradient.angles[i / 3 - roots];
    slopes.push_back(double(v[static_cast<int>(i % 3)]));
  }
  const auto value = [&](std::span<const double> at) {
    Motion moved = motion;
    for (std::size_t i = 0; i < at.size(); ++i) entry(moved, i) = static_cast<float>(at[i]);
    kinematics::MotionGradient ignored;
    return 0.7 * energy.add(moved, 0, ignored);
  };
  testing::GradientCheckSettings settings;
  settings.step = 0.02, settings.floor = 0.05;
  const testing::GradientCheck check = testing::check_gradient(value, x, slopes, settings);
  EXPECT_LT(check.error, 0.01) << check.summary();
}

TEST(JoinMotions, ClosesARoundThatLeadsBackNearly) {
  // A swing of whole cycles on its way ahead, and a little more.
  Motion motion;
  motion.fps = 30, motion.joint_count = 1;
  for (int f = 0; f < 60; ++f) {
    const double phase = 2 * kPi * f / 60;
    motion.root_translations.push_back({0, 0, 0.02f * static_cast<float>(f)});
    motion.angles.push_back({static_cast<float>(0.5 * std::sin(phase) + 0.001 * f), 0, 0});
  }
  EXPECT_NEAR(round_gap(motion), 0.06, 0.01);
  close_round(motion, 12);
  EXPECT_TRUE(motion.loops);
  EXPECT_EQ(motion.frame_count(), 60);
  EXPECT_LT(round_gap(motion), 1e-5);
  EXPECT_NEAR(motion.root_translations.front().z, 0, 1e-5);
  for (int f = 1; f < 60; ++f) {
    const auto i = static_cast<std::size_t>(f);
    EXPECT_LT(norm(motion.angles[i] - motion.angles[i - 1]), 0.08f) << f;
  }
}

}  // namespace
}  // namespace limber::animate
