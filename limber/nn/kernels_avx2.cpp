// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0

// The network kernels for AVX2 with FMA. Compiled with those flags: call only where the machine has them.
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>

#include "limber/nn/kernels.h"

namespace limber::nn::infer {
namespace {

constexpr int kLanes = 8;
constexpr int kTileRows = 6, kTilePanels = 1;  // twelve sums, two weights and a broadcast of sixteen registers
using V = __m256;

inline V load(const float* from) { return _mm256_loadu_ps(from); }
inline void store(float* to, V v) { _mm256_storeu_ps(to, v); }
inline V broadcast(float x) { return _mm256_set1_ps(x); }
inline V fma(V a, V b, V c) { return _mm256_fmadd_ps(a, b, c); }
inline V min(V a, V b) { return _mm256_min_ps(a, b); }
inline V max(V a, V b) { return _mm256_max_ps(a, b); }
/// p with the low bits of `shifted` added to its exponent.
inline V add_exponent(V p, V shifted) {
  const __m256i exponent = _mm256_slli_epi32(_mm256_castps_si256(shifted), 23);
  return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p), exponent));
}

#include "limber/nn/kernels.inl"

}  // namespace

const Kernels& avx2_kernels() { return kKernels; }

}  // namespace limber::nn::infer
#endif
