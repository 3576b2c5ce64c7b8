// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0

// The raster kernels for AVX2 with FMA. Compiled with those flags: call only where the machine has them.
#if defined(__x86_64__)
#include <immintrin.h>

#include "limber/splat/raster_kernels.h"

namespace limber::splat {
namespace {

constexpr int kLanes = 8;
using F = __m256;
using M = __m256;

inline F broadcast(float x) { return _mm256_set1_ps(x); }
inline F iota() { return _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7); }
inline F load(const float* from) { return _mm256_loadu_ps(from); }
inline void store(float* to, F v) { _mm256_storeu_ps(to, v); }
inline void store_as_int(int* to, F v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_cvttps_epi32(v)); }
inline F truncate(F v) { return _mm256_round_ps(v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
inline void fill(std::uint32_t* to, std::uint32_t value) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_set1_epi32(static_cast<int>(value)));
}
inline F fma(F a, F b, F c) { return _mm256_fmadd_ps(a, b, c); }
inline F min(F a, F b) { return _mm256_min_ps(a, b); }
inline F max(F a, F b) { return _mm256_max_ps(a, b); }
inline F sqrt(F a) { return _mm256_sqrt_ps(a); }
/// p with the low bits of `shifted` added to its exponent.
inline F add_exponent(F p, F shifted) {
  const __m256i exponent = _mm256_slli_epi32(_mm256_castps_si256(shifted), 23);
  return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p), exponent));
}
inline M above(F a, F b) { return _mm256_cmp_ps(a, b, _CMP_GT_OQ); }
inline M at_least(F a, F b) { return _mm256_cmp_ps(a, b, _CMP_GE_OQ); }
inline bool any_open(F t) { return _mm256_movemask_ps(t) != 0xff; }
inline bool any(M mask) { return _mm256_movemask_ps(mask) != 0; }
inline M both(M a, M b) { return _mm256_and_ps(a, b); }
inline F keep(M mask, F a) { return _mm256_and_ps(mask, a); }
inline F select(M mask, F a, F b) { return _mm256_blendv_ps(b, a, mask); }
inline F negative_where(M mask, F a) { return _mm256_or_ps(a, _mm256_and_ps(mask, _mm256_set1_ps(-0.0f))); }
/// The sums of four vectors.
inline void sum_lanes(const F* v, float* out) {
  const F pairs = _mm256_hadd_ps(_mm256_hadd_ps(v[0], v[1]), _mm256_hadd_ps(v[2], v[3]));
  _mm_storeu_ps(out, _mm_add_ps(_mm256_castps256_ps128(pairs), _mm256_extractf128_ps(pairs, 1)));
}

using D = double __attribute__((vector_size(32)));
using DMask = std::int64_t __attribute__((vector_size(32)));
inline D fma(D a, D b, D c) { return _mm256_fmadd_pd(a, b, c); }
inline D sqrt(D a) { return _mm256_sqrt_pd(a); }

#include "limber/splat/tile_kernels.inl"
//
#include "limber/splat/project_kernels.inl"

}  // namespace

const RasterKernels& avx2_raster_kernels() { return kKernels; }

}  // namespace limber::splat
#endif
