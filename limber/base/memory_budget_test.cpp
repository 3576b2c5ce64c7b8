// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/memory_budget.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>
#include <vector>

namespace limber {
namespace {

/// Each test has a budget of its own, and leaves the usual one behind.
class MemoryBudget : public testing::Test {
 protected:
  void SetUp() override { set_memory_budget(100 << 20); }
  void TearDown() override { set_memory_budget(kDefaultMemoryBudget); }
};

TEST_F(MemoryBudget, IsSharedByAllAndGivenBack) {
  MemoryShare one;
  ASSERT_TRUE(one.take(60 << 20, "a.glb").ok());
  {
    MemoryShare other;
    EXPECT_FALSE(other.take(60 << 20, "b.glb").ok());
    EXPECT_EQ(other.bytes(), 0u);
    EXPECT_TRUE(other.take(40 << 20, "b.glb").ok());
    EXPECT_EQ(memory_budget_left(), 0u);
  }
  EXPECT_EQ(memory_budget_left(), 40u << 20);
  MemoryShare heir;
  heir.add(std::move(one));
  EXPECT_EQ(heir.bytes(), 60u << 20);
  heir = MemoryShare();
  EXPECT_EQ(memory_budget_left(), 100u << 20);
}

TEST_F(MemoryBudget, AsAnOptionIsNotBelowItsLeast) {
  EXPECT_EQ(memory_budget_option(), 100.0 / 1024);
  set_memory_budget(static_cast<std::uint64_t>(0.001 * (1 << 30)));
  EXPECT_EQ(memory_budget_option(), 0.001);
}

TEST_F(MemoryBudget, SaysWhatWasAskedForAndWhatIsAllowed) {
  MemoryShare share;
  ASSERT_TRUE(share.take(10 << 20, "a.glb").ok());
  const Status refused = share.take(std::uint64_t{6} << 30, "a.glb#/accessors/2");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::kOutOfMemory);
  EXPECT_EQ(
      refused.error().message(),
      "a.glb#/accessors/2: needs 6 GB of memory, where 10 MB of the 100 MB that are allowed for reading files are "
      "taken");
  EXPECT_TRUE(memory_budget_exceeded());
  EXPECT_FALSE(share.take(std::numeric_limits<std::uint64_t>::max(), "").ok());  // no sum wraps around
  EXPECT_EQ(share.bytes(), 10u << 20);
}

TEST_F(MemoryBudget, IsNeverOverdrawnByThreads) {
  std::vector<MemoryShare> shares(8);
  std::vector<std::thread> threads;
  for (MemoryShare& share : shares) {
    threads.emplace_back([&share] {
      while (share.take(1 << 16, "").ok()) {
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::uint64_t sum = 0;
  for (const MemoryShare& share : shares) sum += share.bytes();
  EXPECT_EQ(sum, 100u << 20);
}

}  // namespace
}  // namespace limber
