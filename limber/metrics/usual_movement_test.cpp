// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/usual_movement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "limber/metrics/gait.h"
#include "limber/zoo/action.h"

namespace limber::metrics {
namespace {

double movement_of(const zoo::Creature& creature, zoo::Action action, std::uint64_t seed) {
  zoo::ActionSettings settings;
  settings.action = action, settings.seed = seed, settings.fps = 12, settings.frames = 24;
  const kinematics::Motion motion = zoo::perform(creature, settings).value().motion;
  return find_gait(creature.subject.rig, motion, limb_ends(creature.subject)).movement;
}

TEST(UsualMovement, HoldsForCreaturesThatWereNotMeasured) {
  int outside = 0, all = 0;
  for (int p = 0; p < zoo::kPlanCount; ++p) {
    const zoo::Creature creature = zoo::make_creature({static_cast<zoo::Plan>(p), 4321, 24}).value();
    for (const zoo::Action action : zoo::actions(creature)) {
      const std::vector<std::string> name{std::string(zoo::name(action))};
      const MovementRange allowed = allowed_movement(name);
      const double moved = movement_of(creature, action, 7);
      ++all;
      EXPECT_LT(moved, allowed.most) << zoo::name(static_cast<zoo::Plan>(p)) << " " << name[0];
      if (moved < allowed.least) ++outside;
    }
  }
  EXPECT_GT(all, 40);
  // Viewers of artists' rigs call small what some creatures do: the bound is theirs.
  EXPECT_LT(outside, 0.15 * all);
}

TEST(UsualMovement, TellsARestingBodyFromEveryActionButIdling) {
  for (int a = 0; a < zoo::kActionCount; ++a) {
    const auto action = static_cast<zoo::Action>(a);
    if (action == zoo::Action::kIdle) continue;
    const std::vector<std::string> name{std::string(zoo::name(action))};
    EXPECT_GT(allowed_movement(name).least, 0.0005) << name[0];
  }
}

TEST(UsualMovement, OfSeveralActionsIsThatOfAnyOfThem) {
  const std::vector<std::string> both{"idle", "gallop"};
  const MovementRange idle = usual_movement("idle");
  EXPECT_EQ(allowed_movement(both).least, kStillShare * std::sqrt(idle.least * idle.most));
  EXPECT_EQ(allowed_movement(both).most, kWildShare * usual_movement("gallop").most);
  EXPECT_EQ(usual_movement("nobody knows it").least, usual_movement("nor this").least);
}

}  // namespace
}  // namespace limber::metrics
