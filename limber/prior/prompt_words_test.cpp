// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/prompt_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace limber::prior {
namespace {

TEST(PromptWords, NumbersLetterGroupsInRangeAndPadsWithZero) {
  const auto groups = prompt_groups("a fox trots", 100);
  ASSERT_EQ(groups.size(), static_cast<std::size_t>(kPromptWords * kWordGroups));
  EXPECT_TRUE(std::all_of(groups.begin(), groups.end(), [](int g) { return g >= 0 && g < 100; }));
  EXPECT_GT(groups[0], 0);
  EXPECT_TRUE(std::all_of(groups.begin() + 3 * kWordGroups, groups.end(), [](int g) { return g == 0; }));
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

}  // namespace
}  // namespace limber::prior
