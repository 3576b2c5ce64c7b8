// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/harvest.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "limber/animate/animate_testing.h"

namespace limber::animate {
namespace {

Result<Harvested> harvest(StagePrior& prior, std::uint64_t seed = 3) {
  HarvestSettings settings;
  settings.seed = seed, settings.fit_stages = short_fit();
  return harvest_motion(stage().creature.subject, prior, "a fox walks", settings);
}

TEST(Harvest, LiftsASampleAtThePriorsRateAndJudgesIt) {
  StagePrior prior;
  const auto harvested = harvest(prior);
  ASSERT_TRUE(harvested.ok()) << harvested.error().message();
  EXPECT_EQ(prior.seeds, std::vector<std::uint64_t>{3});
  EXPECT_EQ(prior.prompts, std::vector<std::string>{"a fox walks"});
  EXPECT_EQ(harvested->motion.frame_count(), kStageFrames);
  EXPECT_EQ(harvested->motion.fps, kStageFps);
  EXPECT_EQ(harvested->answers.size(), 7u);
  const auto moves = [](const Answer& j) { return j.question == Question::kMoves; };
  const auto found = std::find_if(harvested->answers.begin(), harvested->answers.end(), moves);
  ASSERT_NE(found, harvested->answers.end());
  EXPECT_TRUE(found->passed.value_or(false));
}

TEST(Harvest, HasNoUseForASampleThatCannotBeFollowed) {
  StagePrior prior;
  prior.disturb = [](int) { return 0.9f; };
  const auto harvested = harvest(prior);
  ASSERT_TRUE(harvested.ok()) << harvested.error().message();
  EXPECT_FALSE(harvested->sound());
}

}  // namespace
}  // namespace limber::animate
