// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/base/rng.h"
#include "limber/base/simd.h"
#include "limber/nn/wide_product.h"

namespace limber::nn::infer {
namespace {

Floats random_floats(int count, std::uint64_t seed, double scale = 1) {
  Rng rng(seed, 5);
  Floats values(static_cast<std::size_t>(count));
  for (float& value : values) value = static_cast<float>(scale * rng.normal());
  return values;
}

double activated(Activation then, double x) {
  if (then == Activation::kSilu) return x / (1 + std::exp(-x));
  const double inner = std::sqrt(2 / kPi) * (x + 0.044715 * x * x * x);
  return then == Activation::kGelu ? 0.5 * x * (1 + std::tanh(inner)) : x;
}

/// Runs every test with all instruction sets that this machine has, on all lengths of rests.
class NnKernels : public ::testing::TestWithParam<SimdLevel> {
 protected:
  void SetUp() override { set_simd_level(GetParam()); }
  void TearDown() override { set_simd_level(available_simd_levels().back()); }
};
INSTANTIATE_TEST_SUITE_P(Levels, NnKernels, ::testing::ValuesIn(available_simd_levels()),
                         [](const auto& level) { return std::string(simd_level_name(level.param)); });

TEST_P(NnKernels, ActivationsAreWhatTheirNamesSay) {
  for (const Activation then : {Activation::kNone, Activation::kGelu, Activation::kSilu}) {
    for (const int count : {1, 15, 16, 17, 64, 1000}) {
      const Floats x = random_floats(count, 1, 3);
      Floats y = x;
      kernels().activate(then, y.data(), y.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double expected = activated(then, x[i]);
        ASSERT_NEAR(y[i], expected, 4e-7 * (1 + std::abs(expected))) << x[i];
      }
    }
  }
}

TEST_P(NnKernels, ActivationsOfGreatNumbersStayFiniteAndNoNumbersStayNone) {
  for (const Activation then : {Activation::kGelu, Activation::kSilu}) {
    Floats x{1e4f, -1e4f, 1e30f, -1e30f, std::nanf("")};
    kernels().activate(then, x.data(), x.size());
    EXPECT_EQ(x[0], 1e4f);
    EXPECT_NEAR(x[1], 0, 1e-30);
    EXPECT_EQ(x[2], 1e30f);
    EXPECT_NEAR(x[3], 0, 1e-6);
    EXPECT_TRUE(std::isnan(x[4]));
  }
}

TEST_P(NnKernels, SoftmaxSharesOneByTheExponentials) {
  for (const int count : {1, 5, 16, 31, 64, 768}) {
    for (const bool biased : {false, true}) {
      const Floats x = random_floats(count, 2, 20), bias = random_floats(count, 3, 2);
      Floats y = x;
      kernels().softmax(y.data(), count, 0.5f, biased ? bias.data() : nullptr);
      std::vector<double> expected;
      for (std::size_t i = 0; i < x.size(); ++i)
        expected.push_back(0.5 * double{x[i]} + (biased ? double{bias[i]} : 0.0));
      const double most = *std::max_element(expected.begin(), expected.end());
      double sum = 0;
      for (double& value : expected) value = std::exp(value - most), sum += value;
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(y[i], expected[i] / sum, 2e-6) << count << ' ' << i;
    }
  }
}

TEST_P(NnKernels, NormalisedRowsHaveMeanZeroAndVarianceOne) {
  for (const int width : {1, 12, 16, 24, 64, 320}) {
    Floats x = random_floats(width, 4, 3), y(x.size());
    for (float& value : x) value += 5;
    const Floats weight = random_floats(width, 5), bias = random_floats(width, 6);
    double mean = 0, spread = 0;
    for (const float v : x) mean += double{v} / width;
    for (const float v : x) spread += std::pow(double{v} - mean, 2) / width;
    kernels().normalise(x.data(), y.data(), width, 1e-3f, nullptr, nullptr);
    const auto unit = [&](std::size_t i) { return (double{x[i]} - mean) / std::sqrt(spread + 1e-3); };
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(y[i], unit(i), 1e-5) << width;
    // In place, with weights.
    y = x;
    kernels().normalise(y.data(), y.data(), width, 1e-3f, weight.data(), bias.data());
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_NEAR(y[i], unit(i) * double{weight[i]} + double{bias[i]}, 1e-5) << width;
  }
}

TEST_P(NnKernels, ProductsAreActivatedAtTheirEnd) {
  for (const int in : {3, 650}) {
    const int rows = 31, out = 41;
    const Matrix x(rows, in, random_floats(rows * in, 7, 0.1)), weight(out, in, random_floats(out * in, 8));
    const Floats bias = random_floats(out, 9);
    const PackedWeight packed = packed_weight(view_of(weight));
    Matrix plain(rows, out), y(rows, out);
    wide_product(view_of(x), packed, bias.data(), plain.values().data(), out);
    for (const Activation then : {Activation::kGelu, Activation::kSilu}) {
      wide_product(view_of(x), packed, bias.data(), 0, packed.panels(), y.values().data(), out, then);
      Matrix expected = plain;
      kernels().activate(then, expected.values().data(), expected.values().size());
      for (std::size_t i = 0; i < y.values().size(); ++i) ASSERT_EQ(y.values()[i], expected.values()[i]) << i;
    }
  }
}

TEST(NnKernelLevels, WideOnesGiveTheSameBits) {
  std::vector<Floats> said;
  for (const SimdLevel level : available_simd_levels()) {
    if (level == SimdLevel::kPortable) continue;
    set_simd_level(level);
    Floats all;
    const auto keep = [&](const Floats& part) { all.insert(all.end(), part.begin(), part.end()); };
    for (const int count : {1, 17, 320}) {
      Floats x = random_floats(count, 10, 4);
      kernels().normalise(x.data(), x.data(), count, 1e-6f, nullptr, nullptr), keep(x);
      kernels().activate(Activation::kGelu, x.data(), x.size()), keep(x);
      kernels().softmax(x.data(), count, 0.7f, nullptr), keep(x);
    }
    said.push_back(std::move(all));
  }
  set_simd_level(available_simd_levels().back());
  if (said.size() < 2) GTEST_SKIP() << "one wide instruction set, or none";
  EXPECT_EQ(said[0], said[1]);
}

}  // namespace
}  // namespace limber::nn::infer
