// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0

// The image kernels for AVX2. Compiled with that flag: call only where the machine has it.
#if defined(__x86_64__)
#include <immintrin.h>

#include "limber/lift/image_kernels.h"

namespace limber::lift {
namespace {

constexpr int kLanes = 8, kSumVectors = 1;  // eight sums side by side
using V = float __attribute__((vector_size(32)));
inline V square_root(V v) { return _mm256_sqrt_ps(v); }

#include "limber/lift/image_kernels.inl"

}  // namespace

const ImageKernels& avx2_image_kernels() { return kKernels; }

}  // namespace limber::lift
#endif
