// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/actions/catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace limber::actions {
namespace {

std::optional<Habitat> habitat_of(const std::string& text) { return built_in().habitat_hint(text).habitat; }
std::string nearest(const std::string& word) {
  const Action* action = built_in().nearest(word);
  return action == nullptr ? "" : action->name;
}
std::string names_in(const std::string& text) {
  std::string names;
  for (const Mention& mention : built_in().find_in(text)) names += (names.empty() ? "" : " ") + mention.action;
  return names;
}

TEST(Actions, AreFoundByName) {
  ASSERT_NE(built_in().find("lie-down"), nullptr);
  EXPECT_EQ(built_in().find("lie-down")->verbs.front().third(), "lies down");
  EXPECT_EQ(built_in().find("levitate"), nullptr);
}

TEST(Actions, AreFoundInSentences) {
  EXPECT_EQ(names_in("A fox TROTS, then sits down!"), "trot sit");
  EXPECT_EQ(names_in("it shakes its head and falls over"), "shake-head die");
  EXPECT_EQ(names_in("the duck waddled"), "") << "sentences are matched by the forms of the file";
  EXPECT_EQ(names_in("the duck waddles, flew and hovers"), "walk fly fly");
  EXPECT_EQ(names_in("a butterfly crosses the table"), "");
}

TEST(Actions, OfAnUnknownWordTheNearestIsTheOneWithTheSameStemOrLetters) {
  EXPECT_EQ(nearest("backflip"), "somersault");
  EXPECT_EQ(nearest("backflips"), "somersault");
  EXPECT_EQ(nearest("walker"), "walk");
  EXPECT_EQ(nearest("moonwalking"), "walk");
  EXPECT_EQ(nearest("breakdance"), "dance");
  EXPECT_EQ(nearest("galop"), "gallop");
  EXPECT_EQ(nearest("glided"), "glide");
  EXPECT_EQ(nearest("xylophone"), "");
  EXPECT_EQ(nearest(""), "");
}

TEST(Actions, HaveFormsThatFollowRulesAndThoseThatDoNot) {
  const auto is_form = [](const char* word, const char* action) {
    return is_form_of(word, built_in().find(action)->verbs.front());
  };
  for (const char* word : {"fly", "flies", "flying", "flew", "flown", "flied"}) EXPECT_TRUE(is_form(word, "fly"));
  for (const char* word : {"glided", "gliding", "glides"}) EXPECT_TRUE(is_form(word, "glide"));
  for (const char* word : {"trotted", "trotting"}) EXPECT_TRUE(is_form(word, "trot"));
  for (const char* word : {"flyer", "butterfly", "f", ""}) EXPECT_FALSE(is_form(word, "fly"));
}

TEST(Actions, TellTheHabitatByWordsAndNotByLetters) {
  EXPECT_EQ(habitat_of("a butterfly that walks"), Habitat::kGround);
  EXPECT_EQ(habitat_of("a dragonfly sits down"), Habitat::kGround);
  EXPECT_EQ(habitat_of("a butterfly crosses the table"), std::nullopt);
  EXPECT_EQ(habitat_of("an eagle soars over the hills"), Habitat::kFree);
  EXPECT_EQ(habitat_of("a fish swims"), Habitat::kFree);
  EXPECT_EQ(habitat_of("a hummingbird hovered"), Habitat::kFree) << "a word that captions do not use";
  EXPECT_EQ(habitat_of("a bird pecks"), Habitat::kGround);
  EXPECT_EQ(habitat_of("a snake crawls"), std::nullopt);
  EXPECT_EQ(habitat_of("a bird wanders"), std::nullopt) << "one verb of an action may tell less than another";
  EXPECT_EQ(habitat_of(""), std::nullopt);
  EXPECT_EQ(built_in().habitat_hint("the bird is flying").word, "flying");
}

TEST(Actions, TellNoHabitatOfTwo) {
  EXPECT_EQ(habitat_of("a bird walks and then flies away"), std::nullopt);
  EXPECT_EQ(built_in().habitat_hint("a bird walks and then flies away").word, "");
}

TEST(Actions, ReadCapitalsPunctuationAndNamesOfClips) {
  EXPECT_EQ(habitat_of("A BIRD FLIES!"), Habitat::kFree);
  EXPECT_EQ(habitat_of("Flying, high."), Habitat::kFree);
  EXPECT_EQ(habitat_of("(walking)"), Habitat::kGround);
  EXPECT_EQ(habitat_of("Armature|Bird_Fly_01"), Habitat::kFree);
  EXPECT_EQ(habitat_of("BirdWalk"), Habitat::kGround);
}

TEST(Actions, TellWhoGetsOn) {
  for (const char* text : {"it walks", "a frog leaps", "she tiptoed", "DanceLoop"}) {
    EXPECT_TRUE(built_in().habitat_hint(text).goes) << text;
  }
  for (const char* text : {"it sits", "a fish swims", "lies down", ""}) {
    EXPECT_FALSE(built_in().habitat_hint(text).goes) << text;
  }
}

TEST(Actions, AreComparedWithWhatLooksDifferent) {
  const auto first = [](std::vector<std::string> asked) {
    std::string names;
    for (const Action* rival : built_in().rivals_of(asked)) names += rival->name + " ";
    return names;
  };
  EXPECT_EQ(first({"sit"}), "idle walk jump run attack fly swim ");
  EXPECT_EQ(first({"trot"}), "idle sit jump attack fly swim ") << "no gait beside a gait";
  EXPECT_EQ(first({"walk", "sit"}), "idle jump attack fly swim ");
  EXPECT_EQ(first({"levitate"}), "idle walk sit jump run attack fly swim ");
}

TEST(Actions, AreSaidInSentences) {
  EXPECT_EQ(sentence("bird", *built_in().find("fly")), "a bird flies");
  EXPECT_EQ(sentence("octopod", *built_in().find("get-hit")), "an octopod gets hit");
  EXPECT_EQ(sentence("man", *built_in().find("punch")), "a man punches");
}

/// The order and the words that priors were taught with.
TEST(Actions, TeachTheSameWordsAsEver) {
  std::uint64_t hash = 14695981039346656037ull;  // FNV-1a
  const auto add = [&](const std::string& text) {
    for (const char c : text + "\n") hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  };
  // The first 63 entries: what is added comes after them.
  const std::vector<ActionWords>& taught = built_in().taught();
  ASSERT_GE(taught.size(), 63u);
  for (std::size_t i = 0; i < 63; ++i) {
    add(taught[i].name);
    for (const std::string& word : taught[i].words) add(word);
  }
  EXPECT_EQ(hash, 15633393084687118179u);
}

}  // namespace
}  // namespace limber::actions
