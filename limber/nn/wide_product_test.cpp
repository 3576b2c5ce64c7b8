// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/wide_product.h"

#include <gtest/gtest.h>

#include "limber/base/rng.h"

namespace limber::nn::infer {
namespace {

Matrix random_matrix(int rows, int columns, std::uint64_t seed) {
  Rng rng(seed);
  Matrix matrix(rows, columns);
  for (float& value : matrix.values()) value = static_cast<float>(rng.normal());
  return matrix;
}

/// All numbers of rows, inputs and outputs, whole panels or not.
TEST(WideProduct, IsTheSumOverInputs) {
  if (!has_wide_product()) GTEST_SKIP() << "no AVX2 here";
  for (const int rows : {1, 5, 6, 13}) {
    for (const int in : {1, 7, 33}) {
      for (const int out : {1, 16, 25, 47}) {
        const Matrix x = random_matrix(rows, in, 1), weight = random_matrix(out, in, 2);
        const Matrix bias = random_matrix(1, out, 3);
        Matrix y(rows, out);
        wide_product(x.values().data(), rows, in, packed_weight(weight),
                     Floats(bias.values().begin(), bias.values().end()), y.values().data());
        for (int r = 0; r < rows; ++r) {
          for (int o = 0; o < out; ++o) {
            double sum = bias(0, o);
            for (int i = 0; i < in; ++i) sum += double{x(r, i)} * double{weight(o, i)};
            ASSERT_NEAR(y(r, o), sum, 2e-5) << rows << ' ' << in << ' ' << out;
          }
        }
      }
    }
  }
}

/// A row gives the same bits alone and among others, so that threads may share them in any way.
TEST(WideProduct, IsTheSameForRowsAloneAndTogether) {
  if (!has_wide_product()) GTEST_SKIP() << "no AVX2 here";
  const Matrix x = random_matrix(17, 40, 4), weight = random_matrix(50, 40, 5);
  const Floats bias(50, 0.25f), packed = packed_weight(weight);
  Matrix together(17, 50), alone(17, 50);
  wide_product(x.values().data(), 17, 40, packed, bias, together.values().data());
  for (int r = 0; r < 17; ++r) wide_product(x.row(r).data(), 1, 40, packed, bias, alone.row(r).data());
  for (std::size_t i = 0; i < together.values().size(); ++i) ASSERT_EQ(together.values()[i], alone.values()[i]) << i;
}

}  // namespace
}  // namespace limber::nn::infer
