// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "limber/nn/blocks.h"
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
  const Rotary rotary = make_rotary(rotary_angles(at::arange(6), 8), at::kCPU);
  check_gradient(LayerNorm{weight, bias, 8, 1e-5}, x, 1e-2, 1e-2);
  check_gradient(RmsNorm{weight, 1e-6}, x, 1e-2, 1e-2);
  check_gradient(GroupNorm{weight, bias, 2, 1e-6}, x.transpose(1, 2), 1e-2, 1e-2);
  check_gradient(gelu_tanh, x.to(at::kDouble), 1e-5, 1e-8);
  check_gradient([&](const Tensor& y) { return rotate_pairs(y, rotary); }, x, 1e-2, 1e-3);
  check_gradient([&](const Tensor& y) { return modulate(y, bias, weight); }, x, 1e-2, 1e-3);
  const Tensor key = noise({1, 7, 8}, 12).to(at::kDouble), mask = noise({6, 7}, 13).to(at::kDouble);
  check_gradient([&](const Tensor& y) { return attention(y, key, key, 0.5, mask); }, x.to(at::kDouble), 1e-5, 1e-8);
  check_gradient([&](const Tensor& y) { return attention(x.to(at::kDouble), y, y, 0.5); }, key, 1e-5, 1e-8);
}

}  // namespace
}  // namespace limber::nn
