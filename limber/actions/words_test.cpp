// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/actions/words.h"

#include <gtest/gtest.h>

namespace limber::actions {
namespace {

using Words = std::vector<std::string>;

TEST(Words, IgnoresCaseAndPunctuation) {
  EXPECT_EQ(words_of("A Fox, TROTS!"), (Words{"a", "fox", "trots"}));
  EXPECT_EQ(words_of("  the dog's   tail\twags.. "), (Words{"the", "dogs", "tail", "wags"}));
  EXPECT_EQ(words_of(""), Words{});
  EXPECT_EQ(words_of("?!-"), Words{});
}

TEST(Words, KeepsOtherScripts) { EXPECT_EQ(words_of("un renard étrange"), (Words{"un", "renard", "étrange"})); }

TEST(Words, TakesMarksOfUnicodeForMarks) {
  EXPECT_EQ(words_of("a fox—walks…then\u00a0“sits”"), (Words{"a", "fox", "walks", "then", "sits"}));
  EXPECT_EQ(words_of("🦊walks🏃‍♂️ slowly"), (Words{"walks", "slowly"}));
  EXPECT_EQ(words_of("it doesn’t walk"), (Words{"it", "doesnt", "walk"}));
  EXPECT_EQ(words_of("🦊 🏃"), Words{}) << "no words";
  EXPECT_EQ(words_of("ein Fuchs läuft"), (Words{"ein", "fuchs", "läuft"}));
  EXPECT_EQ(words_of("狐が歩く。"), Words{"狐が歩く"});
  EXPECT_EQ(words_of("\xff\xfe \xe3"), (Words{"\xff\xfe", "\xe3"})) << "no text at all";
}

TEST(Words, MeasuresEdits) {
  EXPECT_EQ(word_distance("walk", "walk"), 0);
  EXPECT_DOUBLE_EQ(word_distance("walk", "wakl"), 0.25);
  EXPECT_DOUBLE_EQ(word_distance("walk", "walks"), 0.2);
  EXPECT_EQ(word_distance("", "abc"), 1);
  EXPECT_EQ(word_distance("", ""), 0);
}

TEST(Words, FindTheLongestPhraseThatNamesAnAction) {
  const std::vector<ActionWords> known{{"shake", {"shake itself", "shakes itself", "shaking itself"}},
                                       {"shake-head", {"shake", "shakes", "shaking"}}};
  const std::vector<Mention> found = mentions_in(words_of("it shakes itself, then shakes"), known);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].action, "shake");
  EXPECT_EQ(found[0].first, 1u);
  EXPECT_EQ(found[0].length, 2u);
  EXPECT_EQ(found[1].action, "shake-head");
}

}  // namespace
}  // namespace limber::actions
