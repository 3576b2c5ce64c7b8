// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0

// The raster kernels for AVX-512F. Compiled with that flag: call only where the machine has it.
#if defined(__x86_64__)
#include <immintrin.h>

#include "limber/splat/raster_kernels.h"

namespace limber::splat {
namespace {

constexpr int kLanes = 16;
using F = __m512;
using M = __mmask16;

inline F broadcast(float x) { return _mm512_set1_ps(x); }
inline F iota() { return _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15); }
inline F load(const float* from) { return _mm512_loadu_ps(from); }
inline void store(float* to, F v) { _mm512_storeu_ps(to, v); }
inline void store_as_int(int* to, F v) { _mm512_storeu_si512(to, _mm512_cvttps_epi32(v)); }
inline F truncate(F v) { return _mm512_roundscale_ps(v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
inline void fill(std::uint32_t* to, std::uint32_t value) {
  _mm512_storeu_si512(to, _mm512_set1_epi32(static_cast<int>(value)));
}
inline F fma(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
inline F min(F a, F b) { return _mm512_min_ps(a, b); }
inline F max(F a, F b) { return _mm512_max_ps(a, b); }
inline F sqrt(F a) { return _mm512_sqrt_ps(a); }
/// p with the low bits of `shifted` added to its exponent.
inline F add_exponent(F p, F shifted) {
  const __m512i exponent = _mm512_slli_epi32(_mm512_castps_si512(shifted), 23);
  return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(p), exponent));
}
inline M above(F a, F b) { return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ); }
inline M at_least(F a, F b) { return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ); }
inline M is_open(F t) { return above(t, _mm512_setzero_ps()); }
inline bool any_open(F t) { return is_open(t) != 0; }
inline bool any(M mask) { return mask != 0; }
inline M both(M a, M b) { return _kand_mask16(a, b); }
inline M and_not(M a, M b) { return _kandn_mask16(b, a); }
inline F keep(M mask, F a) { return _mm512_maskz_mov_ps(mask, a); }
inline F select(M mask, F a, F b) { return _mm512_mask_blend_ps(mask, b, a); }
inline F negate_where(M mask, F a) { return _mm512_mask_sub_ps(a, mask, _mm512_setzero_ps(), a); }
/// The sums of four vectors.
inline void sum_lanes(const F* v, float* out) {
  __m256 half[4];
  for (int i = 0; i < 4; ++i) {
    const __m256 high = _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(v[i]), 1));
    half[i] = _mm256_add_ps(_mm512_castps512_ps256(v[i]), high);
  }
  const __m256 pairs = _mm256_hadd_ps(_mm256_hadd_ps(half[0], half[1]), _mm256_hadd_ps(half[2], half[3]));
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

const RasterKernels& avx512_raster_kernels() { return kKernels; }

}  // namespace limber::splat
#endif
