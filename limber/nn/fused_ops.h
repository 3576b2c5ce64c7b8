// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/nn/blocks.h"

/// The small steps between a transformer's matrix products, differentiable: fused kernels on the GPU in bf16,
/// LibTorch's operators elsewhere.
namespace limber::nn {

/// What follows is modulated by rows: x [batch, tokens, width]; a modulation [batch, groups, width] has groups that
/// come in turn, each for `run` tokens that follow each other. Tokens are a multiple of groups x run.

/// layer_norm(x) (1 + scale) + shift without weights of its own.
Tensor norm_modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, std::int64_t run, double eps);

/// x + (1 + gate) u.
Tensor gated_add(const Tensor& x, const Tensor& u, const Tensor& gate, std::int64_t run);

/// [batch, tokens, width] each.
struct Heads {
  Tensor queries, keys, values;
};
/// Layer norms over each head of the queries and keys in qkv [batch, tokens, 3 width]; values stay.
Heads norm_heads(const Tensor& qkv, const LayerNorm& norm_q, const LayerNorm& norm_k, std::int64_t heads);

/// What tokens see of each other after norm_heads: [batch, tokens, width].
Tensor self_attention(const Tensor& qkv, const LayerNorm& norm_q, const LayerNorm& norm_k, std::int64_t heads);

/// The same by LibTorch's operators alone: what the kernels are compared with.
namespace plain {
Tensor norm_modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, std::int64_t run, double eps);
Tensor gated_add(const Tensor& x, const Tensor& u, const Tensor& gate, std::int64_t run);
Heads norm_heads(const Tensor& qkv, const LayerNorm& norm_q, const LayerNorm& norm_k, std::int64_t heads);
}  // namespace plain

}  // namespace limber::nn
