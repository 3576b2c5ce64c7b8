// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/rng.h"

#include <gtest/gtest.h>

#include <vector>

namespace limber {
namespace {

TEST(Rng, GivesTheSameNumbersOnEveryMachine) {
  // Written down once; a change here changes every creature of the zoo.
  Rng rng(7);
  const std::vector<std::uint32_t> expected = {1217819621u, 3877901056u, 4222691260u, 3744216816u};
  for (const std::uint32_t value : expected) EXPECT_EQ(rng.next_u32(), value);
}

TEST(Rng, SeedsStreamsAndForksDiffer) {
  EXPECT_NE(Rng(1).next_u32(), Rng(2).next_u32());
  EXPECT_NE(Rng(1, 0).next_u32(), Rng(1, 1).next_u32());
  const Rng parent(3);
  EXPECT_NE(parent.fork(0).next_u32(), parent.fork(1).next_u32());
  EXPECT_EQ(parent.fork(4).next_u32(), parent.fork(4).next_u32());
}

TEST(Rng, UniformAndNormalHaveTheirMoments) {
  Rng rng(11);
  const int count = 200000;
  double sum = 0, squares = 0, normal_sum = 0, normal_squares = 0;
  for (int i = 0; i < count; ++i) {
    const double u = rng.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u, squares += u * u;
    const double n = rng.normal();
    normal_sum += n, normal_squares += n * n;
  }
  EXPECT_NEAR(sum / count, 0.5, 0.003);
  EXPECT_NEAR(squares / count, 1.0 / 3, 0.003);
  EXPECT_NEAR(normal_sum / count, 0.0, 0.01);
  EXPECT_NEAR(normal_squares / count, 1.0, 0.015);
}

TEST(Rng, BelowReachesEveryNumberAlike) {
  Rng rng(5);
  std::vector<int> hits(7);
  for (int i = 0; i < 70000; ++i) ++hits[rng.below(7)];
  for (const int n : hits) EXPECT_NEAR(n, 10000, 500);
}

}  // namespace
}  // namespace limber
