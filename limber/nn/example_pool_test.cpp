// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/example_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

namespace limber::nn {
namespace {

using Numbers = std::vector<std::uint64_t>;
using Pool = ExamplePool<Numbers>;

/// Examples that are their own numbers, in slots that a test can look at.
struct Slots {
  explicit Slots(std::int64_t capacity) : held(static_cast<std::size_t>(capacity)) {}
  Numbers held;

  Pool::Store store() {
    return [this](std::int64_t slot, const Numbers& run) -> Status {
      std::copy(run.begin(), run.end(), held.begin() + slot);
      return Done{};
    };
  }
};

Result<Numbers> draw(std::uint64_t first, std::int64_t count) {
  Numbers run;
  for (std::int64_t i = 0; i < count; ++i) run.push_back(first + static_cast<std::uint64_t>(i));
  return run;
}

TEST(ExamplePool, FillsItsSlotsInOrderUpToItsLimit) {
  Slots slots(10);
  const Pool pool({10, 4, 9, 100}, draw, slots.store());
  ASSERT_TRUE(pool.wait_for(1000).ok());
  EXPECT_EQ(pool.drawn(), 9);
  const Numbers held =
      pool.read(4, [&](std::int64_t ready) { return Numbers(slots.held.begin(), slots.held.begin() + ready); });
  EXPECT_EQ(held, (Numbers{100, 101, 102, 103, 104, 105, 106, 107, 108}));
}

TEST(ExamplePool, LetsTheOldestGiveWay) {
  Slots slots(4);
  const Pool pool({4, 3, 9, 0}, draw, slots.store());
  ASSERT_TRUE(pool.wait_for(4).ok());
  while (pool.drawn() < 9) std::this_thread::yield();
  // A run ends where the slots end: 0 1 2, 3, 4 5 6, 7, 8.
  pool.read(4, [&](std::int64_t ready) {
    EXPECT_EQ(ready, 4);
    EXPECT_EQ(slots.held, (Numbers{8, 5, 6, 7}));
  });
}

TEST(ExamplePool, DrawsNoMoreThanIsLookedAt) {
  Slots slots(4);
  const Pool pool({4, 2, 0, 0, 0.5}, draw, slots.store());
  ASSERT_TRUE(pool.wait_for(4).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(pool.drawn(), 4);
  pool.read(8, [](std::int64_t) {});
  while (pool.drawn() < 8) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(pool.drawn(), 8);
}

TEST(ExamplePool, WaitsForOneExampleAtLeast) {
  Slots slots(4);
  const Pool pool({4, 2, 0, 0}, draw, slots.store());
  ASSERT_TRUE(pool.wait_for(0).ok());
  EXPECT_GE(pool.drawn(), 1);
}

TEST(ExamplePool, KeepsTheErrorOfADrawThatFailed) {
  Slots slots(8);
  const auto failing = [](std::uint64_t first, std::int64_t count) -> Result<Numbers> {
    if (first >= 4) return Error{"no such creature", std::to_string(first)};
    return draw(first, count);
  };
  const Pool pool({8, 2, 0, 0}, failing, slots.store());
  EXPECT_EQ(pool.wait_for(8).error().where, "4");
  EXPECT_EQ(pool.status().error().what, "no such creature");
  EXPECT_EQ(pool.drawn(), 4);
  const Pool full({8, 2, 0, 0}, draw, [](std::int64_t, const Numbers&) -> Status { return Error{"no room", ""}; });
  EXPECT_EQ(full.wait_for(1).error().what, "no room");
}

TEST(ExamplePool, DrawsEachExampleOnceAndNamesTheFirstThatFails) {
  std::vector<std::atomic<int>> drawn(100);
  const auto count = [&](std::int64_t i) -> Status {
    ++drawn[static_cast<std::size_t>(i)];
    if (i == 93 || i == 17 || i == 40) return Error{"failed", std::to_string(i)};
    return Done{};
  };
  EXPECT_EQ(draw_examples(100, count).error().where, "17");
  for (const std::atomic<int>& times : drawn) EXPECT_EQ(times, 1);
  EXPECT_TRUE(draw_examples(10, count).ok());
  EXPECT_TRUE(draw_examples(0, count).ok());
}

TEST(ExamplePool, BeginsElsewhereForAnotherSeedOrKindOfTraining) {
  EXPECT_EQ(first_example(3, 77), first_example(3, 77));
  EXPECT_NE(first_example(3, 77), first_example(4, 77));
  EXPECT_NE(first_example(3, 77), first_example(3, 78));
  EXPECT_LT(first_example(3, 77), std::uint64_t{1} << 36);
}

}  // namespace
}  // namespace limber::nn
