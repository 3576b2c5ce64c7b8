// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/wide_product.h"

#include <gtest/gtest.h>

#include "limber/base/expect.h"
#include "limber/base/rng.h"
#include "limber/base/simd.h"

namespace limber::nn::infer {
namespace {

Matrix random_matrix(int rows, int columns, std::uint64_t seed) {
  Rng rng(seed);
  Matrix matrix(rows, columns);
  for (float& value : matrix.values()) value = static_cast<float>(rng.normal());
  return matrix;
}

/// Runs every test with all instruction sets that this machine has.
class WideProduct : public ::testing::TestWithParam<SimdLevel> {
 protected:
  void SetUp() override { set_simd_level(GetParam()); }
  void TearDown() override { set_simd_level(available_simd_levels().back()); }
};
INSTANTIATE_TEST_SUITE_P(Levels, WideProduct, ::testing::ValuesIn(available_simd_levels()),
                         [](const auto& level) { return std::string(simd_level_name(level.param)); });

/// All numbers of rows, inputs and outputs, whole panels or not.
TEST_P(WideProduct, IsTheSumOverInputs) {
  for (const int rows : {1, 2, 5, 6, 14, 23, 43}) {
    for (const int in : {1, 33, 700}) {
      for (const int out : {1, 16, 25, 47, 64}) {
        const Matrix x = random_matrix(rows, in, 1), weight = random_matrix(out, in, 2);
        const Matrix bias = random_matrix(1, out, 3);
        Matrix y(rows, out);
        wide_product(view_of(x), packed_weight(view_of(weight)), bias.values().data(), y.values().data(), out);
        for (int r = 0; r < rows; ++r) {
          for (int o = 0; o < out; ++o) {
            double sum = bias(0, o);
            for (int i = 0; i < in; ++i) sum += double{x(r, i)} * double{weight(o, i)};
            ASSERT_NEAR(y(r, o), sum, 3e-4) << rows << ' ' << in << ' ' << out;
          }
        }
      }
    }
  }
}

/// A row gives the same bits alone and among others, and a panel too, so that threads may share them in any way.
TEST_P(WideProduct, IsTheSameForRowsAndPanelsAloneAndTogether) {
  const Matrix x = random_matrix(17, 40, 4), weight = random_matrix(50, 40, 5), bias = random_matrix(1, 50, 6);
  const PackedWeight packed = packed_weight(view_of(weight));
  ASSERT_EQ(packed.panels(), 4);
  Matrix together(17, 50), alone(17, 50);
  wide_product(view_of(x), packed, bias.values().data(), together.values().data(), 50);
  for (int r = 0; r < 17; ++r) {
    for (int panel = 0; panel < 4; ++panel)
      wide_product({x.row(r).data(), 1, 40, 40}, packed, bias.values().data(), panel, 1, alone.row(r).data(), 50);
  }
  for (std::size_t i = 0; i < together.values().size(); ++i) ASSERT_EQ(together.values()[i], alone.values()[i]) << i;
}

/// Parts of wider matrices, a transpose, no bias; what lies beside the answer stays.
TEST_P(WideProduct, ReadsAndWritesPartsOfWiderRows) {
  const Matrix x = random_matrix(9, 20, 7), transpose = random_matrix(6, 30, 8);
  const RowsView part = columns_view(view_of(x), 3, 6), weight = columns_view(view_of(transpose), 5, 21);
  Matrix y(9, 40);
  for (float& value : y.values()) value = -7;
  wide_product(part, packed_transpose(weight), nullptr, y.values().data() + 2, 40);
  for (int r = 0; r < 9; ++r) {
    for (int o = 0; o < 40; ++o) {
      if (o < 2 || o >= 23) {
        ASSERT_EQ(y(r, o), -7) << r << ' ' << o;
        continue;
      }
      double sum = 0;
      for (int i = 0; i < 6; ++i) sum += double{x(r, 3 + i)} * double{transpose(i, 5 + o - 2)};
      ASSERT_NEAR(y(r, o), sum, 2e-5) << r << ' ' << o;
    }
  }
  EXPECT_THROW(wide_product(part, packed_weight(weight), nullptr, y.values().data(), 40), ContractError);
  EXPECT_THROW(columns_view(view_of(x), 15, 6), ContractError);
  EXPECT_THROW(rows_view(view_of(x), 8, 2), ContractError);
}

TEST(WideProductLevels, WideOnesGiveTheSameBits) {
  const Matrix x = random_matrix(31, 70, 9), weight = random_matrix(45, 70, 10);
  std::vector<Matrix> said;
  for (const SimdLevel level : available_simd_levels()) {
    if (level == SimdLevel::kPortable) continue;
    set_simd_level(level);
    said.emplace_back(31, 45);
    wide_product(view_of(x), packed_weight(view_of(weight)), nullptr, said.back().values().data(), 45);
  }
  set_simd_level(available_simd_levels().back());
  if (said.size() < 2) GTEST_SKIP() << "one wide instruction set, or none";
  for (std::size_t i = 0; i < said[0].values().size(); ++i) ASSERT_EQ(said[0].values()[i], said[1].values()[i]) << i;
}

}  // namespace
}  // namespace limber::nn::infer
