// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/limb_plan.h"

#include <gtest/gtest.h>

#include "limber/zoo/creature.h"

namespace limber::anatomy {
namespace {

TEST(LimbPlan, IsWhatABodyGoesOn) {
  for (const auto& [plan, kind] : {std::pair(zoo::Plan::kQuadruped, "four legs"),
                                   {zoo::Plan::kBiped, "two legs"},
                                   {zoo::Plan::kBird, "wings"},
                                   {zoo::Plan::kHexapod, "many legs"},
                                   {zoo::Plan::kFish, "fins"},
                                   {zoo::Plan::kSnake, "no limbs"}}) {
    zoo::CreatureSettings settings;
    settings.plan = plan, settings.seed = 4, settings.resolution = 24;
    EXPECT_EQ(name(limb_plan(zoo::make_creature(settings).value().subject.rig)), kind);
  }
}

}  // namespace
}  // namespace limber::anatomy
