// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/simd.h"

#include <gtest/gtest.h>

#include "limber/base/symmetric.h"

namespace limber {
namespace {

TEST(Simd, RunsOnEveryLevelOfThisMachine) {
  const SimdLevel before = simd_level();
  const std::vector<SimdLevel> levels = available_simd_levels();
  ASSERT_FALSE(levels.empty());
  EXPECT_EQ(levels.front(), SimdLevel::kPortable);
  for (const SimdLevel level : levels) {
    set_simd_level(level);
    EXPECT_EQ(simd_level(), level);
    EXPECT_FALSE(simd_level_name(level).empty());
  }
  set_simd_level(before);
}

TEST(Symmetric, GradientsOnSixAndOnNineNumbersAreInverse) {
  const Symmetric g{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(fold_gradient(unfold_gradient(g)), g);
  EXPECT_EQ(to_symmetric(to_matrix(g)), g);
  EXPECT_EQ(to_matrix(g)(2, 1), 5);
  // <gradient, matrix> is the same either way.
  const Symmetric s{0.5f, -1, 2, 3, 0.25f, -2};
  double nine = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) nine += double(unfold_gradient(g)(i, j)) * double(to_matrix(s)(i, j));
  }
  const double six = 1 * 0.5 - 2 * 1 + 3 * 2 + 4 * 3 + 5 * 0.25 - 6 * 2;
  EXPECT_DOUBLE_EQ(nine, six);
}

}  // namespace
}  // namespace limber
