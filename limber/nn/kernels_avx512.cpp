// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0

// The network kernels for AVX-512F. Compiled with that flag: call only where the machine has it.
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>

#include "limber/nn/kernels.h"

namespace limber::nn::infer {
namespace {

constexpr int kLanes = 16;
constexpr int kTileRows = 14, kTilePanels = 2;  // 28 sums, two weights and a broadcast of 32 registers
using V = __m512;

inline V load(const float* from) { return _mm512_loadu_ps(from); }
inline void store(float* to, V v) { _mm512_storeu_ps(to, v); }
inline V broadcast(float x) { return _mm512_set1_ps(x); }
inline V fma(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }
inline V min(V a, V b) { return _mm512_min_ps(a, b); }
inline V max(V a, V b) { return _mm512_max_ps(a, b); }
/// p with the low bits of `shifted` added to its exponent.
inline V add_exponent(V p, V shifted) {
  const __m512i exponent = _mm512_slli_epi32(_mm512_castps_si512(shifted), 23);
  return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(p), exponent));
}

#include "limber/nn/kernels.inl"

}  // namespace

const Kernels& avx512_kernels() { return kKernels; }

}  // namespace limber::nn::infer
#endif
