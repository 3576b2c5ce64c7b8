// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "limber/base/expect.h"

namespace limber {
namespace {

/// Restores the number of threads after a test.
struct ThreadCount {
  explicit ThreadCount(int count) : before(thread_count()) { set_thread_count(count); }
  ~ThreadCount() { set_thread_count(before); }
  int before;
};

TEST(Threads, VisitEveryIndexOnceForAnyThreadCount) {
  for (const int threads : {1, 2, 3, 8}) {
    const ThreadCount scope(threads);
    for (const std::size_t count : {0, 1, 7, 1000}) {
      std::vector<std::atomic<int>> visits(count);
      parallel_for(count, 3, [&](std::size_t begin, std::size_t end) {
        EXPECT_LE(end - begin, 3u);
        EXPECT_EQ(begin % 3, 0u);
        for (std::size_t i = begin; i < end; ++i) ++visits[i];
      });
      for (const auto& n : visits) EXPECT_EQ(n, 1);
    }
  }
}

TEST(Threads, NestedLoopsRunInPlace) {
  const ThreadCount scope(4);
  std::atomic<int> total = 0;
  parallel_for(8, 1, [&](std::size_t, std::size_t) {
    const int outer = thread_index();
    parallel_for(8, 1, [&](std::size_t, std::size_t) {
      EXPECT_EQ(thread_index(), outer);
      ++total;
    });
  });
  EXPECT_EQ(total, 64);
}

TEST(Threads, RethrowTheFirstException) {
  const ThreadCount scope(4);
  EXPECT_THROW(parallel_for(100, 1,
                            [](std::size_t i, std::size_t) {
                              if (i == 42) throw std::runtime_error("42");
                            }),
               std::runtime_error);
  std::atomic<int> after = 0;
  parallel_for(10, 1, [&](std::size_t, std::size_t) { ++after; });
  EXPECT_EQ(after, 10);
}

TEST(Threads, SurviveManyShortLoops) {
  const ThreadCount scope(4);
  std::atomic<int> total = 0;
  for (int i = 0; i < 2000; ++i) parallel_for(4, 1, [&](std::size_t, std::size_t) { ++total; });
  EXPECT_EQ(total, 8000);
}

TEST(Threads, RefuseNonsense) {
  EXPECT_THROW(set_thread_count(-1), ContractError);
  EXPECT_THROW(parallel_for(1, 0, [](std::size_t, std::size_t) {}), ContractError);
}

}  // namespace
}  // namespace limber
