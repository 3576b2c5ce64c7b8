// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/prompt_segments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "limber/animate/request.h"
#include "limber/prior/prompt_words.h"

namespace limber::animate {
namespace {

using Texts = std::vector<std::string>;

const std::vector<prior::ActionWords>& taught() {
  static const std::vector<prior::ActionWords> actions{
      {"idle", {"idle", "stand", "stands", "standing", "stands still"}},
      {"walk", {"walk", "walks", "walking"}},
      {"run", {"run", "runs", "running"}},
      {"jump", {"jump", "jumps", "jumping", "jumps up"}},
      {"turn", {"turn", "turns", "turning", "turns around"}},
      {"sit", {"sit", "sits", "sitting", "sits down", "sitting down"}},
      {"die", {"die", "dies", "falls over"}},
      {"shake-head", {"shakes its head"}},
  };
  return actions;
}

Texts prompts(const std::string& prompt) {
  Texts all;
  for (const PromptSegment& segment : split_prompt(prompt, taught())) all.push_back(segment.prompt);
  return all;
}

Texts names(const std::string& prompt) {
  Texts all;
  for (const PromptSegment& segment : split_prompt(prompt, taught())) all.push_back(short_name(segment));
  return all;
}

TEST(SplitPrompt, FindsTheSameThreeThingsHoweverTheyAreSaid) {
  for (const std::string prompt :
       {"a fox walks, then sits down, then runs", "a fox walks and then sits down and then runs",
        "a fox walks; sits down; runs", "A fox walks. It sits down. It runs.", "a fox walks then sits down then runs",
        "a fox walks, sits down and runs", "a fox walks, sits down, and runs",
        "a fox walks, and then it sits, then runs", "first a fox walks, then it sits down, finally it runs",
        "a fox walks -> sits down -> runs", "a fox walks, after that sits down, afterwards runs",
        "a fox walks followed by sitting down, then running", "a fox walks before sitting down; next it runs",
        "a fox walks\nsits\nruns", "a fox walks | sits | runs",
        "a fox walks, then the fox sits down, then the fox runs!", "walks, then sits, then runs",
        "THEN a fox WALKS, Then Sits Down, ThEn RUNS", ";; a fox walks ;,; sits ; and then runs ;"}) {
    EXPECT_EQ(names(prompt), (Texts{"walk", "sit", "run"})) << prompt;
  }
}

TEST(SplitPrompt, KeepsTogetherWhatIsOneThing) {
  for (const std::string prompt :
       {"a fox walks", "a cat and a dog walk", "a fox walks up and down", "a fox walks slowly, carefully",
        "a big, brown fox walks", "a fox walks while wagging its tail", "a fox walks next to a tree",
        "a man falls over and dies", "a fox walks around, walking", "a fox runs, turning left", "",
        "xyzzy, plugh and frobozz"}) {
    EXPECT_EQ(split_prompt(prompt, taught()).size(), 1u) << prompt;
    EXPECT_EQ(prompts(prompt), Texts{prompt}) << "letter by letter";
  }
}

TEST(SplitPrompt, LetsALongSentenceBeHeardWhereItSaysWhatIsDone) {
  std::string text = "once upon a time in a deep dark forest behind seven hills and seven rivers there was ";
  for (int i = 0; i < 40; ++i) text += "a very old and rather wise animal known to everybody as ";
  text += "the small red fox that walks slowly through the snow towards its den under the roots of an oak";
  ASSERT_GT(text.size(), 2000u);
  const std::vector<PromptSegment> segments = split_prompt(text, taught());
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_EQ(segments[0].actions, Texts{"walk"});
  const std::vector<std::string> words = prior::words_of(segments[0].prompt);
  EXPECT_LE(words.size(), static_cast<std::size_t>(prior::kPromptWords)) << "what the prior reads";
  EXPECT_NE(std::find(words.begin(), words.end(), "walks"), words.end()) << segments[0].prompt;
  EXPECT_NE(std::find(words.begin(), words.end(), "fox"), words.end()) << segments[0].prompt;
  EXPECT_EQ(segments[0].prompt.find(text.substr(0, 20)), std::string::npos) << "not from its first word on";
}

TEST(SplitPrompt, GivesEverySegmentTheSubjectOfTheFirst) {
  EXPECT_EQ(prompts("a red fox walks, then sits down"), (Texts{"a red fox walks", "a red fox sits down"}));
  EXPECT_EQ(prompts("a fox walks; it sits"), (Texts{"a fox walks", "a fox sits"}));
  EXPECT_EQ(prompts("a fox walks; the wolf sits"), (Texts{"a fox walks", "the wolf sits"})) << "it has its own";
  EXPECT_EQ(prompts("it walks, then sits"), (Texts{"it walks", "sits"})) << "there is none to give";
  EXPECT_EQ(prompts("a fox does not walk, then sits"), (Texts{"a fox does not walk", "a fox sits"}));
  EXPECT_EQ(prompts("a fox walks, then explodes"), (Texts{"a fox walks", "a fox explodes"}));
}

TEST(SplitPrompt, NamesTheLongestPhrase) {
  EXPECT_EQ(names("a dog shakes its head, then turns around"), (Texts{"shake-head", "turn"}));
  EXPECT_EQ(names("a running dog jumps up"), Texts{"run + jump"});
}

TEST(SplitPrompt, SaysWhichWordsAreNotKnown) {
  const auto unknown = [](const std::string& prompt) {
    Texts all;
    for (const PromptSegment& segment : split_prompt(prompt, taught())) {
      all.insert(all.end(), segment.unknown.begin(), segment.unknown.end());
    }
    return all;
  };
  EXPECT_EQ(unknown("a purple fox walks slowly over there"), Texts{}) << "the body is seen";
  EXPECT_EQ(unknown("a fox walks majestically"), Texts{"majestically"});
  EXPECT_EQ(unknown("a fox walks, then juggles balls"), (Texts{"juggles", "balls"}));
  EXPECT_EQ(unknown("the fox levitates"), Texts{"levitates"});
  EXPECT_EQ(short_name(split_prompt("the fox levitates", taught())[0]), "\"the fox levitates\"");
}

TEST(SplitPrompt, WithoutAListOfActionsCutsOnlyWhereItIsSaid) {
  const std::vector<PromptSegment> segments = split_prompt("a fox hunts, eats and then sleeps", {});
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[0].prompt, "a fox hunts, eats");
  EXPECT_EQ(segments[1].prompt, "sleeps");
  EXPECT_TRUE(segments[0].unknown.empty());
}

TEST(SplitPrompt, SaysWhatWasNotReadOfOtherLanguages) {
  const auto warning = [](const std::string& prompt) {
    const auto unread = warn_of_unread(split_prompt(prompt, taught()).front());
    return unread ? in_words(*unread) : std::string();
  };
  EXPECT_NE(warning("die Katze rennt").find("only die was understood, not: katze, rennt"), std::string::npos);
  EXPECT_NE(warning("run läuft in den Wald").find("läuft"), std::string::npos);
  for (const std::string english :
       {"a fox walks", "the fox dies", "a fox walks majestically", "walk", "dies", "a naïve fox walks",
        "a fox 🦊 walks 🌲 slowly", "fox walks majestically", "zombie runs ferociously", "walk majestically",
        "old wizard sits cross legged", "robot walking robotically, juggling", "run zigzagging downhill"}) {
    EXPECT_EQ(warning(english), "") << english;
  }
  EXPECT_EQ(warning("ein Fuchs schläft"), "") << "names no action at all, which is another warning";
}

TEST(SplitPrompt, KnowsWhatIsToStayInPlace) {
  EXPECT_TRUE(split_prompt("a fox runs on the spot", taught())[0].in_place);
  const std::vector<PromptSegment> segments = split_prompt("a fox walks in place, then runs", taught());
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_TRUE(segments[0].in_place);
  EXPECT_FALSE(segments[1].in_place);
}

TEST(WithAction, SaysTheOtherInTheSameForm) {
  const prior::ActionWords sit = taught()[5];
  EXPECT_EQ(with_action("a fox walks slowly", taught(), sit), "a fox sits slowly");
  EXPECT_EQ(with_action("a walking fox", taught(), sit), "a sitting fox");
  EXPECT_EQ(with_action("a dog shakes its head", taught(), sit), "a dog sit") << "one phrase, one word";
  EXPECT_EQ(with_action("a fox levitates", taught(), sit), "a fox levitates");
}

TEST(SplitPrompt, TakesLittleTimeForTheLongestPrompts) {
  std::string many = "a fox walks";
  while (many.size() < kLongestPrompt) many += ", a";
  EXPECT_EQ(split_prompt(many, taught()).size(), 1u) << "once minutes";
  std::string different = "a fox walks";
  while (different.size() < kLongestPrompt) different += ", sits, walks";
  EXPECT_GT(split_prompt(different, taught()).size(), 1000u);
}

TEST(SplitPrompt, BearsAnyText) {
  for (const std::string prompt :
       {",", "then", "and", ";;;", "then then then", "\xff\xfe, then \x01", "a, b; c. d", "..."}) {
    EXPECT_GE(split_prompt(prompt, taught()).size(), 1u) << prompt;
  }
}

}  // namespace
}  // namespace limber::animate
