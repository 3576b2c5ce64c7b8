// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/motion_take.h"

#include <gtest/gtest.h>

#include <numeric>

#include "limber/training/motion_examples.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::training {
namespace {

using motion_space::kFrames;

struct Walker {
  zoo::Creature creature = [] {
    zoo::CreatureSettings settings;
    settings.seed = 4, settings.resolution = 24;
    return zoo::make_creature(settings).value();
  }();
  zoo::Performance shown = [this] {
    zoo::ActionSettings action;
    action.action = zoo::Action::kWalk, action.fps = 30, action.frames = kFrames;
    return zoo::perform(creature, action).value();
  }();
  motion_space::MotionBody body = motion_space::make_motion_body(creature.subject);
  std::vector<int> all = [this] {
    std::vector<int> joints(static_cast<std::size_t>(body.skeleton.size()));
    std::iota(joints.begin(), joints.end(), 0);
    return joints;
  }();
};

TEST(MotionTake, PlaysFramesAsTheyAre) {
  const Walker walker;
  const auto take = make_take(walker.body.skeleton, walker.shown.motion);
  ASSERT_TRUE(take.has_value());
  motion_space::MotionExample example;
  play_take(*take, {}, walker.all, example);
  const motion_space::MotionState state = motion_space::encode_motion(walker.body.skeleton, walker.shown.motion);
  for (std::size_t i = 0; i < state.body.size(); ++i) ASSERT_NEAR(example.way[i], state.body[i], 1e-4) << i;
  for (std::size_t i = 0; i < take->turns.size(); ++i) ASSERT_NEAR(example.turns[i], take->turns[i], 1e-5) << i;
}

TEST(MotionTake, GoesOnFromTheEndOfALoop) {
  const Walker walker;
  auto take = make_take(walker.body.skeleton, walker.shown.motion);
  ASSERT_TRUE(take && take->loops);
  motion_space::MotionExample example;
  TakePlaying playing;
  playing.start = 1;
  play_take(*take, playing, walker.all, example);
  const std::size_t row = walker.all.size() * 6;
  for (std::size_t k = 0; k < row; ++k) ASSERT_NEAR(example.turns[30 * row + k], take->turns[k], 1e-4);
  // It gets on evenly through the seam.
  for (std::size_t f = 1; f < std::size_t{kFrames}; ++f) ASSERT_GT(example.way[4 * f + 2], example.way[4 * f - 2]);
}

/// What the zoo says of feet is what is found by their heights and speeds.
TEST(MotionTake, FindsFeetThatStand) {
  const Walker walker;
  const auto take = make_take(walker.body.skeleton, walker.shown.motion);
  motion_space::MotionExample example;
  play_take(*take, {}, walker.all, example);
  find_contacts(walker.body.skeleton, walker.body.conditions.feet, example);
  int right = 0, all = 0;
  for (const zoo::FootTrack& track : walker.shown.feet) {
    const int foot = walker.creature.legs[static_cast<std::size_t>(track.leg)].joints.back();
    int slot = -1;
    for (int j = 0; j < walker.body.skeleton.size(); ++j) {
      if (walker.body.skeleton.joints[static_cast<std::size_t>(j)].joint == foot) slot = j;
    }
    ASSERT_GE(slot, 0);
    for (int f = 0; f < kFrames; ++f, ++all) {
      const auto at = static_cast<std::size_t>(f) * walker.all.size() + static_cast<std::size_t>(slot);
      right += (example.contacts[at] > 0) == track.planted[static_cast<std::size_t>(f)] ? 1 : 0;
    }
  }
  EXPECT_GT(right, 0.85 * all);
}

TEST(MotionTake, LeavesOutWhatBurstsOrStands) {
  const Walker walker;
  EXPECT_FALSE(make_take(walker.body.skeleton, kinematics::rest_motion(walker.creature.subject.rig, 20, 24)));
  kinematics::Motion burst = walker.shown.motion;
  burst.root_translations[30].x += 50;
  EXPECT_FALSE(make_take(walker.body.skeleton, burst));
  kinematics::Motion broken = walker.shown.motion;
  broken.angles[100].x = NAN;
  EXPECT_FALSE(make_take(walker.body.skeleton, broken));
}

TEST(MotionExamples, AreTheSameForTheSameNumber) {
  MotionExampleSettings settings;
  settings.creatures = 4;
  const MotionTeachers teachers = motion_examples({}, settings), again = motion_examples({}, settings);
  for (const std::uint64_t index :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, motion_space::kValidationMotions}) {
    const auto a = teachers.source(index), b = again.source(index);
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_EQ(a->turns, b->turns);
    EXPECT_EQ(a->way, b->way);
    EXPECT_GE(a->facts.action, 0);
    EXPECT_LT(a->facts.action, static_cast<int>(motion_actions().size()));
    for (const float v : a->turns) ASSERT_TRUE(std::isfinite(v));
  }
}

}  // namespace
}  // namespace limber::training
