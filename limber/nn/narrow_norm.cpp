// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/narrow_norm.h"

namespace limber::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

at::ScalarType wide_type(const Tensor& x) { return x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat; }

/// Of each row, in float.
Tensor row_mean(const Tensor& x) { return x.mean(at::IntArrayRef({-1}), /*keepdim=*/true, wide_type(x)); }

/// Over all rows, in the type of x.
Tensor sum_of_rows(const Tensor& x) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i + 1 < x.dim(); ++i) rows.push_back(i);
  return x.sum(rows);
}

struct NarrowNorm : torch::autograd::Function<NarrowNorm> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight, const Tensor& bias,
                        double eps) {
    const Tensor mean = row_mean(x);
    const Tensor length = at::linalg_vector_norm(x, 2, at::IntArrayRef({-1}), /*keepdim=*/true, wide_type(x));
    const Tensor variance = length.square() / static_cast<double>(x.size(-1)) - mean.square();
    const Tensor scale = at::rsqrt(variance.clamp_min(0) + eps);
    const Tensor normal = at::addcmul((-mean * scale).to(x.scalar_type()), x, scale.to(x.scalar_type()));
    context->save_for_backward({normal, scale, weight});
    return at::addcmul(bias, normal, weight);
  }

  /// With n the normal rows and h = g weight: dx = scale (h - mean(h) - n mean(h n)).
  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const Tensor &g = grads[0], &normal = saved[0], &scale = saved[1], &weight = saved[2];
    const Tensor along = g * normal, inner = g * weight;
    const Tensor common = row_mean(inner), aligned = row_mean(along * weight);
    const Tensor freed = at::addcmul(inner, normal, -aligned.to(normal.scalar_type()));
    const Tensor grad_x =
        at::addcmul((-common * scale).to(normal.scalar_type()), freed, scale.to(normal.scalar_type()));
    return {grad_x, sum_of_rows(along), sum_of_rows(g), Tensor()};
  }
};

}  // namespace

Tensor narrow_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps) {
  return NarrowNorm::apply(x, weight, bias, eps);
}

}  // namespace limber::nn
