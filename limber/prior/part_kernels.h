// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "limber/prior/kernels.h"

/// Fused kernels for the built-in prior on the GPU, bf16, sums in float and in a fixed order: half of a training step
/// went into plain element-wise ones. Rows are tokens.
namespace limber::prior::cuda {

/// Widths that the kernels take: multiples of 64 up to 512.
bool supported_width(int width);

/// Which rows share a modulation: of the `tokens` rows of a sample every `run` that follow each other, and the
/// `groups` modulations come in turn. `tokens` is a multiple of groups x run.
struct PartRows {
  int batch = 0, tokens = 0, groups = 1, run = 1, width = 0;
};

/// y = layer_norm(x) (1 + scale) + shift; x, y [batch, tokens, width], shift and scale [batch, groups, width].
void norm_modulate(const Bf16* x, const Bf16* shift, const Bf16* scale, const PartRows& rows, double eps, Bf16* y,
                   void* stream);
/// Its gradients; those on shift and scale are float.
void norm_modulate_backward(const Bf16* x, const Bf16* scale, const Bf16* grad_y, const PartRows& rows, double eps,
                            Bf16* grad_x, float* grad_shift, float* grad_scale, void* stream);

/// y = x + (1 + gate) u; gate [batch, groups, width].
void gated_add(const Bf16* x, const Bf16* u, const Bf16* gate, const PartRows& rows, Bf16* y, void* stream);
/// Its gradients on u and on the gate (float); that on x is grad_y.
void gated_add_backward(const Bf16* u, const Bf16* gate, const Bf16* grad_y, const PartRows& rows, Bf16* grad_u,
                        float* grad_gate, void* stream);

/// A layer norm over each head of 64 channels of the queries and keys in x [rows, 3, heads, 64]; values are copied.
/// `weights` [2, 2, 64]: of queries and of keys, weight and bias.
void norm_heads(const Bf16* x, const float* weights, std::int64_t rows, int heads, double eps, Bf16* y, void* stream);
/// Its gradients. `partial` [kHeadBlocks, 2, heads, 2, 64]: to be summed over blocks and heads.
inline constexpr int kHeadBlocks = 264;
void norm_heads_backward(const Bf16* x, const float* weights, const Bf16* grad_y, std::int64_t rows, int heads,
                         double eps, Bf16* grad_x, float* partial, void* stream);

}  // namespace limber::prior::cuda
