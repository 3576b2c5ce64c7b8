// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/habitat.h"

#include <gtest/gtest.h>

#include "limber/zoo/creature.h"

namespace limber::physics {
namespace {

rig::Rig creature(zoo::Plan plan) { return zoo::make_creature({plan, 1, 24}).value().subject.rig; }

/// High above the ground, and staying there.
const Footing kAloft{0.9, 0.9, 0, true};
/// On its belly.
const Footing kLying{0, 0, 0.9, false};

/// What words may tell.
const HabitatHint kNothing, kWalks{Habitat::kGround, "walks", true}, kFlies{Habitat::kFree, "flies", false};

Habitat choose(const rig::Rig& rig, const HabitatHint& hint, const Footing& footing = {}) {
  return choose_habitat(rig, hint, footing).habitat;
}

TEST(Habitat, OfABirdIsWhatItIsToldToDo) {
  const rig::Rig bird = creature(zoo::Plan::kBird);
  EXPECT_EQ(choose(bird, kWalks, kAloft), Habitat::kGround);
  EXPECT_EQ(choose(bird, kFlies), Habitat::kFree);
  EXPECT_EQ(choose_habitat(bird, kFlies, {}).reason, "the clip says 'flies'");
  // Where nobody says, what it does counts.
  EXPECT_EQ(choose(bird, kNothing, kAloft), Habitat::kFree);
  EXPECT_EQ(choose(bird, kNothing), Habitat::kGround);
}

TEST(Habitat, OfAFishIsWater) {
  const rig::Rig fish = creature(zoo::Plan::kFish);
  EXPECT_EQ(choose(fish, kFlies), Habitat::kFree);
  EXPECT_EQ(choose(fish, kNothing), Habitat::kFree);
  EXPECT_EQ(choose(fish, kWalks), Habitat::kFree) << "it has no legs";
}

TEST(Habitat, OfASnakeIsTheGroundThatItLiesOn) {
  const rig::Rig snake = creature(zoo::Plan::kSnake);
  const HabitatHint crawls{Habitat::kCrawl, "crawls", false};
  EXPECT_EQ(choose(snake, kNothing, kLying), Habitat::kCrawl);
  EXPECT_EQ(choose(snake, kFlies, kLying), Habitat::kFree);
  EXPECT_EQ(choose(snake, crawls, kAloft), Habitat::kCrawl);
  EXPECT_EQ(choose(creature(zoo::Plan::kQuadruped), crawls), Habitat::kGround) << "it has legs";
}

TEST(Habitat, OfARigWithoutRolesGoesByItsNames) {
  rig::RigDraft draft;
  draft.joints.resize(3);
  draft.joints[0].name = "Body", draft.joints[1].name = "Fin_L", draft.joints[2].name = "Fin_R";
  draft.joints[1].parent = draft.joints[2].parent = 0;
  draft.joints[1].rest.translation = {0.5f, 0, 0}, draft.joints[2].rest.translation = {-0.5f, 0, 0};
  EXPECT_EQ(choose(rig::build_rig(draft).value(), kNothing), Habitat::kFree);
  draft.joints[1].name = "LeftFinger", draft.joints[2].name = "RightFinger";
  EXPECT_EQ(choose(rig::build_rig(draft).value(), kNothing), Habitat::kGround);
}

}  // namespace
}  // namespace limber::physics
