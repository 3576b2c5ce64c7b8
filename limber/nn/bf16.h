// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Brain floats for kernels, which go without LibTorch so that nvcc compiles them quickly.
namespace limber::nn::cuda {

/// Bits of a brain float.
using Bf16 = std::uint16_t;

#if defined(__CUDACC__)

__device__ inline float to_float(Bf16 bits) { return __uint_as_float(static_cast<unsigned>(bits) << 16); }

/// Rounds to the nearest, ties to even. Not a number stays so.
__device__ inline Bf16 to_bf16(float value) {
  const unsigned bits = __float_as_uint(value);
  if (value != value) return static_cast<Bf16>((bits >> 16) | 0x40);
  return static_cast<Bf16>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

#endif

}  // namespace limber::nn::cuda
