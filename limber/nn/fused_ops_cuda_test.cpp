// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>

#include "limber/nn/fused_ops.h"

namespace limber::nn {
namespace {

/// Fused in bf16 against plain operators in float on the same (rounded) inputs: values and all gradients.
void expect_agreement(std::vector<Tensor> inputs, const std::function<Tensor(const std::vector<Tensor>&)>& fused,
                      const std::function<Tensor(const std::vector<Tensor>&)>& plain) {
  if (!cuda_available()) GTEST_SKIP() << "there is no GPU";
  std::vector<Tensor> short_inputs, long_inputs;
  for (const Tensor& input : inputs) {
    short_inputs.push_back(input.to(at::kCUDA, at::kBFloat16).set_requires_grad(true));
    long_inputs.push_back(short_inputs.back().detach().to(at::kFloat).set_requires_grad(true));
  }
  const Tensor a = fused(short_inputs), b = plain(long_inputs);
  const Tensor weight = at::randn(b.sizes(), b.options()).to(at::kBFloat16);
  a.backward(weight), b.backward(weight.to(at::kFloat));
  const auto error = [](const Tensor& x, const Tensor& y) {
    return ((x.to(at::kFloat) - y).norm() / y.norm().clamp_min(1e-12)).item<double>();
  };
  EXPECT_LT(error(a, b), 4e-3);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_LT(error(short_inputs[i].grad(), long_inputs[i].grad()), 6e-3) << "input " << i;
  }
}

class FusedOps : public ::testing::Test {
 protected:
  void SetUp() override { at::manual_seed(3); }
};

/// Tokens, modulations and tokens that follow each other under one of them.
struct Sharing {
  std::int64_t tokens, groups, run;
};
// The last but one is summed in pieces, which are not all of one size.
constexpr Sharing kSharings[]{{70, 1, 70}, {70, 1, 7}, {96, 6, 8}, {430, 1, 430}, {36, 3, 12}};

TEST_F(FusedOps, NormModulateAgreesWithPlainOperators) {
  for (const std::int64_t width : {64, 192, 320, 512}) {
    for (const Sharing& s : kSharings) {
      const auto run = s.run;
      expect_agreement(
          {at::randn({3, s.tokens, width}) * 2 + 1, at::randn({3, s.groups, width}), at::randn({3, s.groups, width})},
          [=](const std::vector<Tensor>& x) { return norm_modulate(x[0], x[1], x[2], run, 1e-6); },
          [=](const std::vector<Tensor>& x) { return plain::norm_modulate(x[0], x[1], x[2], run, 1e-6); });
    }
  }
}

TEST_F(FusedOps, GatedAddAgreesWithPlainOperators) {
  for (const Sharing& s : kSharings) {
    const auto run = s.run;
    expect_agreement(
        {at::randn({5, s.tokens, 320}), at::randn({5, s.tokens, 320}), at::randn({5, s.groups, 320})},
        [=](const std::vector<Tensor>& x) { return gated_add(x[0], x[1], x[2], run); },
        [=](const std::vector<Tensor>& x) { return plain::gated_add(x[0], x[1], x[2], run); });
  }
}

/// Channels of a head, and how many there are.
struct HeadsCase {
  std::int64_t channels, heads;
};
constexpr HeadsCase kHeadsCases[]{{64, 5}, {32, 6}, {32, 2}};

std::vector<Tensor> heads_inputs(const HeadsCase& c, std::int64_t tokens) {
  std::vector<Tensor> inputs{at::randn({4, tokens, 3 * c.heads * c.channels}) * 3 - 1};
  for (int i = 0; i < 4; ++i) inputs.push_back(at::randn({c.channels}));
  return inputs;
}

LayerNorm norm_of(const std::vector<Tensor>& x, std::size_t at) { return {x[at], x[at + 1], x[at].size(0), 1e-6}; }

TEST_F(FusedOps, NormHeadsAgreesWithPlainOperators) {
  const auto joined = [](const Heads& heads) { return at::cat({heads.queries, heads.keys, heads.values}, -1); };
  for (const HeadsCase& c : kHeadsCases) {
    expect_agreement(
        heads_inputs(c, 100),
        [&](const std::vector<Tensor>& x) { return joined(norm_heads(x[0], norm_of(x, 1), norm_of(x, 3), c.heads)); },
        [&](const std::vector<Tensor>& x) {
          return joined(plain::norm_heads(x[0], norm_of(x, 1), norm_of(x, 3), c.heads));
        });
  }
}

/// A training in bits that depend on chance could not be resumed.
TEST_F(FusedOps, GradientsAreTheSameEveryTime) {
  if (!cuda_available()) GTEST_SKIP() << "there is no GPU";
  const auto gradients = [](const std::vector<Tensor>& inputs) {
    std::vector<Tensor> x;
    for (const Tensor& input : inputs) x.push_back(input.to(at::kCUDA, at::kBFloat16).set_requires_grad(true));
    const Heads heads = norm_heads(x[0], norm_of(x, 1), norm_of(x, 3), 6);
    const Tensor gate = heads.keys.narrow(1, 0, 1);
    gated_add(norm_modulate(heads.queries, gate, gate, 1024, 1e-5), heads.values, gate, 1024).square().sum().backward();
    return x;
  };
  const std::vector<Tensor> inputs = heads_inputs({32, 6}, 1024), one = gradients(inputs), other = gradients(inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) EXPECT_TRUE(at::equal(one[i].grad(), other[i].grad())) << i;
}

}  // namespace
}  // namespace limber::nn
