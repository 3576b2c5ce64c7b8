// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "limber/nn/bf16.h"

/// Fused kernels for the GPU, on bf16 with channels innermost. Without LibTorch, so that nvcc compiles them quickly;
/// `vae_ops.cpp` and `denoiser.cpp` call them where they apply and use LibTorch's operators elsewhere.
namespace limber::prior::cuda {

using nn::cuda::Bf16;

/// A video as a matrix, [pixels, channels], with `groups` equal groups of channels.
struct NormShape {
  std::int64_t pixels = 0;
  int channels = 0, groups = 0;
};

/// Whether the kernels below take this shape.
bool supported(const NormShape& shape);

/// Floats of scratch memory that each call needs.
std::size_t scratch_size(const NormShape& shape);

/// Per group: mean and 1 / deviation. `stream` is a cudaStream_t, here and below.
void group_statistics(const Bf16* x, const NormShape& shape, double eps, float* scratch, float* mean, float* rstd,
                      void* stream);

/// y = SiLU((x - mean) rstd weight + bias)
void norm_silu(const Bf16* x, const NormShape& shape, const float* mean, const float* rstd, const Bf16* weight,
               const Bf16* bias, Bf16* y, void* stream);

/// The gradient of norm_silu, statistics included, with respect to x. `moments` is [2, groups] of scratch.
void norm_silu_backward(const Bf16* x, const Bf16* grad_y, const NormShape& shape, const float* mean, const float* rstd,
                        const Bf16* weight, const Bf16* bias, float* scratch, float* moments, Bf16* grad_x,
                        void* stream);

/// A layer norm over each head of 64 channels, then the rotation of adjacent pairs, in place: x [batch, tokens, heads,
/// 64]; `cosines` and `sines` [tokens - first, 32]. Tokens before `first` are normalised only.
void norm_rotate_64(Bf16* x, std::int64_t batch, std::int64_t tokens, int heads, std::int64_t first, const Bf16* weight,
                    const Bf16* bias, double eps, const float* cosines, const float* sines, void* stream);

/// x [rows, columns] in 8-bit floats (e4m3), each row divided by its scale, a 448th of its largest number. `columns`
/// must be a multiple of 8.
void rows_to_float8(const Bf16* x, std::int64_t rows, std::int64_t columns, std::uint8_t* values, float* scales,
                    void* stream);

}  // namespace limber::prior::cuda
