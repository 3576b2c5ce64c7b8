// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "limber/nn/weights.h"

/// \file
/// What transformers are made of: small structs of weights, functions on tensors. All are differentiable. Tokens are
/// [batch, tokens, width], heads [batch, heads, tokens, head_dim]. Where the public models compute in float whatever
/// the weights are stored in, so do these.

namespace limber::nn {

/// y = W x + b; the bias may be undefined.
struct Linear {
  Tensor weight, bias;  ///< [out, in], [out]
  Tensor operator()(const Tensor& x) const;
};
/// Asks for `weight` and `bias` below `w`.
Linear linear(const WeightScope& w, std::int64_t in, std::int64_t out, Init init = {});
/// Asks for `weight` alone.
Linear linear_without_bias(const WeightScope& w, std::int64_t in, std::int64_t out);

/// Normalises the last axis to mean 0 and variance 1; weight and bias may be undefined. Statistics are in float.
struct LayerNorm {
  Tensor weight, bias;  ///< [width]
  std::int64_t width = 0;
  double eps = 1e-5;

  Tensor operator()(const Tensor& x) const;  ///< in the type of x
  Tensor in_float(const Tensor& x) const;    ///< stays in float, for a modulation that must come before rounding (Wan)
};
LayerNorm layer_norm(const WeightScope& w, std::int64_t width, double eps);
/// Without parameters.
LayerNorm plain_layer_norm(std::int64_t width, double eps);

/// x / sqrt(mean(x^2) + eps) * weight over the last axis: no mean, no bias. Normalised in float, rounded to the
/// weight's type, then scaled, in this order, as T5 and Wan do.
struct RmsNorm {
  Tensor weight;
  double eps = 1e-6;
  Tensor operator()(const Tensor& x) const;
};
RmsNorm rms_norm(const WeightScope& w, std::int64_t width, double eps);

/// Statistics over a group of channels and all positions of [batch, channels, ...].
struct GroupNorm {
  Tensor weight, bias;  ///< [channels]
  std::int64_t groups = 32;
  double eps = 1e-6;
  Tensor operator()(const Tensor& x) const;
};
GroupNorm group_norm(const WeightScope& w, std::int64_t channels, std::int64_t groups, double eps);

/// By tanh, which differs from that by erf by 1e-4: "gelu_new", "gelu_pytorch_tanh" and "gelu-approximate".
Tensor gelu_tanh(const Tensor& x);

/// x (1 + scale) + shift, the adaptive layer norm of diffusion transformers.
Tensor modulate(const Tensor& x, const Tensor& shift, const Tensor& scale);

/// [batch, tokens, heads * d] <-> [batch, heads, tokens, d]
Tensor split_heads(const Tensor& x, std::int64_t heads);
Tensor merge_heads(const Tensor& x);

/// [batch, width] sinusoids of timesteps [batch], in float: angle t * 10000^(-i / (width / 2)), laid out [cos | sin] as
/// CogVideoX and Wan have it. `width` is even.
Tensor timestep_embedding(const Tensor& timesteps, std::int64_t width);

}  // namespace limber::nn
