// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/native_facts.h"

#include <gtest/gtest.h>

#include "limber/motion_space/motion_testing.h"

namespace limber::animate {
namespace {

using motion_space::tiny_motion_model;

using motion_space::Fact;

PromptSegment segment_of(const std::string& prompt) {
  return split_prompt(prompt, native_actions(tiny_motion_model())).front();
}
int choice(const std::string& prompt, Fact fact) {
  return native_facts(tiny_motion_model(), segment_of(prompt)).facts[static_cast<int>(fact)];
}

TEST(NativeFacts, AreTheActionHowFastAndWhereTo) {
  EXPECT_EQ(native_facts(tiny_motion_model(), segment_of("a fox sits down")).action, 2);
  EXPECT_EQ(choice("a fox walks", Fact::kLoop), 1) << "over and over";
  EXPECT_EQ(choice("a fox sits down", Fact::kLoop), 0) << "once";
  EXPECT_EQ(choice("a fox walks", Fact::kSource), 1) << "as artists do it";
  EXPECT_EQ(native_facts(tiny_motion_model(), segment_of("a fox walks"), 1).facts[static_cast<int>(Fact::kSource)], 0)
      << "every other candidate as made-up creatures do it";
  EXPECT_EQ(choice("a fox walks", Fact::kPace), 0);
  for (const char* how : {"quickly", "fast", "rapidly"})
    EXPECT_EQ(choice(std::string("a fox walks ") + how, Fact::kPace), 1) << how;
  for (const char* how : {"slowly", "tired", "lazily"})
    EXPECT_EQ(choice(std::string("a fox walks ") + how, Fact::kPace), 2) << how;
  EXPECT_EQ(choice("a fox walks", Fact::kHeading), 0);
  EXPECT_EQ(choice("a fox walks backwards", Fact::kHeading), 1);
  EXPECT_EQ(choice("a fox walks to the left", Fact::kHeading), 2);
  EXPECT_EQ(choice("a fox walks to the right", Fact::kHeading), 3);
}

TEST(NativeFacts, TakeTheNearestActionOfAWordThatNobodyKnows) {
  std::vector<PromptSegment> segments{segment_of("a man wallks"), segment_of("a man walks"),
                                      segment_of("a man juggles")};
  const std::vector<Warning> notes = find_nearest_actions(tiny_motion_model(), segments);
  EXPECT_EQ(segments[0].actions, (std::vector<std::string>{"walk"}));
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(in_words(notes[0]), "\"wallks\" was taken for walk");
  EXPECT_TRUE(segments[2].actions.empty());
  EXPECT_EQ(native_facts(tiny_motion_model(), segments[2]).action, -1) << "any";
}

TEST(NativeFacts, KnowWhoGoesStraight) {
  EXPECT_TRUE(goes_straight(segment_of("a fox walks")));
  EXPECT_FALSE(goes_straight(segment_of("a fox walks in a circle")));
  EXPECT_FALSE(goes_straight(segment_of("a fox sits")));
  EXPECT_FALSE(goes_straight(segment_of("a fox juggles")));
}

}  // namespace
}  // namespace limber::animate
