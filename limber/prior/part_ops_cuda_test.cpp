// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>

#include "limber/prior/part_ops.h"

namespace limber::prior {
namespace {

/// Fused in bf16 against plain operators in float on the same (rounded) inputs: values and all gradients.
void expect_agreement(std::vector<Tensor> inputs, const std::function<Tensor(const std::vector<Tensor>&)>& fused,
                      const std::function<Tensor(const std::vector<Tensor>&)>& plain) {
  if (!nn::cuda_available()) GTEST_SKIP() << "there is no GPU";
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

class PartOps : public ::testing::Test {
 protected:
  void SetUp() override { at::manual_seed(3); }
};

/// Tokens, modulations and tokens that follow each other under one of them.
struct Sharing {
  std::int64_t tokens, groups, run;
};
constexpr Sharing kSharings[]{{70, 1, 70}, {70, 1, 7}, {96, 6, 8}, {36, 3, 12}};

TEST_F(PartOps, NormModulateAgreesWithPlainOperators) {
  for (const std::int64_t width : {64, 320, 512}) {
    for (const Sharing& s : kSharings) {
      const auto run = s.run;
      expect_agreement(
          {at::randn({3, s.tokens, width}) * 2 + 1, at::randn({3, s.groups, width}), at::randn({3, s.groups, width})},
          [=](const std::vector<Tensor>& x) { return norm_modulate(x[0], x[1], x[2], run, 1e-6); },
          [=](const std::vector<Tensor>& x) { return plain::norm_modulate(x[0], x[1], x[2], run, 1e-6); });
    }
  }
}

TEST_F(PartOps, GatedAddAgreesWithPlainOperators) {
  for (const Sharing& s : kSharings) {
    const auto run = s.run;
    expect_agreement(
        {at::randn({5, s.tokens, 320}), at::randn({5, s.tokens, 320}), at::randn({5, s.groups, 320})},
        [=](const std::vector<Tensor>& x) { return gated_add(x[0], x[1], x[2], run); },
        [=](const std::vector<Tensor>& x) { return plain::gated_add(x[0], x[1], x[2], run); });
  }
}

TEST_F(PartOps, NormHeadsAgreesWithPlainOperators) {
  const auto norm = [](const std::vector<Tensor>& x, std::size_t at) {
    return nn::LayerNorm{x[at], x[at + 1], 64, 1e-6};
  };
  expect_agreement(
      {at::randn({4, 100, 3 * 320}) * 3 - 1, at::randn({64}), at::randn({64}), at::randn({64}), at::randn({64})},
      [&](const std::vector<Tensor>& x) { return norm_heads(x[0], norm(x, 1), norm(x, 3), 5); },
      [&](const std::vector<Tensor>& x) { return plain::norm_heads(x[0], norm(x, 1), norm(x, 3), 5); });
}

}  // namespace
}  // namespace limber::prior
