// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/blocks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/nn/nn_testing.h"

namespace limber::nn {
namespace {

double relative_error(const Tensor& got, const Tensor& expected) {
  const Tensor reference = expected.to(at::kDouble);
  return ((got.to(at::kDouble) - reference).norm() / reference.norm()).item<double>();
}

TEST(Blocks, LinearAsksForItsWeightsAndAppliesThem) {
  Weights weights = Weights::random(1, {});
  const Linear layer = linear(weights.root() / "up", 3, 5);
  const Linear bare = linear_without_bias(weights.root() / "bare", 3, 5);
  EXPECT_EQ(weights.tensor_count(), 3);
  EXPECT_EQ(weights.tensors()[1].first, "up.bias");
  const Tensor x = noise({2, 4, 3}, 2);
  EXPECT_LT(relative_error(layer(x), at::matmul(x, layer.weight.t()) + layer.bias), 1e-6);
  EXPECT_LT(relative_error(bare(x), at::matmul(x, bare.weight.t())), 1e-6);
}

TEST(Blocks, NormsMatchTheirDefinitions) {
  const Tensor x = noise({2, 7, 16}, 3) * 3 + 1, weight = noise({16}, 4), bias = noise({16}, 5);
  const Tensor mean = x.mean(-1, /*keepdim=*/true), variance = (x - mean).square().mean(-1, /*keepdim=*/true);
  const Tensor normal = (x - mean) / at::sqrt(variance + 1e-5);
  EXPECT_LT(relative_error((LayerNorm{weight, bias, 16, 1e-5}(x)), normal * weight + bias), 1e-6);
  EXPECT_LT(relative_error(plain_layer_norm(16, 1e-5)(x), normal), 1e-6);
  const Tensor rms = x / at::sqrt(x.square().mean(-1, /*keepdim=*/true) + 1e-6) * weight;
  EXPECT_LT(relative_error((RmsNorm{weight, 1e-6}(x)), rms), 1e-6);

  // Groups of 4 channels over all positions of [batch, channels, time, height, width].
  const Tensor volume = noise({2, 16, 3, 2, 2}, 6), groups = volume.view({2, 4, 48});
  const Tensor centred = groups - groups.mean(-1, /*keepdim=*/true);
  const Tensor expected =
      (centred / at::sqrt(centred.square().mean(-1, /*keepdim=*/true) + 1e-6)).view(volume.sizes()) *
          weight.view({16, 1, 1, 1}) +
      bias.view({16, 1, 1, 1});
  EXPECT_LT(relative_error((GroupNorm{weight, bias, 4, 1e-6}(volume)), expected), 1e-6);
}

TEST(Blocks, NormsKeepTheirDigitsInBfloat16) {
  const Tensor x = (noise({2, 7, 64}, 3) + 20).to(at::kBFloat16), one = at::ones({64}, at::kBFloat16);
  const Tensor exact = plain_layer_norm(64, 1e-5)(x.to(at::kFloat));
  const LayerNorm norm{one, at::zeros_like(one), 64, 1e-5};
  EXPECT_EQ(norm(x).scalar_type(), at::kBFloat16);
  EXPECT_LT(relative_error(norm(x), exact), 3e-3) << "statistics must be in float";
  EXPECT_EQ(norm.in_float(x).scalar_type(), at::kFloat);
  EXPECT_LT(relative_error(norm.in_float(x), exact), 1e-6);
  const RmsNorm rms{one, 1e-6};
  EXPECT_EQ(rms(x).scalar_type(), at::kBFloat16);
  EXPECT_LT(relative_error(rms(x), RmsNorm{one.to(at::kFloat), 1e-6}(x)), 3e-3);
}

TEST(Blocks, TheGeluIsWhatItsNameSays) {
  const Tensor x = at::linspace(-4, 4, 101, at::kDouble);
  const Tensor inner = std::sqrt(2 / M_PI) * (x + 0.044715 * x.pow(3));
  EXPECT_LT(relative_error(gelu_tanh(x), 0.5 * x * (1 + at::tanh(inner))), 1e-14);
}

TEST(Blocks, HeadsSplitAndMergeBack) {
  const Tensor x = noise({2, 5, 12}, 8);
  const Tensor heads = split_heads(x, 3);
  EXPECT_EQ(heads.sizes(), (at::IntArrayRef{2, 3, 5, 4}));
  EXPECT_TRUE(at::equal(heads[1][2][3], x[1][3].narrow(0, 8, 4)));
  EXPECT_TRUE(at::equal(merge_heads(heads), x));
}

TEST(Blocks, TimestepsAreCosinesThenSines) {
  const Tensor embedding = timestep_embedding(at::tensor({0.0f, 500.0f}), 8);
  EXPECT_TRUE(at::equal(embedding[0], at::tensor({1.f, 1.f, 1.f, 1.f, 0.f, 0.f, 0.f, 0.f})));
  EXPECT_NEAR(embedding[1][1].item<float>(), std::cos(50.0), 1e-4);
  EXPECT_NEAR(embedding[1][7].item<float>(), std::sin(0.5), 1e-6);
}

}  // namespace
}  // namespace limber::nn
