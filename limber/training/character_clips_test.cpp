// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/character_clips.h"

#include <gtest/gtest.h>

#include "limber/training/character_testing.h"

namespace limber::training {
namespace {

std::shared_ptr<const std::vector<Character>> toys() {
  return std::make_shared<const std::vector<Character>>(
      std::vector<Character>{toy_character(), toy_character("animals/other.glb")});
}

TEST(CharacterClips, AreTheSameForTheSameNumberAndHaveTheModelsShape) {
  const prior::SketchModel model;
  const prior::ClipSource source = character_clips(model, toys());
  const std::size_t frame = static_cast<std::size_t>(3 * model.size * model.size);
  std::size_t different = 0;
  for (std::uint64_t index = 0; index < 12; ++index) {
    const prior::SketchClip clip = source(index).value(), again = character_clips(model, toys())(index).value();
    ASSERT_EQ(clip.video.size(), frame * static_cast<std::size_t>(model.views * model.frames));
    ASSERT_EQ(clip.rest.size(), frame * static_cast<std::size_t>(model.views));
    ASSERT_EQ(clip.captions.size(), static_cast<std::size_t>(prior::kClipCaptions));
    EXPECT_EQ(clip.video, again.video);
    EXPECT_EQ(clip.captions, again.captions);
    different += clip.video != source(index + 100)->video ? 1 : 0;
  }
  EXPECT_EQ(different, 12u);
}

TEST(CharacterClips, OfATreadmillDoNotSayInPlace) {
  const prior::SketchModel model;
  const prior::ClipSource source = character_clips(model, toys());
  int walks = 0, deaths = 0;
  for (std::uint64_t index = 0; index < 40; ++index) {
    const prior::SketchClip clip = source(index).value();
    for (const std::string& said : clip.captions) {
      const std::vector<std::string> named = prior::guess_action(actions::built_in().taught(), said).named;
      ASSERT_EQ(named.size(), 1u) << said;
      EXPECT_TRUE(named[0] == "walk" || named[0] == "die") << said;
      (named[0] == "walk" ? walks : deaths) += 1;
      EXPECT_EQ(said.find("in place"), std::string::npos) << said;
    }
  }
  EXPECT_GT(walks, 40);
  EXPECT_GT(deaths, 20);
}

TEST(CharacterClips, ThirtyOnOneSkeletonComeAsOftenAsOneOnItsOwn) {
  std::vector<Character> cast(30, toy_character());
  for (Character& character : cast) character.clips.erase(character.clips.begin());  // they die
  Character other = toy_character();
  rig::RigDraft draft{{other.rig.joints().begin(), other.rig.joints().end()}, {}, {}};
  draft.joints[1].name = "claw";
  other.rig = rig::build_rig(draft).value();
  other.clips.pop_back();  // it walks
  cast.push_back(other);
  prior::SketchModel model;
  model.size = 16, model.frames = 4;
  const prior::ClipSource source =
      character_clips(model, std::make_shared<const std::vector<Character>>(std::move(cast)));
  int walks = 0;
  for (std::uint64_t index = 0; index < 200; ++index) {
    walks +=
        prior::guess_action(actions::built_in().taught(), source(index)->captions[0]).named.at(0) == "walk" ? 1 : 0;
  }
  EXPECT_NEAR(walks, 100, 25);
}

TEST(CharacterClips, AMixtureKeepsItsShareAndValidatesWithTheFirst) {
  const auto say = [](const char* word) {
    return [word](std::uint64_t) -> Result<prior::SketchClip> { return prior::SketchClip{{}, {}, {word}}; };
  };
  const prior::ClipSource mixed = mixed_clips(say("zoo"), say("artist"), 0.3);
  int artists = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) artists += mixed(i)->captions[0] == "artist" ? 1 : 0;
  EXPECT_NEAR(artists, 600, 80);
  for (std::uint64_t i = 0; i < 200; ++i) EXPECT_EQ(mixed(prior::kValidationClips + i)->captions[0], "zoo");
}

}  // namespace
}  // namespace limber::training
