// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0

// The raster kernels in the compiler's own vectors of four floats: SSE2 on x86-64, NEON on ARM.
#include <cstdint>

#include "limber/splat/raster_kernels.h"

namespace limber::splat {
namespace {

constexpr int kLanes = 4;
using F = float __attribute__((vector_size(16)));
using M = std::int32_t __attribute__((vector_size(16)));

inline M bits(F a) {
  M result;
  __builtin_memcpy(&result, &a, sizeof a);
  return result;
}
inline F from_bits(M a) {
  F result;
  __builtin_memcpy(&result, &a, sizeof a);
  return result;
}
inline F broadcast(float x) { return F{x, x, x, x}; }
inline F iota() { return F{0, 1, 2, 3}; }
inline F load(const float* from) {
  F v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
inline void store(float* to, F v) { __builtin_memcpy(to, &v, sizeof v); }
inline void store_as_int(int* to, F v) {
  const M whole = __builtin_convertvector(v, M);
  __builtin_memcpy(to, &whole, sizeof whole);
}
inline F truncate(F v) { return __builtin_convertvector(__builtin_convertvector(v, M), F); }
inline void fill(std::uint32_t* to, std::uint32_t value) {
  for (int i = 0; i < kLanes; ++i) to[i] = value;
}
inline F fma(F a, F b, F c) { return a * b + c; }
inline F min(F a, F b) { return a < b ? a : b; }
inline F max(F a, F b) { return a > b ? a : b; }
inline F sqrt(F a) {
  return F{__builtin_sqrtf(a[0]), __builtin_sqrtf(a[1]), __builtin_sqrtf(a[2]), __builtin_sqrtf(a[3])};
}
/// p with the low bits of `shifted` added to its exponent.
inline F add_exponent(F p, F shifted) { return from_bits(bits(p) + (bits(shifted) << 23)); }
inline M above(F a, F b) { return a > b; }
inline M at_least(F a, F b) { return a >= b; }
inline bool any_open(F t) {
  std::uint64_t signs[2];
  __builtin_memcpy(signs, &t, sizeof t);
  return (signs[0] & signs[1] & 0x8000000080000000u) != 0x8000000080000000u;
}
inline bool any(M mask) {
  std::uint64_t words[2];
  __builtin_memcpy(words, &mask, sizeof mask);
  return (words[0] | words[1]) != 0;
}
inline M both(M a, M b) { return a & b; }
inline F keep(M mask, F a) { return from_bits(mask & bits(a)); }
inline F select(M mask, F a, F b) { return from_bits((mask & bits(a)) | (~mask & bits(b))); }
inline F negative_where(M mask, F a) { return from_bits(bits(a) | (mask & bits(broadcast(-0.0f)))); }
/// The sums of four vectors.
inline void sum_lanes(const F* v, float* out) {
  for (int i = 0; i < 4; ++i) out[i] = (v[i][0] + v[i][2]) + (v[i][1] + v[i][3]);
}

using D = double __attribute__((vector_size(32)));
using DMask = std::int64_t __attribute__((vector_size(32)));
inline D fma(D a, D b, D c) { return a * b + c; }
inline D sqrt(D a) { return D{__builtin_sqrt(a[0]), __builtin_sqrt(a[1]), __builtin_sqrt(a[2]), __builtin_sqrt(a[3])}; }

#include "limber/splat/tile_kernels.inl"
//
#include "limber/splat/project_kernels.inl"

}  // namespace

const RasterKernels& portable_raster_kernels() { return kKernels; }

}  // namespace limber::splat
