// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/body_spec.h"

#include <gtest/gtest.h>

#include <map>

#include "limber/zoo/creature.h"

namespace limber::zoo {
namespace {

BodySpec parsed(std::string_view text) {
  const Result<BodySpec> spec = parse_body(text);
  EXPECT_TRUE(spec.ok()) << text << ": " << (spec.ok() ? "" : spec.error().message());
  return spec.ok() ? *spec : BodySpec{};
}

std::string refusal(std::string_view text) {
  const Result<BodySpec> spec = parse_body(text);
  EXPECT_FALSE(spec.ok()) << text;
  return spec.ok() ? "" : spec.error().what;
}

TEST(BodySpec, CountsPairsOfWhatComesLeftAndRight) {
  const BodySpec dragon = parsed("legs:2,wings:1,neck:long,tail:1");
  EXPECT_EQ(dragon.leg_pairs, 2);
  EXPECT_EQ(dragon.wing_pairs, 1);
  EXPECT_EQ(dragon.neck, NeckLength::kLong);
  EXPECT_EQ(dragon.tails, 1);
  EXPECT_EQ(dragon.carriage, Carriage::kLevel);
  EXPECT_EQ(dragon.heads, 1);
}

TEST(BodySpec, ConcludesWhatIsNotSaid) {
  EXPECT_EQ(parsed("legs:1").carriage, Carriage::kUpright);
  EXPECT_EQ(parsed("legs:1").leg_style, LegStyle::kPlantigrade);
  EXPECT_EQ(parsed("legs:1,wings:1").carriage, Carriage::kLevel);
  EXPECT_EQ(parsed("legs:1,wings:1").feet, FootStyle::kClaw);
  EXPECT_EQ(parsed("legs:4").leg_style, LegStyle::kInsect);
  EXPECT_EQ(parsed("legs:2/unguligrade").feet, FootStyle::kHoof);
  EXPECT_EQ(parsed("legs:2/5-joint").leg_style, LegStyle::kChain);
  EXPECT_EQ(parsed("sword").arm_pairs, 1);
  EXPECT_EQ(parsed("arms:1/3-finger").hand, HandStyle::kFingers);
  EXPECT_EQ(parsed(" legs:2 , tail ").tails, 1);
  EXPECT_EQ(parsed("").leg_pairs, 0);
}

TEST(BodySpec, SaysWhatIsPossibleWhereItRefuses) {
  EXPECT_NE(refusal("legs:99").find("0..20"), std::string::npos);
  EXPECT_NE(refusal("legs:-1").find("0..20"), std::string::npos);
  EXPECT_NE(refusal("legs:99999999999999999999").find("0..20"), std::string::npos);
  EXPECT_NE(refusal("wheels:4").find("tentacles"), std::string::npos);
  EXPECT_NE(refusal("wings:1/paper").find("membrane"), std::string::npos);
  EXPECT_NE(refusal("legs:2/9-joint").find("5-joint"), std::string::npos);
  EXPECT_NE(refusal("shield,arms:0").find("arms:1"), std::string::npos);
  EXPECT_NE(refusal("legs:12/hoof/unguligrade").find("insect"), std::string::npos);
  for (const char* text : {"legs", "legs:", "legs:2,", ",", ":", "legs:2/2", "legs:2,legs:3", "antlers:2",
                           "disc,legs:1", "antlers,horns:1", "legs:2:3", "tail:1/", "\xff"}) {
    if (std::string_view(text) == "legs") continue;  // one pair
    refusal(text);
  }
  EXPECT_EQ(parsed("legs").leg_pairs, 1);
}

TEST(BodySpec, ComesBackFromItsWords) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const BodySpec spec = random_body(seed);
    EXPECT_EQ(parsed(to_text(spec)), spec) << to_text(spec);
    EXPECT_EQ(random_body(seed), spec);
  }
  for (int k = 0; k < kPlanCount; ++k) {
    const BodySpec spec = recipe(static_cast<Plan>(k));
    EXPECT_EQ(parsed(to_text(spec)), spec) << name(static_cast<Plan>(k));
  }
}

/// Whether a word starts one of the parts of a text.
bool says(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  return at != std::string_view::npos && (at == 0 || text[at - 1] == ',');
}

TEST(BodySpec, RandomBodiesSayEveryWordOfTheGrammar) {
  std::map<std::string, int> said;
  int limbless = 0, centipedes = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const BodySpec spec = random_body(seed);
    for (const BodyWord& word : body_words()) said[word.word] += says(to_text(spec), word.word) ? 1 : 0;
    limbless += spec.leg_pairs + spec.arm_pairs + spec.wing_pairs + spec.flipper_pairs + spec.tentacles == 0 ? 1 : 0;
    centipedes += spec.leg_pairs > 8 ? 1 : 0;
  }
  for (const BodyWord& word : body_words()) EXPECT_GT(said[word.word], 10) << word.word;
  EXPECT_GT(limbless, 100);
  EXPECT_GT(centipedes, 10);
}

TEST(BodySpec, ExplainsEveryWordInASentence) {
  for (const BodyWord& word : body_words()) {
    EXPECT_TRUE(word.meaning.ends_with('.')) << word.word;
    EXPECT_TRUE(parse_body(word.word == "sword" || word.word == "shield" ? word.word + ",arms:1" : word.word).ok() ||
                !word.values.empty())
        << word.word;
  }
}

}  // namespace
}  // namespace limber::zoo
