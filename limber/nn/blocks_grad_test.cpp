// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "limber/nn/blocks.h"
#include "limber/nn/narrow_norm.h"
#include "limber/nn/nn_testing.h"

namespace limber::nn {
namespace {

/// d <f(x), probe> / dx by autograd against central differences in one random direction, in double where f allows.
template <class Function>
void check_gradient(Function f, const Tensor& x0, double step, double tolerance) {
  const Tensor x = x0.clone().requires_grad_(true), y = f(x), probe = noise(y.sizes(), 21).to(y.scalar_type());
  const Tensor gradient = torch::autograd::grad({(y * probe).sum()}, {x})[0];
  const Tensor direction = noise(x0.sizes(), 22).to(x0.scalar_type());
  const double slope = (gradient * direction).sum().template item<double>();
  const double up = (f(x0 + step * direction) * probe).sum().template item<double>();
  const double down = (f(x0 - step * direction) * probe).sum().template item<double>();
  EXPECT_NEAR((up - down) / (2 * step), slope, tolerance * (1 + std::abs(slope)));
}

TEST(BlocksGrad, EveryBlockMatchesFiniteDifferences) {
  const Tensor x = noise({1, 6, 8}, 9), weight = noise({8}, 10), bias = noise({8}, 11);
  check_gradient(LayerNorm{weight, bias, 8, 1e-5}, x, 1e-2, 1e-2);
  check_gradient(RmsNorm{weight, 1e-6}, x, 1e-2, 1e-2);
  check_gradient(GroupNorm{weight, bias, 2, 1e-6}, x.transpose(1, 2), 1e-2, 1e-2);
  check_gradient(gelu_tanh, x.to(at::kDouble), 1e-5, 1e-8);
  check_gradient([&](const Tensor& y) { return modulate(y, bias, weight); }, x, 1e-2, 1e-3);
  const Tensor key = noise({1, 7, 8}, 12).to(at::kDouble), mask = noise({6, 7}, 13).to(at::kDouble);
  check_gradient([&](const Tensor& y) { return attention(y, key, key, 0.5, mask); }, x.to(at::kDouble), 1e-5, 1e-8);
  check_gradient([&](const Tensor& y) { return attention(x.to(at::kDouble), y, y, 0.5); }, key, 1e-5, 1e-8);
}

TEST(BlocksGrad, NarrowNormIsALayerNormWithTheSameGradients) {
  // Heads as attention has them: views into a longer row.
  const Tensor rows = noise({3, 5, 24}, 14).to(at::kDouble);
  const Tensor heads = (2 * rows + 1).view({3, 5, 3, 2, 4}).permute({2, 0, 3, 1, 4})[1];
  const Tensor weight = noise({4}, 15).to(at::kDouble), bias = noise({4}, 16).to(at::kDouble);
  const Tensor probe = noise(heads.sizes(), 17).to(at::kDouble);
  const auto gradients = [&](const auto& norm) {
    const Tensor x = heads.detach().clone().requires_grad_(true), w = weight.clone().requires_grad_(true),
                 b = bias.clone().requires_grad_(true);
    const Tensor y = norm(x, w, b);
    std::vector<Tensor> all = torch::autograd::grad({(y * probe).sum()}, {x, w, b});
    all.push_back(y.detach());
    return all;
  };
  const std::vector<Tensor> own =
      gradients([](const auto& x, const auto& w, const auto& b) { return narrow_norm(x, w, b, 1e-5); });
  const std::vector<Tensor> plain =
      gradients([](const auto& x, const auto& w, const auto& b) { return at::layer_norm(x, {4}, w, b, 1e-5); });
  for (std::size_t i = 0; i < own.size(); ++i) EXPECT_LT((own[i] - plain[i]).abs().max().item<double>(), 1e-9) << i;
  EXPECT_LT((narrow_norm(heads, weight, bias, 1e-5) - plain.back()).abs().max().item<double>(), 1e-9);
  check_gradient([&](const Tensor& x) { return narrow_norm(x, weight, bias, 1e-5); }, heads, 1e-5, 1e-7);
}

}  // namespace
}  // namespace limber::nn
