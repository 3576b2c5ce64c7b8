// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/poser.h"

#include <gtest/gtest.h>

#include "limber/zoo/action.h"
#include "limber/zoo/body_spec.h"

namespace limber::zoo {
namespace {

Creature make(const char* words, std::uint64_t seed = 3) {
  CreatureSettings settings;
  settings.body = parse_body(words).value(), settings.seed = seed, settings.resolution = 28;
  return make_creature(settings).value();
}

BodyGoal standing(const Poser& poser) {
  BodyGoal goal = poser.rest_goal();
  for (std::size_t l = 0; l < goal.feet.size(); ++l) {
    goal.feet[l].active = goal.feet[l].planted = true;
    goal.feet[l].sole = poser.rest_sole(l);
  }
  return goal;
}

double miss(const Poser& poser, const BodyGoal& goal) { return poser.miss(goal, poser.solve(goal, nullptr)); }

/// A body for every kind of leg.
constexpr const char* kBodies[]{"legs:1/plantigrade,body:4/upright",
                                "legs:2/digitigrade",
                                "legs:2/unguligrade/hoof",
                                "legs:2/sprawling",
                                "legs:3/insect",
                                "legs:3/chain/4-joint,body:3/upright"};

TEST(Poser, KeepsFeetInTheirPlacesWhereverTheBodyGoesWithinReach) {
  for (const char* words : kBodies) {
    const Creature creature = make(words);
    const Poser poser(creature);
    const double leg = poser.leg_length();
    EXPECT_LT(miss(poser, standing(poser)), 1e-6) << words;
    for (const Vec3d shift : {Vec3d{0, -0.08, 0}, Vec3d{0.05, -0.06, 0}, Vec3d{0, -0.06, 0.06}}) {
      BodyGoal goal = standing(poser);
      goal.shift = leg * shift;
      goal.turn = {0.03, 0.02, 0.02};
      ASSERT_LT(poser.stretch(goal), 0.99) << words;
      EXPECT_LT(miss(poser, goal), 1e-3 * leg) << words;
    }
  }
}

TEST(Poser, BringsFeetThatAreOutOfReachBackIntoIt) {
  for (const char* words : kBodies) {
    const Creature creature = make(words);
    const Poser poser(creature);
    BodyGoal goal = standing(poser);
    goal.shift = poser.leg_length() * Vec3d{0.2, 1.2, 1};
    ASSERT_GT(miss(poser, goal), Poser::kMostMiss) << words;
    const Vec3d wanted = goal.shift;
    poser.bring_feet_into_reach(goal);
    EXPECT_LT(miss(poser, goal), Poser::kMostMiss) << words;
    // Not farther than to where it stands at rest.
    EXPECT_LT(norm(goal.shift - wanted), norm(wanted)) << words;
  }
}

TEST(Poser, LeavesTheBodyWhereNoPlaceHelps) {
  const Creature creature = make("legs:2/digitigrade");
  const Poser poser(creature);
  BodyGoal goal = standing(poser);
  goal.feet[0].sole.z += 3, goal.feet[1].sole.z -= 3;
  poser.bring_feet_into_reach(goal);
  EXPECT_EQ(goal.shift, Vec3d{});
}

TEST(Poser, StartsLegsWhereTheLimitsLeaveTheTrunk) {
  // A goal that bends a stiff trunk too far must not pull the forefeet along.
  const Creature creature = make("body:2/stiff,legs:2/chain/3-joint");
  const Poser poser(creature);
  ASSERT_FALSE(poser.map().spine.empty());
  const auto spine = static_cast<std::size_t>(poser.map().spine[0]);
  const float limit = creature.subject.rig.joints()[spine].limits.upper.x;
  BodyGoal goal = standing(poser);
  goal.angles[spine].x = static_cast<double>(limit) + 0.5;
  BodyGoal within = goal;
  within.angles[spine].x = static_cast<double>(limit);
  EXPECT_NEAR(miss(poser, goal), miss(poser, within), 1e-9);
  EXPECT_NEAR(poser.stretch(goal), poser.stretch(within), 1e-9);
}

TEST(Poser, SaysHowFarALegIsStretched) {
  const Creature creature = make("legs:1/plantigrade,body:4/upright");
  const Poser poser(creature);
  BodyGoal goal = standing(poser);
  const double at_rest = poser.stretch(goal);
  goal.shift.y = -0.2 * poser.leg_length();
  EXPECT_LT(poser.stretch(goal), at_rest);
  goal.shift.y = 0.5 * poser.leg_length();
  EXPECT_GT(poser.stretch(goal), 1);
}

TEST(Poser, PlantedFeetOfRandomBodiesAreWhereTheyShouldBe) {
  // Each of these missed its footholds once: legs that are hardly bent at rest, trunks whose limits end early, knees
  // that do not straighten.
  for (const std::uint64_t seed : {25u, 59u, 84u, 124u, 147u, 181u, 216u, 284u, 314u}) {
    CreatureSettings making;
    making.seed = seed, making.body = random_body(seed);
    const Creature creature = make_creature(making).value();
    const std::vector<Action> possible = actions(creature);
    ActionSettings settings;
    settings.action = possible[seed % possible.size()], settings.seed = seed;
    const Performance performance = perform(creature, settings).value();
    EXPECT_EQ(performance.missed, 0) << seed << " " << name(settings.action);
  }
}

}  // namespace
}  // namespace limber::zoo
