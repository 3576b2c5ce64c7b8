// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0

// The skinning kernels for AVX-512F. Compiled with that flag: call only where the machine has it.
#if defined(__x86_64__)
#include <immintrin.h>

#include <utility>

#include "limber/kinematics/skinning_kernels.h"

namespace limber::kinematics {
namespace {

constexpr int kWidth = 16;
using V = __m512;

inline V broadcast(float x) { return _mm512_set1_ps(x); }
inline V fma(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }
inline V inverse_root(V x) {
  const __mmask16 positive = _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_GT_OQ);
  return _mm512_maskz_div_ps(positive, _mm512_set1_ps(1.0f), _mm512_maskz_sqrt_ps(positive, x));
}

#include "limber/kinematics/skinning_kernels.inl"

}  // namespace

const SkinKernels& avx512_skin_kernels() { return kKernels; }

}  // namespace limber::kinematics
#endif
