// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/captions.h"

#include <gtest/gtest.h>

#include <set>

#include "limber/prior/prompt_words.h"
#include "limber/prior/sketch_model.h"

namespace limber::training {
namespace {

TEST(Captions, AlwaysNameTheirActionAndNoOther) {
  const std::vector<actions::ActionWords>& taught = actions::built_in().taught();
  ASSERT_GT(taught.size(), static_cast<std::size_t>(zoo::kActionCount));
  Rng rng(1);
  for (const actions::ActionWords& action : taught) {
    ClipFacts facts;
    facts.action = action.name;
    for (int k = 0; k < 80; ++k) {
      facts.plan = static_cast<zoo::Plan>(rng.below(zoo::kPlanCount));
      facts.noun = rng.chance(0.5) ? "stag" : "";
      facts.speed = rng.uniform(0.5, 2), facts.in_place = rng.chance(0.5);
      facts.heading = static_cast<Heading>(rng.below(4));
      facts.turning = rng.chance(0.3) ? rng.uniform(-1, 1) : 0;
      facts.tired = rng.chance(0.3), facts.limping = rng.chance(0.3) && action.name != "turn";
      const std::string said = caption(facts, rng);
      EXPECT_EQ(prior::guess_action(taught, said).named, std::vector<std::string>{action.name}) << said;
      // What comes after would not be read.
      EXPECT_LE(prior::words_of(said).size(), static_cast<std::size_t>(prior::kPromptWords)) << said;
    }
  }
}

TEST(Captions, TeachEveryActionOfTheZooFirst) {
  const std::vector<actions::ActionWords>& taught = actions::built_in().taught();
  for (int i = 0; i < zoo::kActionCount; ++i) {
    EXPECT_EQ(taught[static_cast<std::size_t>(i)].name, zoo::name(static_cast<zoo::Action>(i)));
  }
  EXPECT_TRUE(is_taught("dance"));
  EXPECT_FALSE(is_taught("evaporate"));
}

/// As they were when the shipped prior was trained: the same words, drawn with the same random numbers.
TEST(Captions, AreTheSameAsEver) {
  std::uint64_t hash = 14695981039346656037ull;  // FNV-1a
  for (std::uint64_t i = 0; i < 63; ++i) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      Rng rng(seed, i);
      ClipFacts facts;
      facts.action = actions::built_in().taught().at(i).name;
      facts.plan.reset();
      if (rng.chance(0.9)) facts.plan = static_cast<zoo::Plan>(rng.below(zoo::kPlanCount));
      facts.noun = rng.chance(0.5) ? "stag" : "";
      facts.speed = rng.uniform(0.5, 2);
      facts.amplitude = rng.uniform(0.5, 1.5);
      facts.in_place = rng.chance(0.4);
      facts.heading = static_cast<Heading>(rng.below(4));
      if (rng.chance(0.5)) facts.heading = Heading::kForward;
      facts.turning = rng.chance(0.3) ? rng.uniform(-1, 1) : 0;
      facts.tired = rng.chance(0.3), facts.limping = rng.chance(0.3);
      const std::string said = caption(facts, rng);
      for (const char c : said + " " + std::to_string(rng.next_u32()) + "\n") {
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
      }
    }
  }
  EXPECT_EQ(hash, 17248159464243341247u);
}

TEST(Captions, HaveNounsThatPeopleWouldSay) {
  EXPECT_EQ(plain_noun("seagull", zoo::Plan::kBird), "seagull");
  EXPECT_EQ(plain_noun("rigged", zoo::Plan::kBiped), "biped");
  EXPECT_EQ(plain_noun("", zoo::Plan::kFish), "fish");
}

TEST(Captions, TellTheWay) {
  Rng rng(6);
  ClipFacts facts;
  facts.heading = Heading::kBackward;
  int told = 0;
  for (int i = 0; i < 100; ++i) {
    const std::string said = caption(facts, rng);
    told += said.find("backward") != std::string::npos ? 1 : 0;
    EXPECT_EQ(said.find("forward"), std::string::npos) << said;
  }
  EXPECT_GT(told, 80);
}

TEST(Captions, TellHowItIsDone) {
  Rng rng(7);
  const auto mentions = [&](const ClipFacts& facts, const char* word) {
    int count = 0;
    for (int i = 0; i < 200; ++i) count += caption(facts, rng).find(word) != std::string::npos ? 1 : 0;
    return count;
  };
  ClipFacts left, tired, limping;
  left.turning = 0.5, tired.tired = true, limping.limping = true;
  EXPECT_GT(mentions(left, "left"), 140);
  EXPECT_EQ(mentions(left, "right"), 0);
  EXPECT_GT(mentions(tired, "tired") + mentions(tired, "wear"), 100);
  EXPECT_GT(mentions(limping, "limping"), 140);
  EXPECT_EQ(mentions({}, "limping"), 0);
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
}  // namespace limber::training
