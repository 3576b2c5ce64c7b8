// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "limber/nn/bf16.h"

/// Fused kernels for transformers on the GPU, bf16, sums in float and in a fixed order: half of a training step went
/// into plain element-wise ones. Rows are tokens. `stream` is a cudaStream_t.
namespace limber::nn::cuda {

/// Widths that the kernels take: multiples of 64 up to 512.
bool supported_width(int width);
/// Heads that `norm_heads` takes: of 32 or 64 channels, together a multiple of 64.
bool supported_heads(int heads, int channels);

/// Which rows share a modulation: of the `tokens` rows of a sample every `run` that follow each other, and the
/// `groups` modulations come in turn. `tokens` is a multiple of groups x run.
struct ModulatedRows {
  int batch = 0, tokens = 0, groups = 1, run = 1, width = 0;
};

/// In how many pieces the rows of a modulation are summed, by shape alone.
int piece_count(const ModulatedRows& rows);

/// y = layer_norm(x) (1 + scale) + shift; x, y [batch, tokens, width], shift and scale [batch, groups, width].
void norm_modulate(const Bf16* x, const Bf16* shift, const Bf16* scale, const ModulatedRows& rows, double eps, Bf16* y,
                   void* stream);
/// Its gradients; `partial` [2, pieces, batch, groups, width]: those on shift and scale, to be summed over pieces.
void norm_modulate_backward(const Bf16* x, const Bf16* scale, const Bf16* grad_y, const ModulatedRows& rows, double eps,
                            Bf16* grad_x, float* partial, void* stream);

/// y = x + (1 + gate) u; gate [batch, groups, width].
void gated_add(const Bf16* x, const Bf16* u, const Bf16* gate, const ModulatedRows& rows, Bf16* y, void* stream);
/// Its gradient on u, and in `partial` [pieces, batch, groups, width] that on the gate, to be summed over pieces; that
/// on x is grad_y.
void gated_add_backward(const Bf16* u, const Bf16* gate, const Bf16* grad_y, const ModulatedRows& rows, Bf16* grad_u,
                        float* partial, void* stream);

/// `rows` tokens of `heads` heads of `channels`.
struct HeadRows {
  std::int64_t rows = 0;
  int heads = 0, channels = 64;

  int chunks() const { return heads * channels / 64; }  ///< what a warp reads of a token's queries, keys or values
};
/// Queries, keys and values, [rows, heads, channels] each.
struct HeadsOut {
  Bf16 *queries, *keys, *values;
};
struct HeadsIn {
  const Bf16 *queries, *keys, *values;
};

/// A layer norm over each head of the queries and keys in x [rows, 3, heads, channels]; values are copied. `weights`
/// [2, 2, channels]: of queries and of keys, weight and bias.
void norm_heads(const Bf16* x, const float* weights, const HeadRows& rows, double eps, const HeadsOut& y, void* stream);
/// Its gradients. `partial` [kHeadBlocks, 2, chunks, 2, 64]: of queries and keys, on weight and bias, to be summed over
/// blocks and chunks, and over the heads of a chunk.
inline constexpr int kHeadBlocks = 264;
void norm_heads_backward(const Bf16* x, const float* weights, const HeadsIn& grad_y, const HeadRows& rows, double eps,
                         Bf16* grad_x, float* partial, void* stream);

}  // namespace limber::nn::cuda
