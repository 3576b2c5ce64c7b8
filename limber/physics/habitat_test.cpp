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

Habitat choose(const rig::Rig& rig, const std::string& clip, const Footing& footing = {}) {
  return choose_habitat(rig, clip, footing).habitat;
}

TEST(Habitat, GoesByWordsAndNotByLettersOfThePrompt) {
  const rig::Rig bird = creature(zoo::Plan::kBird);
  EXPECT_EQ(choose(bird, "a butterfly that walks"), Habitat::kGround);
  EXPECT_EQ(choose(bird, "a dragonfly sits down"), Habitat::kGround);
  EXPECT_EQ(choose(creature(zoo::Plan::kHexapod), "a butterfly crosses the table"), Habitat::kGround);
}

TEST(Habitat, OfABirdIsWhatItIsToldToDo) {
  const rig::Rig bird = creature(zoo::Plan::kBird);
  EXPECT_EQ(choose(bird, "a bird walks", kAloft), Habitat::kGround);
  EXPECT_EQ(choose(bird, "a bird flies"), Habitat::kFree);
  EXPECT_EQ(choose(bird, "an eagle soars over the hills"), Habitat::kFree);
  // Of both, or of neither, what it does counts.
  EXPECT_EQ(choose(bird, "a bird walks and then flies away", kAloft), Habitat::kFree);
  EXPECT_EQ(choose(bird, "a bird walks and then flies away"), Habitat::kGround);
  EXPECT_EQ(choose(bird, "", kAloft), Habitat::kFree);
  EXPECT_EQ(choose(bird, ""), Habitat::kGround);
}

TEST(Habitat, OfAFishIsWater) {
  const rig::Rig fish = creature(zoo::Plan::kFish);
  EXPECT_EQ(choose(fish, "a fish swims"), Habitat::kFree);
  EXPECT_EQ(choose(fish, "a fish looks around"), Habitat::kFree);
}

TEST(Habitat, OfASnakeIsTheGroundThatItLiesOn) {
  const rig::Rig snake = creature(zoo::Plan::kSnake);
  EXPECT_EQ(choose(snake, "a snake crawls", kLying), Habitat::kCrawl);
  EXPECT_EQ(choose(snake, "a snake swims", kLying), Habitat::kFree);
}

TEST(Habitat, ReadsCapitalsPunctuationAndNamesOfClips) {
  const rig::Rig bird = creature(zoo::Plan::kBird);
  EXPECT_EQ(choose(bird, "A BIRD FLIES!"), Habitat::kFree);
  EXPECT_EQ(choose(bird, "Flying, high."), Habitat::kFree);
  EXPECT_EQ(choose(bird, "(walking)", kAloft), Habitat::kGround);
  EXPECT_EQ(choose(bird, "Armature|Bird_Fly_01"), Habitat::kFree);
  EXPECT_EQ(choose(bird, "BirdWalk", kAloft), Habitat::kGround);
}

TEST(Habitat, OfARigWithoutRolesGoesByItsNames) {
  rig::RigDraft draft;
  draft.joints.resize(3);
  draft.joints[0].name = "Body", draft.joints[1].name = "Fin_L", draft.joints[2].name = "Fin_R";
  draft.joints[1].parent = draft.joints[2].parent = 0;
  draft.joints[1].rest.translation = {0.5f, 0, 0}, draft.joints[2].rest.translation = {-0.5f, 0, 0};
  EXPECT_EQ(choose(rig::build_rig(draft).value(), "idle"), Habitat::kFree);
  draft.joints[1].name = "LeftFinger", draft.joints[2].name = "RightFinger";
  EXPECT_EQ(choose(rig::build_rig(draft).value(), "idle"), Habitat::kGround);
}

}  // namespace
}  // namespace limber::physics
