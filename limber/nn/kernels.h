// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/nn/inference.h"

/// The loops that networks spend their time in, for each instruction set of base/simd.h. Private to `nn`.
///
/// AVX2 and AVX-512 give the same bits: sums are of sixteen numbers side by side, added up in one order, and products
/// and sums are fused alike. The portable kernels do not fuse.
namespace limber::nn::infer {

/// Outputs of a layer that are summed side by side.
inline constexpr int kPanel = 16;

/// Rows that a product shares among all its kernels without a rest: 6 x 14 with AVX-512, 14 x 6 with AVX2.
inline constexpr int kProductRows = 84;

/// y = then(x W^T + b) for some rows and neighbouring panels. Each number is the sum over inputs in their order, that
/// starts with the bias.
struct Product {
  RowsView x;
  const float* panels = nullptr;  ///< x.columns * kPanel numbers each, one after the other
  const float* bias = nullptr;    ///< [outputs], or null
  float* y = nullptr;
  int outputs = 0;  ///< of these panels
  int stride = 0;   ///< from one row of y to the next
  Activation then = Activation::kNone;
};

struct Kernels {
  void (*product)(const Product&);
  void (*activate)(Activation, float* values, std::size_t count);
  /// Shares of one by the exponentials of scale * values + bias, which may be null.
  void (*softmax)(float* values, int count, float scale, const float* bias);
  /// y = weight (x - mean) / sqrt(variance + eps) + bias; weight and bias may both be null. y may be x.
  void (*normalise)(const float* x, float* y, int width, float eps, const float* weight, const float* bias);
};

const Kernels& portable_kernels();
#if defined(__x86_64__)
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();
#endif

/// Those of `simd_level`.
const Kernels& kernels();

}  // namespace limber::nn::infer
