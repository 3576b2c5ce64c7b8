// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Blocks on a GPU against plain loops. Compiled twice: by nvcc, where it skips without a GPU, and by the C++ compiler
// with kernels emulated, which runs everywhere.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "limber/base/rng.h"
#include "limber/nn/cuda_blocks.cuh"

namespace limber::nn::cuda {
namespace {

using Numbers = std::vector<float>;

class CudaBlocks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const Status status = queue.open(); !status.ok()) GTEST_SKIP() << status.error().message();
  }
  CudaQueue queue;
};

Numbers random_numbers(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  Numbers numbers(count);
  for (float& number : numbers) number = static_cast<float>(2 * rng.uniform() - 1);
  return numbers;
}

double relative_error(const Numbers& found, const std::vector<double>& expected) {
  if (found.size() != expected.size()) return HUGE_VAL;
  double difference = 0, length = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    difference += (found[i] - expected[i]) * (found[i] - expected[i]), length += expected[i] * expected[i];
  }
  return std::sqrt(difference / length);
}

// --- products -------------------------------------------------------------------------------------------------------

struct Case {
  int rows, in, out;
};

double then_of(Then then, double value, double before, double gate) {
  switch (then) {
    case Then::kStore:
      return value;
    case Then::kGelu:
      return value / (1 + std::exp(-1.5957691216 * value * (1 + 0.044715 * value * value)));
    case Then::kSilu:
      return value / (1 + std::exp(-value));
    case Then::kAdd:
      return before + value;
    case Then::kAddGated:
      return before + (1 + gate) * value;
  }
  return 0;
}

/// A product with all that belongs to it.
struct ProductTest {
  Case size;
  Numbers x, weight, bias, y, gate, table;
  std::vector<int> group_of;

  explicit ProductTest(const Case& its_size) : size(its_size) {
    const auto [rows, in, out] = size;
    x = random_numbers(std::size_t(rows) * in, 1), weight = random_numbers(std::size_t(in) * out, 2);
    bias = random_numbers(std::size_t(out), 3), y = random_numbers(std::size_t(rows) * out, 4);
    gate = random_numbers(std::size_t(out) * 3 * 2, 5), table = random_numbers(std::size_t(out), 6);
    for (int r = 0; r < rows; ++r) group_of.push_back(r * 2 / rows);
  }

  Numbers run(CudaQueue& queue, Then then, int height) const {
    const auto [rows, in, out] = size;
    DeviceArray<float> d_x, d_raw, d_weight, d_bias, d_y, d_gate, d_table;
    DeviceArray<int> d_group;
    Numbers padded = bias;
    padded.resize(std::size_t(rounded_outputs(out)), std::numeric_limits<float>::quiet_NaN());
    d_x.upload(queue, x, "x"), d_raw.upload(queue, weight, "w"), d_bias.upload(queue, padded, "b");
    d_y.upload(queue, y, "y"), d_gate.upload(queue, gate, "g"), d_table.upload(queue, table, "t");
    d_group.upload(queue, group_of, "groups");
    const std::size_t packed = std::size_t(rounded_inputs(in)) * rounded_outputs(out);
    d_weight.resize(queue, packed, "w");
    queue.launch_each("pack", packed, pack_weight, static_cast<const float*>(d_raw.data()), in, out, d_weight.data());
    // Gates lie in rows of three times the width, and these are the second.
    const Layer layer{in, out, d_weight.data(), d_bias.data()};
    multiply(
        queue, "product",
        {d_x.data(), rows, layer, d_y.data(), then, {d_gate.data() + out, d_table.data(), 3 * out, d_group.data()}},
        height);
    return d_y.download(queue);
  }

  std::vector<double> expected(Then then) const {
    const auto [rows, in, out] = size;
    std::vector<double> all;
    for (int r = 0; r < rows; ++r) {
      for (int o = 0; o < out; ++o) {
        double sum = bias[o];
        for (int k = 0; k < in; ++k) sum += double{x[r * in + k]} * weight[o * in + k];
        all.push_back(then_of(then, sum, y[r * out + o], gate[(group_of[r] * 3 + 1) * out + o] + table[o]));
      }
    }
    return all;
  }
};

TEST_F(CudaBlocks, MultiplyMatricesOfAnySize) {
  for (const Case size : {Case{1, 1, 1}, Case{70, 37, 67}, Case{130, 96, 64}, Case{5, 64, 192}, Case{33, 130, 20}}) {
    const ProductTest test(size);
    const std::vector<double> expected = test.expected(Then::kStore);
    for (const int height : {0, 32, 64, 128}) {
      const Numbers found = test.run(queue, Then::kStore, height);
      ASSERT_TRUE(queue.ok()) << queue.status().error().message();
      EXPECT_LT(relative_error(found, expected), 1e-6)
          << size.rows << " x " << size.in << " x " << size.out << ", tiles of " << height;
      EXPECT_EQ(found, test.run(queue, Then::kStore, height)) << "other bits";
    }
  }
}

TEST_F(CudaBlocks, DoWhatIsAskedForThen) {
  const ProductTest test({40, 36, 70});
  for (const Then then : {Then::kGelu, Then::kSilu, Then::kAdd, Then::kAddGated}) {
    for (const int height : {32, 64, 128}) {
      EXPECT_LT(relative_error(test.run(queue, then, height), test.expected(then)), 2e-6) << int(then);
    }
  }
}

TEST_F(CudaBlocks, StayFiniteWhereActivationsSaturate) {
  ProductTest test({4, 1, 3});
  test.x = {-3000, 3000, -60, 60}, test.weight = {1, 1, 1}, test.bias = {0, 0, 0};
  for (const Then then : {Then::kGelu, Then::kSilu}) {
    const Numbers found = test.run(queue, then, 32);
    EXPECT_EQ(std::abs(found[0]), 0.0f);
    EXPECT_FLOAT_EQ(found[3], 3000.0f);
    EXPECT_NEAR(found[6], 0.0f, 1e-20f);
    EXPECT_FLOAT_EQ(found[9], 60.0f);
  }
}

// --- attention ------------------------------------------------------------------------------------------------------

struct Heads {
  int tokens, sequences, heads, head;
  int width() const { return heads * head; }
};

Numbers attended(CudaQueue& queue, const Heads& size, const Numbers& mixed, int splits) {
  const std::size_t rows = std::size_t(size.tokens) * size.sequences, d = size.width();
  DeviceArray<float> d_mixed, d_y, partial, totals;
  d_mixed.upload(queue, mixed, "qkv");
  d_y.resize(queue, rows * d, "y");
  partial.resize(queue, splits * rows * d, "partial"), totals.resize(queue, splits * rows * size.heads * 2, "totals");
  Attention task{d_mixed.data(),   d_mixed.data() + d, d_mixed.data() + 2 * d,
                 3 * size.width(), size.tokens,        size.sequences,
                 size.heads,       size.head};
  task.y = d_y.data(), task.splits = splits, task.partial = partial.data(), task.totals = totals.data();
  attend(queue, task);
  return d_y.download(queue);
}

std::vector<double> attention_loops(const Heads& size, const Numbers& mixed) {
  const int d = size.width();
  std::vector<double> y(std::size_t(size.tokens) * size.sequences * d);
  for (int row = 0; row < size.tokens * size.sequences; ++row) {
    const int first = row / size.tokens * size.tokens;
    for (int h = 0; h < size.heads; ++h) {
      std::vector<double> shares(size.tokens);
      double total = 0;
      for (int k = 0; k < size.tokens; ++k) {
        double sum = 0;
        for (int c = h * size.head; c < (h + 1) * size.head; ++c)
          sum += double{mixed[row * 3 * d + c]} * mixed[(first + k) * 3 * d + d + c];
        shares[k] = std::exp(sum / std::sqrt(double(size.head))), total += shares[k];
      }
      for (int k = 0; k < size.tokens; ++k) {
        for (int c = h * size.head; c < (h + 1) * size.head; ++c)
          y[std::size_t(row) * d + c] += shares[k] / total * mixed[(first + k) * 3 * d + 2 * d + c];
      }
    }
  }
  return y;
}

TEST_F(CudaBlocks, AttendToSequencesOfAnyLength) {
  for (const Heads size : {Heads{1, 1, 1, 1}, Heads{70, 2, 2, 24}, Heads{128, 1, 1, 64}, Heads{150, 1, 2, 7}}) {
    Numbers mixed = random_numbers(std::size_t(size.tokens) * size.sequences * 3 * size.width(), 9);
    for (float& number : mixed) number *= 3;
    const std::vector<double> expected = attention_loops(size, mixed);
    for (int splits = 1; splits <= (size.tokens + 63) / 64; ++splits) {
      const Numbers found = attended(queue, size, mixed, splits);
      ASSERT_TRUE(queue.ok()) << queue.status().error().message();
      EXPECT_LT(relative_error(found, expected), 2e-6) << size.tokens << " tokens in " << splits;
      EXPECT_EQ(found, attended(queue, size, mixed, splits)) << "other bits";
    }
  }
}

TEST_F(CudaBlocks, AttendWhereOneKeyOutweighsAll) {
  const Heads size{130, 1, 1, 8};
  Numbers mixed = random_numbers(std::size_t(size.tokens) * 3 * 8, 10);
  for (int c = 0; c < 8; ++c) mixed[std::size_t(97 * 24 + 8 + c)] *= 2000;  // e^x of it is no float
  for (const int splits : {1, 3}) {
    const Numbers found = attended(queue, size, mixed, splits);
    for (const float number : found) ASSERT_TRUE(std::isfinite(number));
  }
}

// --- norms ----------------------------------------------------------------------------------------------------------

TEST_F(CudaBlocks, NormRowsAsTheCpuDoes) {
  constexpr int kRows = 9, kWidth = 45;
  const Numbers x = random_numbers(kRows * kWidth, 1), factors = random_numbers(3 * 2 * kWidth, 2),
                table = random_numbers(2 * kWidth, 3);
  std::vector<int> group_of;
  for (int r = 0; r < kRows; ++r) group_of.push_back(r / 3);
  DeviceArray<float> d_x, d_factors, d_table, d_y;
  DeviceArray<int> d_group;
  d_x.upload(queue, x, "x"), d_factors.upload(queue, factors, "f"), d_table.upload(queue, table, "t");
  d_group.upload(queue, group_of, "g"), d_y.resize(queue, x.size(), "y");
  const GroupedRows shift{d_factors.data(), d_table.data(), 2 * kWidth, d_group.data()};
  const GroupedRows scale{d_factors.data() + kWidth, d_table.data() + kWidth, 2 * kWidth, d_group.data()};
  for (const bool plain : {true, false}) {
    queue.launch_each("norm", kRows * kWarp, norm_rows, static_cast<const float*>(d_x.data()), kRows, kWidth, 1e-6f,
                      plain ? GroupedRows{} : scale, plain ? GroupedRows{} : shift, d_y.data());
    const Numbers found = d_y.download(queue);
    Numbers row(kWidth), weight(kWidth, 1.0f), bias(kWidth, 0.0f);
    for (int r = 0; r < kRows; ++r) {
      for (int c = 0; c < kWidth && !plain; ++c) {
        bias[c] = factors[group_of[r] * 2 * kWidth + c] + table[c];
        weight[c] = 1 + (factors[(group_of[r] * 2 + 1) * kWidth + c] + table[kWidth + c]);
      }
      infer::norm_row(std::span(x).subspan(std::size_t(r * kWidth), kWidth), 1e-6f, weight, bias, row);
      for (int c = 0; c < kWidth; ++c) EXPECT_NEAR(found[std::size_t(r * kWidth + c)], row[c], 2e-6f);
    }
  }
}

TEST_F(CudaBlocks, SayHowMuchMemoryIsMissing) {
  queue.set_limit(1000);
  DeviceArray<float> large;
  large.resize(queue, 1000000, "a test");
  EXPECT_EQ(queue.status().error().kind, ErrorKind::kOutOfMemory);
  EXPECT_NE(queue.status().error().what.find("a test: 4 MB wanted"), std::string::npos) << queue.status().error().what;
}

}  // namespace
}  // namespace limber::nn::cuda
