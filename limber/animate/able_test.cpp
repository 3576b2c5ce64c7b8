// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/able.h"

#include <gtest/gtest.h>

#include "limber/zoo/action.h"

namespace limber::animate {
namespace {

std::string warning(zoo::Plan plan, const std::string& action) {
  const zoo::Creature creature = zoo::make_creature({plan, 7, 24}).value();
  const auto warning = warn_of_limbs({"it " + action + "s", {action}, {}}, creature.subject.rig);
  return warning ? in_words(*warning) : "";
}

TEST(Able, WarnsOfWhatABodyHasNoLimbsFor) {
  EXPECT_NE(warning(zoo::Plan::kSnake, "sit").find("takes legs"), std::string::npos);
  EXPECT_NE(warning(zoo::Plan::kFish, "gallop").find("takes four legs"), std::string::npos);
  EXPECT_NE(warning(zoo::Plan::kBiped, "gallop").find("takes four legs"), std::string::npos);
  EXPECT_NE(warning(zoo::Plan::kQuadruped, "fly").find("takes wings"), std::string::npos);
}

TEST(Able, LetsEveryCreatureDoWhatItCanDo) {
  for (int p = 0; p < zoo::kPlanCount; ++p) {
    const auto plan = static_cast<zoo::Plan>(p);
    for (const zoo::Action action : zoo::actions(plan)) {
      EXPECT_EQ(warning(plan, std::string(zoo::name(action))), "") << zoo::name(plan);
    }
  }
}

TEST(Able, LetsTwoLegsPaceAndBound) {
  for (const char* action : {"pace", "bound", "walk", "sit"}) EXPECT_EQ(warning(zoo::Plan::kBiped, action), "");
}

TEST(Able, SaysNothingOfActionsThatItDoesNotKnow) {
  EXPECT_EQ(warning(zoo::Plan::kSnake, "attack"), "");
  EXPECT_EQ(warning(zoo::Plan::kSnake, "frobnicate"), "");
}

}  // namespace
}  // namespace limber::animate
