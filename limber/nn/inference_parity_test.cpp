// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "limber/nn/blocks.h"
#include "limber/nn/inference.h"
#include "limber/nn/nn_testing.h"

/// The blocks that ship say what the blocks that are trained say.
namespace limber::nn {
namespace {

infer::Floats floats(const Tensor& x) { return {x.data_ptr<float>(), x.data_ptr<float>() + x.numel()}; }

infer::Matrix matrix(const Tensor& x) { return {static_cast<int>(x.size(0)), static_cast<int>(x.size(1)), floats(x)}; }

double difference(const infer::Matrix& got, const Tensor& expected) {
  Tensor seen = at::empty({got.rows(), got.columns()}, at::kFloat);
  std::copy(got.values().begin(), got.values().end(), seen.data_ptr<float>());
  return (seen - expected).abs().max().item<double>();
}

TEST(InferenceParity, LinearAgrees) {
  const Tensor x = noise({100, 48}, 1), weight = noise({32, 48}, 2), bias = noise({32}, 3);
  EXPECT_LT(difference(infer::Linear{matrix(weight), floats(bias)}(matrix(x)), Linear{weight, bias}(x)), 2e-5);
}

TEST(InferenceParity, LayerNormsAgreeWithAndWithoutWeightsAndByHeads) {
  const Tensor x = noise({100, 48}, 4) * 2 + 1, weight = noise({48}, 5), bias = noise({48}, 6);
  const infer::LayerNorm whole{48, 1e-5f, floats(weight), floats(bias)}, plain{48, 1e-6f, {}, {}};
  EXPECT_LT(difference(whole(matrix(x)), LayerNorm{weight, bias, 48, 1e-5}(x)), 1e-5);
  EXPECT_LT(difference(plain(matrix(x)), plain_layer_norm(48, 1e-6)(x)), 1e-5);
  const Tensor head_weight = noise({12}, 7), head_bias = noise({12}, 8);
  const infer::LayerNorm heads{12, 1e-6f, floats(head_weight), floats(head_bias)};
  EXPECT_LT(
      difference(heads(matrix(x)), LayerNorm{head_weight, head_bias, 12, 1e-6}(x.view({100, 4, 12})).view({100, 48})),
      1e-5);
}

TEST(InferenceParity, ActivationsAgree) {
  const Tensor x = noise({70, 33}, 9) * 3;
  EXPECT_LT(difference(infer::gelu_tanh(matrix(x)), gelu_tanh(x)), 2e-6);
  EXPECT_LT(difference(infer::silu(matrix(x)), at::silu(x)), 2e-6);
}

TEST(InferenceParity, AttentionAgrees) {
  const Tensor q = noise({1, 65, 48}, 10), k = noise({1, 40, 48}, 11), v = noise({1, 40, 48}, 12);
  const Tensor expected =
      merge_heads(attention(split_heads(q, 4), split_heads(k, 4), split_heads(v, 4), 1 / std::sqrt(12.0)))[0];
  EXPECT_LT(difference(infer::attention(matrix(q[0]), matrix(k[0]), matrix(v[0]), 4), expected), 5e-6);
}

TEST(InferenceParity, AttentionWithABiasAgrees) {
  const Tensor q = noise({1, 65, 48}, 10), k = noise({1, 40, 48}, 11), v = noise({1, 40, 48}, 12);
  const Tensor bias = noise({1, 4, 65, 40}, 13);
  const Tensor expected =
      merge_heads(attention(split_heads(q, 4), split_heads(k, 4), split_heads(v, 4), 1 / std::sqrt(12.0), bias))[0];
  const infer::Matrix rows = matrix(bias[0].reshape({4 * 65, 40}));
  EXPECT_LT(difference(infer::attention(matrix(q[0]), matrix(k[0]), matrix(v[0]), 4, rows), expected), 5e-6);
}

}  // namespace
}  // namespace limber::nn
