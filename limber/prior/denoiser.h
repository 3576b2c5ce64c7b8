// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/nn/blocks.h"
#include "limber/prior/positions.h"
#include "limber/prior/projection.h"

namespace limber::prior {

/// A video diffusion transformer. Never differentiated: score distillation leaves its Jacobian out.
class Denoiser {
 public:
  virtual ~Denoiser() = default;

  /// The prediction for noisy latents [batch, frames, channels, h, w] at one timestep (0 to 1000) under the text
  /// embeddings [batch, length, width]; same shape as the latents, in their type.
  virtual Tensor predict(const Tensor& latents, double timestep, const Tensor& text) const = 0;

  /// Where it computes.
  virtual nn::Placement placement() const = 0;

  /// For a network that was loaded into main memory: computes on `device`, where only the small layers stay; each block
  /// is copied there when its turn comes.
  virtual void stream_blocks_to(at::Device device) = 0;

  /// The blocks' feed-forward layers multiply in 8-bit floats from now on (projection.h). Those of the attention do
  /// not: its errors grow with what it compares.
  virtual void narrow_blocks() = 0;
};

/// Calls `f` on every tensor of layers, to move them.
template <class F>
void each_tensor(F&& f, Tensor& tensor) {
  if (tensor.defined()) f(tensor);
}
template <class F>
void each_tensor(F&& f, nn::Linear& layer) {
  each_tensor(f, layer.weight), each_tensor(f, layer.bias);
}
template <class F>
void each_tensor(F&& f, nn::LayerNorm& layer) {
  each_tensor(f, layer.weight), each_tensor(f, layer.bias);
}
template <class F>
void each_tensor(F&& f, nn::RmsNorm& layer) {
  each_tensor(f, layer.weight);
}
template <class F, class First, class Second, class... Rest>
void each_tensor(F&& f, First& first, Second& second, Rest&... rest) {
  each_tensor(f, first), each_tensor(f, second, rest...);
}

/// Memory from which copies to a GPU are fastest; `tensor` itself where there is none.
Tensor page_locked(const Tensor& tensor);

/// The sinusoid of one timestep, [1, width], where a model wants it.
Tensor sinusoid(double timestep, int width, const nn::Placement& placement);

/// How tokens are turned, on a model's device.
struct Rotation {
  Tensor turns;           ///< complex, [tokens, head_dim / 2]
  Tensor cosines, sines;  ///< the same in parts
  bool defined() const { return turns.defined(); }
};
Rotation rotation(const RotaryTable& table, const TokenGrid& grid, at::Device device);

/// Turns x [batch, tokens, heads, head_dim] in place, in float.
void rotate_(const Tensor& x, const Tensor& turns);

/// A layer norm over each head of x [batch, tokens, heads, head_dim], then the rotation, if any, of the tokens from
/// `first` on. May overwrite x.
Tensor norm_rotated(const Tensor& x, const nn::LayerNorm& norm, const Rotation& rotation, int64_t first);

/// Patches of frames as tokens: [batch, frames, channels, h, w] -> [batch, tokens, width], in the order frame, row,
/// column. `weight` [width, channels, p, p].
Tensor patch_tokens(const Tensor& latents, const Tensor& weight, const Tensor& bias);

TokenGrid token_grid(const Tensor& latents, int patch);

}  // namespace limber::prior
