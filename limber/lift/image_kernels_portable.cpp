// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0

// The image kernels in the compiler's own vectors of four floats, and the choice between them and those for AVX2.
#include "limber/base/simd.h"
#include "limber/lift/image_kernels.h"

namespace limber::lift {
namespace {

constexpr int kLanes = 4, kSumVectors = 2;  // eight sums side by side
using V = float __attribute__((vector_size(16)));
inline V square_root(V v) {
  return V{__builtin_sqrtf(v[0]), __builtin_sqrtf(v[1]), __builtin_sqrtf(v[2]), __builtin_sqrtf(v[3])};
}

#include "limber/lift/image_kernels.inl"

}  // namespace

const ImageKernels& portable_image_kernels() { return kKernels; }

const ImageKernels& image_kernels() {
#if defined(__x86_64__)
  if (simd_level() >= SimdLevel::kAvx2) return avx2_image_kernels();
#endif
  return portable_image_kernels();
}

}  // namespace limber::lift
