// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/blocks.h"

#include <cmath>

#include "limber/nn/narrow_norm.h"

namespace limber::nn {
namespace {

/// At least float.
Tensor widened(const Tensor& x) { return x.defined() && x.scalar_type() != at::kDouble ? x.to(at::kFloat) : x; }

}  // namespace

Tensor Linear::operator()(const Tensor& x) const {
  return bias.defined() ? at::linear(x, weight, bias) : at::linear(x, weight);
}

Linear linear(const WeightScope& w, std::int64_t in, std::int64_t out, Init init) {
  return {w.get("weight", {out, in}, init), w.get("bias", {out}, Init::constant(0))};
}

Linear linear_without_bias(const WeightScope& w, std::int64_t in, std::int64_t out) {
  return {w.get("weight", {out, in}), {}};
}

Tensor LayerNorm::operator()(const Tensor& x) const {
  // The CPU kernel of 1.13 rounds the mean to the type of x.
  if (x.is_cpu() && x.scalar_type() != at::kDouble) return in_float(x).to(x.scalar_type());
  if (x.is_cuda() && width <= kNarrowNorm && weight.defined()) return narrow_norm(x, weight, bias, eps);
  return at::layer_norm(x, {width}, weight, bias, eps);
}

Tensor LayerNorm::in_float(const Tensor& x) const {
  return at::layer_norm(widened(x), {width}, widened(weight), widened(bias), eps);
}

LayerNorm layer_norm(const WeightScope& w, std::int64_t width, double eps) {
  return {w.get("weight", {width}, Init::constant(1)), w.get("bias", {width}, Init::constant(0)), width, eps};
}

LayerNorm plain_layer_norm(std::int64_t width, double eps) { return {{}, {}, width, eps}; }

Tensor RmsNorm::operator()(const Tensor& x) const {
  const Tensor wide = widened(x);
  const Tensor normal = wide * at::rsqrt(wide.square().mean(-1, /*keepdim=*/true) + eps);
  return normal.to(weight.scalar_type()) * weight;
}

RmsNorm rms_norm(const WeightScope& w, std::int64_t width, double eps) {
  return {w.get("weight", {width}, Init::constant(1)), eps};
}

Tensor GroupNorm::operator()(const Tensor& x) const { return at::group_norm(x, groups, weight, bias, eps); }

GroupNorm group_norm(const WeightScope& w, std::int64_t channels, std::int64_t groups, double eps) {
  return {w.get("weight", {channels}, Init::constant(1)), w.get("bias", {channels}, Init::constant(0)), groups, eps};
}

Tensor gelu_tanh(const Tensor& x) { return at::gelu(x, "tanh"); }

Tensor modulate(const Tensor& x, const Tensor& shift, const Tensor& scale) { return x * (1 + scale) + shift; }

Tensor split_heads(const Tensor& x, std::int64_t heads) {
  return x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
}

Tensor merge_heads(const Tensor& x) { return x.transpose(1, 2).reshape({x.size(0), x.size(2), x.size(1) * x.size(3)}); }

Tensor timestep_embedding(const Tensor& timesteps, std::int64_t width) {
  LIMBER_EXPECT(width % 2 == 0, std::to_string(width));
  const std::int64_t half = width / 2;
  // Float all the way: the phases reach 1000, and the public models round their frequencies like this.
  const Tensor exponent =
      at::arange(half, at::TensorOptions().dtype(at::kFloat).device(timesteps.device())) * -std::log(10000.0);
  const Tensor angles = timesteps.to(at::kFloat).unsqueeze(-1) * at::exp(exponent / static_cast<double>(half));
  return at::cat({angles.cos(), angles.sin()}, -1);
}

}  // namespace limber::nn
