// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0

// The skinning kernels in the compiler's own vectors: SSE2 on x86-64, NEON on ARM.
#include <utility>

#include "limber/kinematics/skinning_kernels.h"

namespace limber::kinematics {
namespace {

constexpr int kWidth = 4;
typedef float V __attribute__((vector_size(4 * sizeof(float))));

inline V broadcast(float x) { return V{x, x, x, x}; }
inline V fma(V a, V b, V c) { return a * b + c; }
inline V inverse_root(V x) {
  V result;
  for (int i = 0; i < kWidth; ++i) result[i] = x[i] > 0 ? 1 / __builtin_sqrtf(x[i]) : 0.0f;
  return result;
}

#include "limber/kinematics/skinning_kernels.inl"

}  // namespace

const SkinKernels& portable_skin_kernels() { return kKernels; }

}  // namespace limber::kinematics
