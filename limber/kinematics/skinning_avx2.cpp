// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0

// The skinning kernels for AVX2 with FMA. Compiled with those flags: call only where the machine has them.
#if defined(__x86_64__)
#include <immintrin.h>

#include <utility>

#include "limber/kinematics/skinning_kernels.h"

namespace limber::kinematics {
namespace {

constexpr int kWidth = 8;
using V = __m256;

inline V broadcast(float x) { return _mm256_set1_ps(x); }
inline V fma(V a, V b, V c) { return _mm256_fmadd_ps(a, b, c); }
inline V inverse_root(V x) {
  const V positive = _mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_GT_OQ);
  return _mm256_and_ps(positive, _mm256_div_ps(_mm256_set1_ps(1.0f), _mm256_sqrt_ps(x)));
}

#include "limber/kinematics/skinning_kernels.inl"

}  // namespace

const SkinKernels& avx2_skin_kernels() { return kKernels; }

}  // namespace limber::kinematics
#endif
