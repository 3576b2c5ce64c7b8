// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/prompt_text.h"

#include <gtest/gtest.h>

namespace limber::prior {
namespace {

TEST(CleanPrompt, SqueezesEveryKindOfSpace) {
  EXPECT_EQ(clean_prompt(" \t a\u00a0\u3000fox \r\n walks\u2003"), "a fox walks");
  EXPECT_EQ(clean_prompt(""), "");
  EXPECT_EQ(clean_prompt(" \n "), "");
}

TEST(CleanPrompt, ResolvesCharacterReferencesTwice) {
  EXPECT_EQ(clean_prompt("salt &amp; pepper &lt;3 &#233;&#xE9;"), "salt & pepper <3 éé");
  EXPECT_EQ(clean_prompt("&amp;amp; &amp;#65;"), "& A");
  EXPECT_EQ(clean_prompt("AT&T; &; &# &#x; &#xzz; &#1114112; & &unknown;"),
            "AT&T; &; &# &#x; &#xzz; \uFFFD & &unknown;");
}

TEST(CleanPrompt, StraightensQuotesAndKeepsOtherScripts) {
  EXPECT_EQ(clean_prompt("“it’s”"), "\"it's\"");
  EXPECT_EQ(clean_prompt("一只狐狸，慢慢地"), "一只狐狸，慢慢地");
  EXPECT_EQ(clean_prompt("bell\a and \xEF\xBB\xBF mark"), "bell and mark");
}

TEST(CleanPrompt, KeepsBrokenBytesForTheTokenizerToJudge) { EXPECT_EQ(clean_prompt("a\xff\xc3"), "a\xff\xc3"); }

}  // namespace
}  // namespace limber::prior
