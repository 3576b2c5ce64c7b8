// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/warning.h"

#include <gtest/gtest.h>

#include <set>

namespace limber {
namespace {

Warning sliding() {
  return {"feet_slide", {{"skate", 0.31}, {"most", 0.15}}, {}, {{"ground", "lock"}, {"ground", "simulate"}}};
}

std::string as_option(const std::string& field, const std::string& value) { return "<" + field + "=" + value + ">"; }

TEST(Warning, IsPutInWordsByWhoeverShowsIt) {
  EXPECT_EQ(what_of(sliding()), "the feet slide by 31 % of the height a second (15 % is much)");
  EXPECT_EQ(help_of(sliding(), as_option).rfind("<ground=lock> or <ground=simulate> may help", 0), 0u);
  EXPECT_EQ(in_words(sliding()), what_of(sliding()) + "; " + help_of(sliding()));
}

TEST(Warning, CallsOnlyFieldsAsFieldsAreCalled) {
  const Warning torn{"clips_torn", {{"torn", 1}}, {{"words", "stretches"}}, {{"keep_skeleton", "true", "rig"}}};
  EXPECT_EQ(help_of(torn, as_option), "`limber rig` with <keep_skeleton=> solves the weights anew");
}

TEST(Warning, WritesNumbersInTheirForms) {
  const Warning loop{"loop_forced", {{"gap", 1.0}}};
  EXPECT_EQ(in_words(loop), "the loop does not close by itself: 57 degrees were spread over it");
  const Warning odd{"odd_scale", {{"side", 1234567}}, {{"words", "very large"}}};
  EXPECT_EQ(what_of(odd), "its longest side is 1.23e+06, and glTF counts in metres: very large");
  EXPECT_EQ(in_words(Warning{"video_begun", {{"frames", 1200}}}), "only the first 1200 frames were looked at");
}

TEST(Warning, TakesTextsOfPersonsAsTheyAre) {
  const Warning said{"prompt_negated", {}, {{"word", "`seed` {x}"}}, {{"seed"}}};
  EXPECT_NE(in_words(said, as_option).find("`seed` {x}"), std::string::npos) << in_words(said, as_option);
}

TEST(Warning, IsItsCodeWhereNobodyHasWords) {
  EXPECT_EQ(in_words(Warning{"unheard_of"}), "unheard_of");
  EXPECT_EQ(Warning{"unheard_of"}.number("x"), 0);
  EXPECT_TRUE(Warning{"unheard_of"}.name("x").empty());
  EXPECT_TRUE(has_code(std::vector<Warning>{sliding()}, "feet_slide"));
  EXPECT_FALSE(has_code(std::vector<Warning>{}, "feet_slide"));
}

TEST(WarningTexts, AreOneForEachCodeAndSpeakOfNoCommandLine) {
  std::set<std::string_view> codes;
  for (const WarningText& row : warning_texts()) {
    EXPECT_TRUE(codes.insert(row.code).second) << row.code;
    EXPECT_EQ(std::string(row.what).find("--"), std::string::npos) << row.what;
    EXPECT_EQ(std::string(row.help).find("--"), std::string::npos) << row.help;
  }
}

}  // namespace
}  // namespace limber
