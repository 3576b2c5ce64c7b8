// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/testing/gradient_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "limber/base/expect.h"

namespace limber::testing {
namespace {

double wave(std::span<const double> x) { return std::sin(x[0]) * std::exp(x[1]) + x[2] * x[2] * x[2]; }
const std::vector<double> kPoint{0.3, -0.7, 100.0};
std::vector<double> wave_gradient() {
  return {std::cos(0.3) * std::exp(-0.7), std::sin(0.3) * std::exp(-0.7), 3.0 * 100 * 100};
}

TEST(GradientCheck, AcceptsAnExactGradient) {
  const GradientCheck check = check_gradient(wave, kPoint, wave_gradient());
  EXPECT_LT(check.error, 1e-7) << check.summary();
}

TEST(GradientCheck, NamesTheWrongParameter) {
  std::vector<double> gradient = wave_gradient();
  gradient[2] *= 1.001;
  const GradientCheck check = check_gradient(wave, kPoint, gradient);
  EXPECT_EQ(check.index, 2u);
  EXPECT_NEAR(check.error, 1e-3, 1e-5);
  EXPECT_NE(check.summary().find("parameter 2"), std::string::npos);
}

TEST(GradientCheck, ReportsNotANumber) {
  std::vector<double> gradient = wave_gradient();
  gradient[1] = std::numeric_limits<double>::quiet_NaN();
  const GradientCheck check = check_gradient(wave, kPoint, gradient);
  EXPECT_EQ(check.index, 1u);
  EXPECT_TRUE(std::isinf(check.error));
}

TEST(GradientCheck, UsesTheStepOfEachParameter) {
  // A kink at 1e-4: only a smaller step sees the right slope.
  const auto kink = [](std::span<const double> x) { return std::abs(x[0] - 1e-4); };
  const std::vector<double> zero{0}, slope{-1}, steps{1e-6};
  GradientCheckSettings settings;
  EXPECT_GT(check_gradient(kink, zero, slope, settings).error, 0.1);
  settings.steps = steps;
  EXPECT_LT(check_gradient(kink, zero, slope, settings).error, 1e-9);
}

TEST(GradientCheck, RefusesMismatchedSizes) {
  EXPECT_THROW(check_gradient(wave, kPoint, std::vector<double>{1}), ContractError);
}

}  // namespace
}  // namespace limber::testing
