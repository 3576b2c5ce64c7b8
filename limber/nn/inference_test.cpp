// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/inference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>

#include "limber/base/rng.h"
#include "limber/base/simd.h"
#include "limber/base/threads.h"
#include "limber/testing/shared_data.h"

/// Each block against plain loops in double.
namespace limber::nn::infer {
namespace {

Matrix noise(int rows, int columns, std::uint64_t seed) {
  Rng rng(seed, 9);
  Matrix x(rows, columns);
  for (float& v : x.values()) v = static_cast<float>(rng.normal());
  return x;
}

Floats noise(int size, std::uint64_t seed) {
  const Matrix row = noise(1, size, seed);
  return {row.values().begin(), row.values().end()};
}

/// The greatest difference between a block's answer and what `expected(row, column)` says.
double difference(const Matrix& got, const std::function<double(int, int)>& expected) {
  double most = 0;
  for (int r = 0; r < got.rows(); ++r) {
    for (int c = 0; c < got.columns(); ++c) most = std::max(most, std::abs(got(r, c) - expected(r, c)));
  }
  return most;
}

TEST(Inference, LinearIsAProductAndABias) {
  const Matrix x = noise(150, 37, 1);
  const Matrix weight = noise(29, 37, 2);
  const Floats bias = noise(29, 3);
  const Linear layer(weight, bias);
  const Matrix y = layer(x);
  ASSERT_EQ(y.rows(), 150);
  ASSERT_EQ(y.columns(), 29);
  EXPECT_LT(difference(y,
                       [&](int r, int c) {
                         double sum = bias[static_cast<std::size_t>(c)];
                         for (int k = 0; k < 37; ++k) sum += double(weight(c, k)) * double(x(r, k));
                         return sum;
                       }),
            2e-5);
  EXPECT_THROW(layer(noise(2, 36, 1)), ContractError);
  EXPECT_THROW(Linear(weight, noise(28, 3)), ContractError);
  EXPECT_EQ(layer(Matrix(0, 37)).rows(), 0);
}

/// Wide enough to be cut into pieces both ways; threads must not show.
TEST(Inference, LinearIsTheSumInOrderHoweverItIsCut) {
  const Matrix x = noise(150, 190, 7), weight = noise(1000, 190, 8);
  const Floats bias = noise(1000, 9);
  const Linear layer(weight, bias);
  set_thread_count(1);
  const Matrix one = layer(x);
  set_thread_count(3);
  const Matrix three = layer(x);
  set_thread_count(0);
  const bool fused = simd_level() != SimdLevel::kPortable;
  for (int r = 0; r < x.rows(); ++r) {
    for (int c = 0; c < 1000; ++c) {
      float sum = bias[static_cast<std::size_t>(c)];
      for (int k = 0; k < x.columns(); ++k)
        sum = fused ? std::fma(x(r, k), weight(c, k), sum) : sum + x(r, k) * weight(c, k);
      ASSERT_EQ(one(r, c), sum) << r << ' ' << c;
      ASSERT_EQ(three(r, c), sum) << r << ' ' << c;
    }
  }
}

/// Channel c of row r, brought to mean 0 and variance 1 among the `width` channels that it belongs to.
double normalised(const Matrix& x, int r, int c, int width, double eps) {
  const int first = c / width * width;
  double mean = 0, spread = 0;
  for (int k = 0; k < width; ++k) mean += double(x(r, first + k)) / width;
  for (int k = 0; k < width; ++k) spread += std::pow(double(x(r, first + k)) - mean, 2) / width;
  return (double(x(r, c)) - mean) / std::sqrt(spread + eps);
}

TEST(Inference, LayerNormIsMeanZeroAndVarianceOneThenScaledAndShifted) {
  Matrix x = noise(70, 24, 4);
  for (float& v : x.values()) v = 3 * v + 2;
  const LayerNorm plain{24, 1e-3f, {}, {}};
  EXPECT_LT(difference(plain(x), [&](int r, int c) { return normalised(x, r, c, 24, 1e-3); }), 1e-5);
  const LayerNorm norm{24, 1e-3f, noise(24, 5), noise(24, 6)};
  EXPECT_LT(difference(norm(x),
                       [&](int r, int c) {
                         const auto k = static_cast<std::size_t>(c);
                         return normalised(x, r, c, 24, 1e-3) * double(norm.weight[k]) + double(norm.bias[k]);
                       }),
            1e-5);
}

TEST(Inference, LayerNormOfHeadsTreatsEachForItself) {
  const Matrix x = noise(9, 24, 7);
  const LayerNorm heads{8, 1e-5f, noise(8, 8), noise(8, 9)};
  EXPECT_LT(difference(heads(x),
                       [&](int r, int c) {
                         const auto k = static_cast<std::size_t>(c % 8);
                         return normalised(x, r, c, 8, 1e-5) * double(heads.weight[k]) + double(heads.bias[k]);
                       }),
            1e-5);
  EXPECT_THROW(heads(noise(2, 20, 1)), ContractError);
}

TEST(Inference, ActivationsAreWhatTheirNamesSay) {
  Matrix x(1, 161);
  for (int c = 0; c < x.columns(); ++c) x(0, c) = -8 + 0.1f * static_cast<float>(c);
  EXPECT_LT(difference(gelu_tanh(x),
                       [&](int, int c) {
                         const double v = x(0, c), inner = std::sqrt(2 / kPi) * (v + 0.044715 * v * v * v);
                         return 0.5 * v * (1 + std::tanh(inner));
                       }),
            2e-6);
  EXPECT_LT(difference(silu(x), [&](int, int c) { return double(x(0, c)) / (1 + std::exp(-double(x(0, c)))); }), 2e-6);
}

/// Output channel c of query r, in the plain way.
double attended(const Matrix& q, const Matrix& k, const Matrix& v, int heads, int r, int c) {
  const int width = q.columns() / heads, first = c / width * width;
  double sum = 0, weighted = 0;
  for (int m = 0; m < k.rows(); ++m) {
    double look = 0;
    for (int i = first; i < first + width; ++i) look += double(q(r, i)) * double(k(m, i));
    const double share = std::exp(look / std::sqrt(double(width)));
    sum += share, weighted += share * double(v(m, c));
  }
  return weighted / sum;
}

TEST(Inference, AttentionAveragesValuesByTheLikenessOfQueriesAndKeys) {
  const Matrix q = noise(33, 24, 10), k = noise(21, 24, 11), v = noise(21, 24, 12);
  for (const int heads : {1, 3, 24}) {
    const Matrix seen = attention(q, k, v, heads);
    EXPECT_LT(difference(seen, [&](int r, int c) { return attended(q, k, v, heads, r, c); }), 5e-6) << heads;
  }
  EXPECT_THROW(attention(q, k, v, 5), ContractError);
  EXPECT_THROW(attention(q, k, noise(20, 24, 1), 3), ContractError);
}

TEST(Inference, AttentionOfGreatNumbersStaysFinite) {
  Matrix q = noise(3, 8, 10);
  for (float& v : q.values()) v *= 1e4f;
  for (const float v : attention(q, q, noise(3, 8, 11), 2).values()) EXPECT_TRUE(std::isfinite(v));
}

TEST(Inference, SoftmaxSharesOneByTheExponentials) {
  std::vector<float> values{1000, 1001, 999};
  softmax(values);
  const double sum = 1 + std::exp(1.0) + std::exp(-1.0);
  EXPECT_NEAR(values[0], 1 / sum, 1e-6);
  EXPECT_NEAR(values[1], std::exp(1.0) / sum, 1e-6);
  EXPECT_NEAR(values[2], std::exp(-1.0) / sum, 1e-6);
}

TEST(Inference, RowsAndColumnsAreCutAndPooled) {
  const Matrix x = noise(6, 5, 13);
  EXPECT_EQ(difference(rows_of(x, 2, 3), [&](int r, int c) { return x(r + 2, c); }), 0);
  EXPECT_EQ(difference(columns_of(x, 1, 4), [&](int r, int c) { return x(r, c + 1); }), 0);
  const Matrix most = max_of_rows(x, 3);
  ASSERT_EQ(most.rows(), 2);
  EXPECT_EQ(difference(most,
                       [&](int r, int c) {
                         return std::max({x(3 * r, c), x(3 * r + 1, c), x(3 * r + 2, c)});
                       }),
            0);
  Matrix sum = x;
  sum += x;
  EXPECT_EQ(difference(sum, [&](int r, int c) { return x(r, c) + x(r, c); }), 0);
  EXPECT_THROW(rows_of(x, 4, 3), ContractError);
  EXPECT_THROW(columns_of(x, -1, 3), ContractError);
  EXPECT_THROW(max_of_rows(x, 4), ContractError);
  EXPECT_THROW(sum += noise(5, 6, 1), ContractError);
}

TEST(Inference, SaysTheSameForAnyNumberOfThreads) {
  const Matrix x = noise(300, 48, 14);
  const Linear layer{noise(96, 48, 15), noise(96, 16)};
  const LayerNorm norm{48, 1e-5f, noise(48, 17), noise(48, 18)};
  const auto all = [&] {
    const Matrix y = silu(gelu_tanh(layer(attention(norm(x), x, x, 6))));
    return std::vector<float>(y.values().begin(), y.values().end());
  };
  set_thread_count(1);
  const std::vector<float> one = all();
  set_thread_count(3);
  const std::vector<float> three = all();
  set_thread_count(0);
  EXPECT_EQ(one, three);
}

// --- files --------------------------------------------------------------------

/// A file of named arrays.
class Arrays {
 public:
  template <class T>
  void add(const std::string& name, Dtype dtype, const Shape& shape, const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    bytes_.emplace_back(bytes.begin(), bytes.end());
    tensors_.push_back({name, {dtype, shape, bytes_.back()}});
  }
  WeightFile file() const {
    const testing::TemporaryFolder folder;
    EXPECT_TRUE(write_safetensors(folder.path() / "weights.safetensors", tensors_).ok());
    return WeightFile::open(folder.path() / "weights.safetensors").value();
  }

 private:
  std::vector<std::vector<std::byte>> bytes_;
  std::vector<NamedTensor> tensors_;
};

std::string refusal(const WeightFile& file) { return file.status().ok() ? "" : file.status().error().message(); }

TEST(WeightFile, ReadsFloatsOf32And16Bits) {
  Arrays arrays;
  arrays.add<float>("up.weight", Dtype::kF32, {2, 3}, {1, 2, 3, -4, 5, 6});
  // 1.5, -0.25, the smallest number, the greatest, and minus zero.
  arrays.add<std::uint16_t>("halves", Dtype::kF16, {5}, {0x3e00, 0xb400, 0x0001, 0x7bff, 0x8000});
  arrays.add<float>("up.bias", Dtype::kF32, {2}, {7, 8});
  WeightFile file = arrays.file();
  const Linear up = file.linear("up", 3, 2);
  const Matrix said = up(Matrix(1, 3, {1, 10, 100}));
  EXPECT_EQ(said(0, 0), 321 + 7);
  EXPECT_EQ(said(0, 1), 646 + 8);
  EXPECT_EQ(file.vector("halves", 5), (Floats{1.5f, -0.25f, 0x1.0p-24f, 65504, -0.0f}));
  EXPECT_EQ(refusal(file), "");
}

TEST(WeightFile, ReadsBytesWithAScalePerRow) {
  Arrays arrays;
  arrays.add<std::int8_t>("up.weight", Dtype::kI8, {2, 3}, {127, -128, 0, 1, 2, -3});
  arrays.add<float>("up.weight_scale", Dtype::kF32, {2}, {0.5f, -2});
  WeightFile file = arrays.file();
  const Matrix up = file.matrix("up.weight", 2, 3);
  ASSERT_EQ(refusal(file), "");
  EXPECT_EQ((std::vector<float>{up.values().begin(), up.values().end()}),
            (std::vector<float>{63.5f, -64, 0, -2, -4, 6}));
}

TEST(WeightFile, RefusesBytesWithoutTheirScalesOrWithUselessOnes) {
  Arrays without;
  without.add<std::int8_t>("up", Dtype::kI8, {1, 2}, {1, 2});
  without.add<std::int8_t>("flat", Dtype::kI8, {2}, {1, 2});
  WeightFile file = without.file();
  EXPECT_EQ(file.matrix("up", 1, 2).rows(), 0);
  EXPECT_NE(refusal(file).find("up_scale"), std::string::npos) << refusal(file);
  file = without.file();
  EXPECT_TRUE(file.vector("flat", 2).empty());
  EXPECT_NE(refusal(file).find("flat"), std::string::npos) << refusal(file);
  Arrays beyond;
  beyond.add<std::int8_t>("up", Dtype::kI8, {1, 2}, {1, 2});
  beyond.add<float>("up_scale", Dtype::kF32, {1}, {std::numeric_limits<float>::max()});
  file = beyond.file();
  file.matrix("up", 1, 2);
  EXPECT_NE(refusal(file).find("not finite"), std::string::npos) << refusal(file);
}

TEST(WeightFile, RemembersTheFirstThatDoesNotFit) {
  Arrays arrays;
  arrays.add<float>("good", Dtype::kF32, {2}, {1, 2});
  arrays.add<std::int32_t>("whole", Dtype::kI32, {2}, {1, 2});
  WeightFile file = arrays.file();
  EXPECT_EQ(file.vector("good", 2).size(), 2u);
  EXPECT_TRUE(file.vector("missing", 2).empty());
  EXPECT_TRUE(file.vector("good", 2).empty()) << "nothing is read after a failure";
  EXPECT_NE(refusal(file).find("missing"), std::string::npos) << refusal(file);
  file = arrays.file();
  EXPECT_EQ(file.matrix("good", 1, 2).rows(), 0);
  EXPECT_NE(refusal(file).find("[2] instead of 1 x 2"), std::string::npos) << refusal(file);
  file = arrays.file();
  file.vector("whole", 2);
  EXPECT_NE(refusal(file).find("neither 16-bit nor 32-bit floats"), std::string::npos) << refusal(file);
}

}  // namespace
}  // namespace limber::nn::infer
