// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/prompt_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace limber::prior {
namespace {

using Words = std::vector<std::string>;

TEST(PromptWords, IgnoresCaseAndPunctuation) {
  EXPECT_EQ(words_of("A Fox, TROTS!"), (Words{"a", "fox", "trots"}));
  EXPECT_EQ(words_of("  the dog's   tail\twags.. "), (Words{"the", "dogs", "tail", "wags"}));
  EXPECT_EQ(words_of(""), Words{});
  EXPECT_EQ(words_of("?!-"), Words{});
}

TEST(PromptWords, KeepsOtherScripts) { EXPECT_EQ(words_of("un renard étrange"), (Words{"un", "renard", "étrange"})); }

TEST(PromptWords, NumbersLetterGroupsInRangeAndPadsWithZero) {
  const auto groups = prompt_groups("a fox trots", 100);
  ASSERT_EQ(groups.size(), static_cast<std::size_t>(kPromptWords * kWordGroups));
  EXPECT_TRUE(std::all_of(groups.begin(), groups.end(), [](int g) { return g >= 0 && g < 100; }));
  EXPECT_GT(groups[0], 0);
  EXPECT_TRUE(std::all_of(groups.begin() + 3 * kWordGroups, groups.end(), [](int g) { return g == 0; }));
}

TEST(PromptWords, TakesMarksOfUnicodeForMarks) {
  EXPECT_EQ(words_of("a fox—walks…then\u00a0“sits”"), (Words{"a", "fox", "walks", "then", "sits"}));
  EXPECT_EQ(words_of("🦊walks🏃‍♂️ slowly"), (Words{"walks", "slowly"}));
  EXPECT_EQ(words_of("it doesn’t walk"), (Words{"it", "doesnt", "walk"}));
  EXPECT_EQ(words_of("🦊 🏃"), Words{}) << "no words";
  EXPECT_EQ(words_of("ein Fuchs läuft"), (Words{"ein", "fuchs", "läuft"}));
  EXPECT_EQ(words_of("狐が歩く。"), Words{"狐が歩く"});
  EXPECT_EQ(words_of("\xff\xfe \xe3"), (Words{"\xff\xfe", "\xe3"})) << "no text at all";
}

TEST(PromptWords, GivesRelatedWordsCommonGroups) {
  const auto common = [](const char* a, const char* b) {
    const auto x = prompt_groups(a, 1 << 20), y = prompt_groups(b, 1 << 20);
    const std::set<int> in_x(x.begin(), x.end());
    return std::count_if(y.begin(), y.end(), [&](int g) { return g > 0 && in_x.count(g) > 0; });
  };
  EXPECT_GT(common("trotting", "trots"), 3);
  EXPECT_EQ(common("trot", "sneak"), 0);
}

TEST(PromptWords, SurvivesLongPromptsAndLongWords) {
  std::string prompt;
  for (int i = 0; i < 500; ++i) prompt += "word" + std::to_string(i) + " ";
  EXPECT_EQ(prompt_groups(prompt, 64).size(), static_cast<std::size_t>(kPromptWords * kWordGroups));
  EXPECT_EQ(prompt_groups(std::string(10000, 'x'), 64).size(), static_cast<std::size_t>(kPromptWords * kWordGroups));
}

TEST(PromptWords, MeasuresEdits) {
  EXPECT_EQ(word_distance("walk", "walk"), 0);
  EXPECT_DOUBLE_EQ(word_distance("walk", "wakl"), 0.25);
  EXPECT_DOUBLE_EQ(word_distance("walk", "walks"), 0.2);
  EXPECT_EQ(word_distance("", "abc"), 1);
  EXPECT_EQ(word_distance("", ""), 0);
}

}  // namespace
}  // namespace limber::prior
