// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/mean_of_bodies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "limber/base/rng.h"

namespace limber::metrics {
namespace {

std::vector<double> drawn(int count, double mean, double spread, std::uint64_t seed = 3) {
  Rng rng(seed);
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(mean + spread * rng.normal());
  return values;
}

TEST(MeanOfBodies, IsAsFarOffAsTheTextbookSays) {
  for (const int count : {4, 20, 200}) {
    const std::vector<double> values = drawn(count, 2, 0.5);
    double mean = 0, squares = 0;
    for (const double value : values) mean += value / count;
    for (const double value : values) squares += (value - mean) * (value - mean);
    const MeanOfBodies result = mean_of_bodies(values);
    EXPECT_NEAR(result.mean, mean, 1e-12);
    const double expected = std::sqrt(squares / (count - 1) / count);
    EXPECT_NEAR(result.error, expected, 0.06 * expected) << count << " bodies";
    EXPECT_EQ(result.bodies, count);
  }
}

TEST(MeanOfBodies, DoesNotDependOnTheOrderOfBodies) {
  std::vector<double> values = drawn(30, 1, 4);
  const MeanOfBodies before = mean_of_bodies(values);
  std::reverse(values.begin(), values.end());
  const MeanOfBodies after = mean_of_bodies(values);
  EXPECT_EQ(before.mean, after.mean);
  EXPECT_EQ(before.error, after.error);
}

TEST(MeanOfBodies, OfOneOrNoneHasNoError) {
  EXPECT_EQ(mean_of_bodies({}).bodies, 0);
  EXPECT_EQ(mean_of_bodies(std::vector<double>{7}).mean, 7);
  EXPECT_EQ(mean_of_bodies(std::vector<double>{7}).error, 0);
}

TEST(MeanOfBodies, TellsFloorsFromCeilingsOfOtherBodies) {
  const MeanOfBodies floor = mean_of_bodies(drawn(40, 1, 0.5, 5)), ceiling = mean_of_bodies(drawn(10, 0.2, 0.5, 6));
  const double expected =
      (floor.mean - ceiling.mean) / std::sqrt(floor.error * floor.error + ceiling.error * ceiling.error);
  EXPECT_NEAR(standard_errors_apart(floor, ceiling), expected, 1e-9);
  EXPECT_GT(expected, 3);
  EXPECT_NEAR(standard_errors_apart(ceiling, floor), -expected, 1e-9);
  EXPECT_EQ(standard_errors_apart(floor, mean_of_bodies(drawn(2, 0, 0.1))), 0) << "two bodies tell nothing";
}

TEST(MeanOfBodies, TellsADifferenceFromChance) {
  // Half a spread, 100 bodies: five standard errors. Of 16 bodies two.
  EXPECT_GT(standard_errors_from_zero(mean_of_bodies(drawn(100, 0.5, 1))), 3.5);
  EXPECT_LT(standard_errors_from_zero(mean_of_bodies(drawn(100, -0.5, 1))), -3.5) << "it has a sign";
  EXPECT_LT(std::abs(standard_errors_from_zero(mean_of_bodies(drawn(100, 0, 1)))), 2.5);
  EXPECT_EQ(standard_errors_from_zero(mean_of_bodies(std::vector<double>{1, 1.1})), 0) << "two bodies tell nothing";
  EXPECT_EQ(standard_errors_from_zero(mean_of_bodies(std::vector<double>{1, 1, 1})), 1000) << "all alike";
}

}  // namespace
}  // namespace limber::metrics
