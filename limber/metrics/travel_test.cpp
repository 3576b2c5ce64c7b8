// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/travel.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/zoo/action.h"

namespace limber::metrics {
namespace {

zoo::Creature creature_of(zoo::Plan plan) { return zoo::make_creature({plan, 7, 24}).value(); }

kinematics::Motion motion_of(const zoo::Creature& creature, zoo::Action action, bool in_place = false) {
  zoo::ActionSettings settings;
  settings.action = action, settings.fps = 12, settings.frames = 24, settings.in_place = in_place;
  return zoo::perform(creature, settings).value().motion;
}

TEST(Travel, TellsAWalkFromAWalkInPlace) {
  const zoo::Creature fox = creature_of(zoo::Plan::kQuadruped);
  EXPECT_TRUE(measure_travel(fox.subject, motion_of(fox, zoo::Action::kWalk)).legged);
  EXPECT_GT(measure_travel(fox.subject, motion_of(fox, zoo::Action::kWalk)).pace, 0.5);
  EXPECT_LT(measure_travel(fox.subject, motion_of(fox, zoo::Action::kWalk, true)).pace, 0.1);
  EXPECT_LT(measure_travel(fox.subject, motion_of(fox, zoo::Action::kIdle)).pace, 0.1);
}

TEST(Travel, IsTheWayThatWasMadeWhateverItsShape) {
  const zoo::Creature fox = creature_of(zoo::Plan::kQuadruped);
  kinematics::Motion straight = kinematics::rest_motion(fox.subject.rig, 49, 12), round = straight, sway = straight;
  for (int f = 0; f < 49; ++f) {
    const auto at = static_cast<std::size_t>(f);
    const float t = static_cast<float>(f) / 12, turn = 2 * static_cast<float>(kPi) * t;
    straight.root_translations[at] += Vec3{0, 0, 0.5f * t};
    round.root_translations[at] += (2 / static_cast<float>(kPi)) * Vec3{std::cos(turn / 4), 0, std::sin(turn / 4)};
    sway.root_translations[at] += Vec3{0.1f * std::sin(turn), 0, 0};
  }
  const double each = measure_travel(fox.subject, straight).pace;
  EXPECT_GT(each, 0.5) << "legs are shorter than the body is long";
  EXPECT_LT(each, 5);
  // A quarter of a circle a second, as its chord: 0.9 where the straight way is 0.5.
  EXPECT_NEAR(measure_travel(fox.subject, round).pace / each, 1.8, 0.05);
  EXPECT_LT(measure_travel(fox.subject, sway).pace / each, 0.02);
}

TEST(Travel, SeesLegsThatHover) {
  const zoo::Creature fox = creature_of(zoo::Plan::kQuadruped);
  kinematics::Motion walk = motion_of(fox, zoo::Action::kWalk);
  EXPECT_NEAR(measure_travel(fox.subject, walk).clearance, 0, 0.05);
  for (Vec3& at : walk.root_translations) at.y += 0.1f;
  EXPECT_GT(measure_travel(fox.subject, walk).clearance, 0.1);
}

TEST(Travel, OfABodyWithoutLegsIsInSizes) {
  const zoo::Creature snake = creature_of(zoo::Plan::kSnake);
  const Travel travel = measure_travel(snake.subject, motion_of(snake, zoo::Action::kSlither));
  EXPECT_FALSE(travel.legged);
  EXPECT_GT(travel.speed, 0.05);
  EXPECT_LT(travel.speed, 2) << "sizes, not heights";
  EXPECT_EQ(travel.pace, travel.speed);
  EXPECT_EQ(travel.clearance, 0);
}

TEST(Travel, OfNothingIsNone) {
  const zoo::Creature fox = creature_of(zoo::Plan::kQuadruped);
  EXPECT_EQ(measure_travel(fox.subject, kinematics::rest_motion(fox.subject.rig, 0, 12)).speed, 0);
  EXPECT_EQ(measure_travel(fox.subject, kinematics::rest_motion(fox.subject.rig, 1, 12)).speed, 0);
}

}  // namespace
}  // namespace limber::metrics
