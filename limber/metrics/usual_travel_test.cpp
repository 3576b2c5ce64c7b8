// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/usual_travel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "limber/metrics/travel.h"
#include "limber/zoo/action.h"

namespace limber::metrics {
namespace {

using Texts = std::vector<std::string>;

Travel travel_of(const zoo::Creature& creature, zoo::Action action, bool in_place) {
  zoo::ActionSettings settings;
  settings.action = action, settings.seed = 7, settings.fps = 12, settings.frames = 24, settings.in_place = in_place;
  return measure_travel(creature.subject, zoo::perform(creature, settings).value().motion);
}

TEST(UsualTravel, HoldsForCreaturesThatWereNotMeasured) {
  int all = 0;
  for (int p = 0; p < zoo::kPlanCount; ++p) {
    const zoo::Creature creature = zoo::make_creature({static_cast<zoo::Plan>(p), 4321, 24}).value();
    for (const zoo::Action action : zoo::actions(creature)) {
      const Texts name{std::string(zoo::name(action))};
      const Travel travel = travel_of(creature, action, false);
      const SpeedRange allowed = allowed_speed(name, travel.legged);
      ++all;
      EXPECT_GE(travel.pace, allowed.least) << zoo::name(static_cast<zoo::Plan>(p)) << " " << name[0];
      EXPECT_LE(travel.speed, allowed.most) << zoo::name(static_cast<zoo::Plan>(p)) << " " << name[0];
      EXPECT_LE(travel.clearance, allowed_clearance(name)) << zoo::name(static_cast<zoo::Plan>(p)) << " " << name[0];
    }
  }
  EXPECT_GT(all, 40);
}

TEST(UsualTravel, TellsWalksInPlace) {
  for (const zoo::Plan plan : {zoo::Plan::kBiped, zoo::Plan::kQuadruped, zoo::Plan::kTheropod, zoo::Plan::kHexapod}) {
    const zoo::Creature creature = zoo::make_creature({plan, 4321, 24}).value();
    for (const zoo::Action action : {zoo::Action::kWalk, zoo::Action::kRun}) {
      const Travel travel = travel_of(creature, action, true);
      EXPECT_LT(travel.pace, allowed_speed(Texts{std::string(zoo::name(action))}, travel.legged).least)
          << zoo::name(plan) << " " << zoo::name(action);
    }
  }
}

TEST(UsualTravel, BoundsWhatGoesAndWhatStays) {
  for (const char* goes : {"walk", "run", "trot", "gallop", "fly", "crawl"}) {
    EXPECT_GT(allowed_speed(Texts{goes}, true).least, 0.05) << goes;
  }
  for (const char* goes : {"slither", "swim"}) EXPECT_GT(allowed_speed(Texts{goes}, false).least, 0.1) << goes;
  for (const char* stays : {"idle", "sit", "look", "attack", "eat", "roar"}) {
    EXPECT_EQ(allowed_speed(Texts{stays}, true).least, 0) << stays;
    EXPECT_LT(allowed_speed(Texts{stays}, true).most, 0.8) << stays;
    if (std::string(stays) != "sit") {
      EXPECT_EQ(allowed_clearance(Texts{stays}), kLeastHover) << stays;
    }
  }
  EXPECT_GT(allowed_clearance(Texts{"fly"}), 1);
}

TEST(UsualTravel, LetsDancersGoAndLegsBeUpWhereNothingHovers) {
  for (const bool legged : {false, true}) EXPECT_TRUE(std::isinf(allowed_speed(Texts{"dance"}, legged).most));
  EXPECT_EQ(allowed_clearance(Texts{"dance"}), kLeastHover);
  for (const char* off_legs : {"die", "lie-down", "roll", "sit"}) {
    EXPECT_TRUE(std::isinf(allowed_clearance(Texts{off_legs}))) << off_legs;
    EXPECT_TRUE(std::isinf(allowed_clearance(Texts{"walk", off_legs}))) << off_legs;
  }
  for (const char* legless : {"swim", "slither"}) EXPECT_FALSE(usual_clearance(legless)) << legless;
}

TEST(UsualTravel, OfSeveralActionsIsThatOfAnyOfThem) {
  const SpeedRange both = allowed_speed(Texts{"idle", "walk"}, true);
  EXPECT_EQ(both.least, 0);
  EXPECT_EQ(both.most, kAwayShare * usual_speed("walk", true).most);
  EXPECT_TRUE(std::isinf(allowed_speed(Texts{"nobody knows it"}, true).most));
  EXPECT_TRUE(std::isinf(allowed_speed({}, true).most));
  EXPECT_TRUE(std::isinf(allowed_clearance({})));
}

}  // namespace
}  // namespace limber::metrics
