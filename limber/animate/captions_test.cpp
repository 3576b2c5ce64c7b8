// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/captions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace limber::animate {
namespace {

TEST(Captions, AlwaysNameTheirAction) {
  const std::vector<prior::ActionWords> taught = taught_actions();
  ASSERT_EQ(taught.size(), static_cast<std::size_t>(zoo::kActionCount));
  Rng rng(1);
  for (int i = 0; i < zoo::kActionCount; ++i) {
    ClipFacts facts;
    facts.action = static_cast<zoo::Action>(i);
    for (int k = 0; k < 200; ++k) {
      facts.plan = static_cast<zoo::Plan>(rng.below(zoo::kPlanCount));
      facts.speed = rng.uniform(0.5, 2), facts.in_place = rng.chance(0.5);
      const std::string said = caption(facts, rng);
      const std::vector<std::string> named = prior::guess_action(taught, said).named;
      EXPECT_EQ(std::count(named.begin(), named.end(), std::string(zoo::name(facts.action))), 1) << said;
    }
  }
}

TEST(Captions, SayTheSameInManyWays) {
  Rng rng(2);
  std::set<std::string> said;
  for (int i = 0; i < 500; ++i) said.insert(caption({}, rng));
  EXPECT_GT(said.size(), 300u);
}

TEST(Captions, TellFastFromSlow) {
  Rng rng(3);
  ClipFacts slow, fast;
  slow.speed = 0.6, fast.speed = 1.8;
  const auto mentions = [&](const ClipFacts& facts, const char* word) {
    int count = 0;
    for (int i = 0; i < 300; ++i) count += caption(facts, rng).find(word) != std::string::npos;
    return count;
  };
  EXPECT_GT(mentions(slow, "slow"), 50);
  EXPECT_EQ(mentions(slow, "quickly"), 0);
  EXPECT_GT(mentions(fast, "quickly"), 30);
  EXPECT_EQ(mentions(fast, "slow"), 0);
}

}  // namespace
}  // namespace limber::animate
