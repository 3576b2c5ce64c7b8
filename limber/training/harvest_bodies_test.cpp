// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/harvest_bodies.h"

#include <gtest/gtest.h>

#include "limber/training/character_file.h"
#include "limber/training/character_testing.h"

namespace limber::training {
namespace {

TEST(HarvestBodies, AreAlwaysTheSameAndAskedForWhatTheyCanDo) {
  for (std::uint64_t i = 0; i < 4; ++i) {
    const auto body = harvest_body(nullptr, {}, i), again = harvest_body(nullptr, {}, i);
    ASSERT_TRUE(body.ok()) << body.error().message();
    EXPECT_EQ(body->subject.points, again->subject.points);
    ASSERT_EQ(body->wishes.size(), 4u);
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_TRUE(is_taught(body->wishes[k].action)) << body->wishes[k].action;
      EXPECT_FALSE(body->wishes[k].prompt.empty());
      EXPECT_EQ(body->wishes[k].prompt, again->wishes[k].prompt);
      EXPECT_EQ(body->wishes[k].seed, again->wishes[k].seed);
    }
  }
}

TEST(HarvestBodies, CanBeKeptInAFileOnceTheyHaveMoved) {
  HarvestBody body = harvest_body(nullptr, {}, 1).value();
  CharacterClip clip;
  clip.name = body.wishes[0].prompt, clip.meaning.actions = {body.wishes[0].action};
  clip.motion = kinematics::rest_motion(body.character.rig, 3, 12);
  body.character.clips.push_back(clip);
  TrainingSet set;
  set.characters.push_back(body.character);
  const auto read = read_training_set(write_training_set(set), "harvest.bin");
  ASSERT_TRUE(read.ok()) << read.error().message();
  ASSERT_EQ(read->characters.size(), 1u);
  EXPECT_EQ(read->characters[0].clips[0].motion.frame_count(), 3);
}

TEST(HarvestBodies, AreCharactersAsOftenAsAsked) {
  const auto characters = std::make_shared<std::vector<Character>>();
  characters->push_back(toy_character());
  HarvestPlan plan;
  plan.characters = 1;
  const HarvestBody body = harvest_body(characters, plan, 3).value();
  EXPECT_EQ(body.character.name, characters->front().name);
  EXPECT_TRUE(body.character.clips.empty());
  EXPECT_EQ(body.subject.points.size(), characters->front().mesh.points.size());
  plan.characters = 0;
  EXPECT_NE(harvest_body(characters, plan, 3)->character.name, characters->front().name);
}

}  // namespace
}  // namespace limber::training
