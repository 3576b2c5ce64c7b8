// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/ask_motion.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/animate/animate_testing.h"
#include "limber/metrics/usual_movement.h"
#include "limber/metrics/usual_travel.h"

namespace limber::animate {
namespace {

/// One that went well.
Animation good() {
  Animation animation;
  animation.segments.push_back({{"a fox walks", {"walk"}, {}}, 0, 2, metrics::usual_movement("walk").least, {}, {}});
  animation.segments[0].travel = {true, 0.3, metrics::usual_speed("walk", true).least, 0};
  animation.segments[0].told = Told{0.01, 0.012, "sit"};
  animation.candidates.emplace_back().lifted.fit.residual = 0.08;
  animation.skin.stretch = 2;
  animation.grounded.emplace().reference.habitat = physics::Habitat::kGround;
  animation.metrics.skate = 0.03f;
  return animation;
}

Answer answer_to(const Animation& animation, Question question) {
  for (const Answer& answer : ask_motion(animation, 0.15)) {
    if (answer.question == question) return answer;
  }
  ADD_FAILURE() << name(question);
  return {};
}

std::string said(const Animation& animation, Question question) {
  const std::optional<Warning> warning = answer_to(animation, question).warning;
  return warning ? in_words(*warning) : "nothing";
}

/// Whether this question alone failed, with words that name what is wrong and what helps.
void expect_failed(const Animation& animation, Question question, const std::string& what, const std::string& helps) {
  for (const Answer& answer : ask_motion(animation, 0.15)) {
    const bool failed = answer.passed == std::optional<bool>(false);
    EXPECT_EQ(failed, answer.question == question) << name(answer.question);
    EXPECT_EQ(answer.warning.has_value(), failed) << name(answer.question);
  }
  const std::string words = said(animation, question);
  EXPECT_NE(words.find(what), std::string::npos) << words;
  EXPECT_NE(words.find(helps), std::string::npos) << words;
  EXPECT_FALSE(all_passed(ask_motion(animation, 0.15)));
}

TEST(AskMotion, LetsPassWhatWentWell) {
  const std::vector<Answer> all = ask_motion(good(), 0.15);
  EXPECT_EQ(all.size(), 7u);
  EXPECT_TRUE(all_passed(all));
  for (const Answer& answer : all) {
    EXPECT_EQ(answer.passed, std::optional<bool>(true)) << name(answer.question);
    EXPECT_FALSE(answer.warning) << in_words(*answer.warning);
  }
}

TEST(AskMotion, WarnsOfEverythingThatCanGoWrong) {
  Animation frozen = good();
  frozen.segments[0].movement = 0.001;
  expect_failed(frozen, Question::kMoves, "hardly moves (walk)", "`seed`");
  Animation wild = good();
  wild.segments[0].movement = 3;
  expect_failed(wild, Question::kMoves, "wildly", "`candidates`");
  Animation other = good();
  other.segments[0].told = Told{0.013, 0.01, "sit"};
  expect_failed(other, Question::kAsTold, "rather like sit than like \"a fox walks\"", "`guidance`");
  Animation missed = good();
  missed.candidates[0].lifted.fit.residual = 0.3;
  expect_failed(missed, Question::kFollowed, "no sample could be followed", "`candidates`");
  Animation torn = good();
  torn.skin.stretch = 9;
  expect_failed(torn, Question::kWhole, "tear", "limber render");
  Animation sliding = good();
  sliding.metrics.skate = 0.4f;
  expect_failed(sliding, Question::kStands, "slide by 40 %", "`ground");
  Animation sunk = good();
  sunk.metrics.penetration = 0.2f;
  expect_failed(sunk, Question::kStands, "sinks", "`ground");
  Animation bent = good();
  bent.metrics.limit_excess = 1;
  expect_failed(bent, Question::kLimits, "57 degrees", "`seed`");
}

TEST(AskMotion, WarnsOfWalksThatGoNowhereAndOfSittingAway) {
  Animation treading = good();
  treading.segments[0].travel.pace = 0.02;
  expect_failed(treading, Question::kTravels, "goes nowhere (walk)", "`in_place`");
  Animation gliding = good();
  gliding.segments[0].asked.actions = {"sit"};
  gliding.segments[0].movement = metrics::usual_movement("sit").most;
  gliding.segments[0].travel.speed = 1;
  expect_failed(gliding, Question::kTravels, "goes away (sit)", "`in_place`");
  Animation fish = good();
  fish.segments[0].asked.actions = {"swim"};
  fish.segments[0].movement = metrics::usual_movement("swim").least;
  fish.segments[0].travel = {false, 0.01, 0.01, 0};
  expect_failed(fish, Question::kTravels, "of its size a second", "`seed`");
}

TEST(AskMotion, DoesNotAskHowFarWhereThatWasSaid) {
  Animation treading = good();
  treading.segments[0].travel.pace = 0;
  treading.own_way = false;
  EXPECT_FALSE(answer_to(treading, Question::kTravels).passed.has_value()) << "--in-place or --keyframes";
  treading.own_way = true, treading.segments[0].asked.in_place = true;
  EXPECT_EQ(answer_to(treading, Question::kTravels).passed, std::optional<bool>(true)) << "in words";
  treading.segments[0].asked = {"a fox frobnicates", {}, {"frobnicates"}};
  EXPECT_FALSE(answer_to(treading, Question::kTravels).passed.has_value()) << "nobody knows how far that goes";
  treading.segments.clear();
  EXPECT_FALSE(answer_to(treading, Question::kTravels).passed.has_value()) << "a video";
}

TEST(AskMotion, WarnsOfLegsThatHover) {
  Animation hovering = good();
  hovering.segments[0].travel.clearance = 0.3;
  expect_failed(hovering, Question::kStands, "hover (walk)", "`ground");
  // It hangs in the air, and nothing but that tells that it may.
  hovering.grounded->reference.habitat = physics::Habitat::kFree;
  EXPECT_FALSE(answer_to(hovering, Question::kStands).passed.has_value());
  hovering.grounded->reference.hangs = true;
  EXPECT_EQ(answer_to(hovering, Question::kStands).passed, std::optional<bool>(false));
  hovering.segments[0].asked.actions = {"fly"};
  EXPECT_FALSE(answer_to(hovering, Question::kStands).passed.has_value());
}

TEST(AskMotion, DoesNotAskWhoDiesForLegsOnTheGround) {
  Animation dying = good();
  dying.segments.push_back({{"a fox dies", {"die"}, {}}, 2, 4, metrics::usual_movement("die").least, {}, {}});
  dying.segments[1].travel = {true, 0, 0, 0.9};
  EXPECT_EQ(answer_to(dying, Question::kStands).passed, std::optional<bool>(true));
}

TEST(AskMotion, LetsDancersGoToAndFro) {
  Animation dancing = good();
  dancing.segments[0].asked.actions = {"dance"};
  dancing.segments[0].movement = metrics::usual_movement("dance").least;
  dancing.segments[0].travel = {true, 0.4, 0.8, 0};
  EXPECT_FALSE(answer_to(dancing, Question::kTravels).passed.has_value());
}

TEST(AskMotion, NamesUnitsAndHasNoBoundWhereThereIsNone) {
  const Answer least = answer_to(good(), Question::kTravels);
  EXPECT_EQ(least.unit, "leg lengths per second");
  EXPECT_TRUE(std::isinf(least.most));
  Animation gliding = good();
  gliding.segments[0].asked.actions = {"sit"};
  EXPECT_EQ(answer_to(gliding, Question::kTravels).unit, "sizes per second");
  EXPECT_EQ(answer_to(good(), Question::kStands).unit, "heights per second");
}

TEST(AskMotion, SaysWhatNothingCanTell) {
  Animation video;  // of somebody: no prompt, no sample, no ground
  video.gait.movement = 0.05;
  EXPECT_FALSE(answer_to(video, Question::kAsTold).passed);
  EXPECT_FALSE(answer_to(video, Question::kFollowed).passed);
  EXPECT_FALSE(answer_to(video, Question::kStands).passed);
  EXPECT_TRUE(all_passed(ask_motion(video, 0.15)));
  video.gait.movement = 0;
  EXPECT_EQ(answer_to(video, Question::kMoves).passed, std::optional<bool>(false)) << "anything that moves moves";
}

TEST(AskMotion, LooksAtTheWorstSegment) {
  Animation two = good();
  two.segments.push_back({{"a fox sits", {"sit"}, {}}, 2, 4, 0.0001, Told{0.02, 0.01, "walk"}, {true, 3, 3, 0}});
  EXPECT_NE(said(two, Question::kMoves).find("(sit)"), std::string::npos);
  EXPECT_NE(said(two, Question::kAsTold).find("a fox sits"), std::string::npos);
  EXPECT_NE(said(two, Question::kTravels).find("(sit)"), std::string::npos);
}

TEST(AskMotion, ForgivesWhatIsWithinNoise) {
  Animation close = good();
  close.segments[0].told = Told{0.0101, 0.01, "sit"};
  EXPECT_EQ(answer_to(close, Question::kAsTold).passed, std::optional<bool>(true));
}

}  // namespace
}  // namespace limber::animate
