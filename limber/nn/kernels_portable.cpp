// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0

// The network kernels in the compiler's own vectors of four floats: SSE2 on x86-64, NEON on ARM.
#include <cstdint>

#include "limber/nn/kernels.h"

namespace limber::nn::infer {
namespace {

constexpr int kLanes = 4;
constexpr int kTileRows = 2, kTilePanels = 1;  // eight sums, four weights and a broadcast of sixteen registers
using V = float __attribute__((vector_size(16)));
using Bits = std::uint32_t __attribute__((vector_size(16)));

inline V load(const float* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
inline void store(float* to, V v) { __builtin_memcpy(to, &v, sizeof v); }
inline V broadcast(float x) { return V{x, x, x, x}; }
inline V fma(V a, V b, V c) { return a * b + c; }
inline V min(V a, V b) { return a < b ? a : b; }
inline V max(V a, V b) { return a > b ? a : b; }
/// p with the low bits of `shifted` added to its exponent.
inline V add_exponent(V p, V shifted) {
  Bits a, b;
  __builtin_memcpy(&a, &p, sizeof a), __builtin_memcpy(&b, &shifted, sizeof b);
  a += b << 23;
  __builtin_memcpy(&p, &a, sizeof p);
  return p;
}

#include "limber/nn/kernels.inl"

}  // namespace

const Kernels& portable_kernels() { return kKernels; }

}  // namespace limber::nn::infer
