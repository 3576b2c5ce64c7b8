// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/smooth_adam.h"

#include <gtest/gtest.h>

#include <cmath>

namespace limber::physics {
namespace {

TEST(PhysicsSmoothAdam, FindsTheMinimumOfASmoothBowl) {
  constexpr std::size_t kRows = 20, kColumns = 2;
  SmoothAdam adam(kRows, kColumns);
  std::vector<double> x(kRows * kColumns), goal(x.size()), gradient(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    goal[k] = std::sin(0.3 * static_cast<double>(k / kColumns)) + static_cast<double>(k % kColumns);
  }
  for (int i = 0; i < 400; ++i) {
    for (std::size_t k = 0; k < x.size(); ++k) gradient[k] = x[k] - goal[k];
    adam.step(x, gradient, 0.05 * (1 - i / 400.0));
  }
  for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(x[k], goal[k], 0.02) << k;
}

TEST(PhysicsSmoothAdam, SpreadsTheStepOfASinglePeak) {
  SmoothAdam adam(9, 1);
  std::vector<double> x(9), gradient(9);
  gradient[4] = 1;
  adam.step(x, gradient, 0.1);
  // Twice 1 2 1, over 16: 1 4 6 4 1.
  EXPECT_LT(x[4], 0);
  EXPECT_NEAR(x[3] / x[4], 4.0 / 6, 1e-12);
  EXPECT_NEAR(x[6] / x[4], 1.0 / 6, 1e-12);
  EXPECT_EQ(x[7], 0);
}

}  // namespace
}  // namespace limber::physics
