// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#include <type_traits>

#include "limber/prior/part_kernels.h"

namespace limber::prior::cuda {
namespace {

constexpr int kWarp = 32;
constexpr int kWarps = 16;  // of a block that sums over the tokens of a group

__device__ float part_float(unsigned bits) { return __uint_as_float(bits << 16); }

__device__ unsigned part_bits(float value) {
  const unsigned bits = __float_as_uint(value);
  if (value != value) return (bits >> 16) | 0x40;
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

/// Two neighbouring channels.
struct Pair {
  float a, b;
};

__device__ Pair load_pair(const Bf16* x, std::int64_t pair) {
  const unsigned bits = reinterpret_cast<const unsigned*>(x)[pair];
  return {part_float(bits & 0xffff), part_float(bits >> 16)};
}

__device__ void store_pair(Bf16* x, std::int64_t pair, Pair value) {
  reinterpret_cast<unsigned*>(x)[pair] = part_bits(value.a) | (part_bits(value.b) << 16);
}

__device__ float warp_sum(float value) {
  for (int offset = kWarp / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffff, value, offset);
  return value;
}

/// A row of N pairs per lane: pair k of a lane is number k * 32 + lane.
template <int N>
struct Row {
  Pair at[N];

  __device__ void load(const Bf16* x, std::int64_t row, int lane) {
    for (int k = 0; k < N; ++k) at[k] = load_pair(x, row * (N * kWarp) + k * kWarp + lane);
  }
  __device__ void store(Bf16* x, std::int64_t row, int lane) const {
    for (int k = 0; k < N; ++k) store_pair(x, row * (N * kWarp) + k * kWarp + lane, at[k]);
  }
  __device__ float sum() const {
    float total = 0;
    for (int k = 0; k < N; ++k) total += at[k].a + at[k].b;
    return warp_sum(total);
  }
  /// Subtracts the mean and divides by the deviation, which is returned inverted.
  __device__ float normalise(float eps) {
    const float count = 2.0f * N * kWarp, mean = sum() / count;
    float squares = 0;
    for (int k = 0; k < N; ++k) {
      at[k].a -= mean, at[k].b -= mean;
      squares += at[k].a * at[k].a + at[k].b * at[k].b;
    }
    const float inverse = rsqrtf(warp_sum(squares) / count + eps);
    for (int k = 0; k < N; ++k) at[k].a *= inverse, at[k].b *= inverse;
    return inverse;
  }
  /// From the gradient on what `normalise` made (this) to that on its input.
  __device__ void through_norm(const Row& normal, float inverse) {
    float sum = 0, product = 0;
    for (int k = 0; k < N; ++k) {
      sum += at[k].a + at[k].b;
      product += at[k].a * normal.at[k].a + at[k].b * normal.at[k].b;
    }
    const float count = 2.0f * N * kWarp;
    sum = warp_sum(sum) / count, product = warp_sum(product) / count;
    for (int k = 0; k < N; ++k) {
      at[k].a = inverse * (at[k].a - sum - normal.at[k].a * product);
      at[k].b = inverse * (at[k].b - sum - normal.at[k].b * product);
    }
  }
};

/// Sums of the block's warps, in their order, to `out` [width].
template <int N>
__device__ void sum_warps(const Row<N>& sums, float* out, int warp, int lane) {
  __shared__ float shared[kWarps][2 * N * kWarp];
  for (int k = 0; k < N; ++k) {
    shared[warp][2 * (k * kWarp + lane)] = sums.at[k].a;
    shared[warp][2 * (k * kWarp + lane) + 1] = sums.at[k].b;
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < 2 * N * kWarp; i += kWarps * kWarp) {
    float total = 0;
    for (int w = 0; w < kWarps; ++w) total += shared[w][i];
    out[i] = total;
  }
  __syncthreads();
}

/// The modulation of a row. Rows are counted in 32 bits: divisions of 64 cost more than all else here.
__device__ std::int64_t group_of(unsigned row, const PartRows& rows) {
  const unsigned sample = row / static_cast<unsigned>(rows.tokens), token = row % static_cast<unsigned>(rows.tokens);
  const auto groups = static_cast<unsigned>(rows.groups);
  return sample * std::int64_t{rows.groups} + token / static_cast<unsigned>(rows.run) % groups;
}

/// The row of member number `member` of a group, which counts on from sample to sample.
__device__ std::int64_t row_of(int group, int member, const PartRows& rows) {
  const int round = member / rows.run, within = member % rows.run;
  const int token = (round * rows.groups + group % rows.groups) * rows.run + within;
  return group / rows.groups * std::int64_t{rows.tokens} + token;
}

template <int N>
__global__ void norm_modulate_kernel(const Bf16* x, const Bf16* shift, const Bf16* scale, PartRows rows, float eps,
                                     Bf16* y) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const unsigned row = blockIdx.x * (blockDim.x / kWarp) + threadIdx.x / kWarp;
  if (row >= static_cast<unsigned>(rows.batch) * static_cast<unsigned>(rows.tokens)) return;
  const std::int64_t group = group_of(row, rows);
  Row<N> value, add, times;
  value.load(x, row, lane), add.load(shift, group, lane), times.load(scale, group, lane);
  value.normalise(eps);
  for (int k = 0; k < N; ++k) {
    value.at[k].a = value.at[k].a * (1 + times.at[k].a) + add.at[k].a;
    value.at[k].b = value.at[k].b * (1 + times.at[k].b) + add.at[k].b;
  }
  value.store(y, row, lane);
}

/// One block per group: it sums over the tokens that share a modulation.
template <int N>
__global__ void norm_modulate_backward_kernel(const Bf16* x, const Bf16* scale, const Bf16* grad_y, PartRows rows,
                                              float eps, Bf16* grad_x, float* grad_shift, float* grad_scale) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp, warp = static_cast<int>(threadIdx.x) / kWarp;
  const int group = static_cast<int>(blockIdx.x), members = rows.tokens / rows.groups;
  Row<N> times, shift_sum{}, scale_sum{};
  times.load(scale, group, lane);
  for (int member = warp; member < members; member += kWarps) {
    const std::int64_t row = row_of(group, member, rows);
    Row<N> normal, gradient;
    normal.load(x, row, lane), gradient.load(grad_y, row, lane);
    const float inverse = normal.normalise(eps);
    for (int k = 0; k < N; ++k) {
      shift_sum.at[k].a += gradient.at[k].a, shift_sum.at[k].b += gradient.at[k].b;
      scale_sum.at[k].a += gradient.at[k].a * normal.at[k].a, scale_sum.at[k].b += gradient.at[k].b * normal.at[k].b;
      gradient.at[k].a *= 1 + times.at[k].a, gradient.at[k].b *= 1 + times.at[k].b;
    }
    gradient.through_norm(normal, inverse);
    gradient.store(grad_x, row, lane);
  }
  sum_warps<N>(shift_sum, grad_shift + std::int64_t{group} * (2 * N * kWarp), warp, lane);
  sum_warps<N>(scale_sum, grad_scale + std::int64_t{group} * (2 * N * kWarp), warp, lane);
}

template <int N>
__global__ void gated_add_kernel(const Bf16* x, const Bf16* u, const Bf16* gate, PartRows rows, Bf16* y) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const unsigned row = blockIdx.x * (blockDim.x / kWarp) + threadIdx.x / kWarp;
  if (row >= static_cast<unsigned>(rows.batch) * static_cast<unsigned>(rows.tokens)) return;
  Row<N> value, add, times;
  value.load(x, row, lane), add.load(u, row, lane), times.load(gate, group_of(row, rows), lane);
  for (int k = 0; k < N; ++k) {
    value.at[k].a += (1 + times.at[k].a) * add.at[k].a, value.at[k].b += (1 + times.at[k].b) * add.at[k].b;
  }
  value.store(y, row, lane);
}

template <int N>
__global__ void gated_add_backward_kernel(const Bf16* u, const Bf16* gate, const Bf16* grad_y, PartRows rows,
                                          Bf16* grad_u, float* grad_gate) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp, warp = static_cast<int>(threadIdx.x) / kWarp;
  const int group = static_cast<int>(blockIdx.x), members = rows.tokens / rows.groups;
  Row<N> times, gate_sum{};
  times.load(gate, group, lane);
  for (int member = warp; member < members; member += kWarps) {
    const std::int64_t row = row_of(group, member, rows);
    Row<N> value, gradient;
    value.load(u, row, lane), gradient.load(grad_y, row, lane);
    for (int k = 0; k < N; ++k) {
      gate_sum.at[k].a += gradient.at[k].a * value.at[k].a, gate_sum.at[k].b += gradient.at[k].b * value.at[k].b;
      gradient.at[k].a *= 1 + times.at[k].a, gradient.at[k].b *= 1 + times.at[k].b;
    }
    gradient.store(grad_u, row, lane);
  }
  sum_warps<N>(gate_sum, grad_gate + std::int64_t{group} * (2 * N * kWarp), warp, lane);
}

/// blockIdx.y: which of the 3 x heads groups of 64 channels. A warp walks down the rows.
__global__ void norm_heads_kernel(const Bf16* x, const float* weights, std::int64_t rows, int heads, float eps,
                                  Bf16* y) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp, group = static_cast<int>(blockIdx.y), kind = group / heads;
  const int warps = static_cast<int>(blockDim.x) / kWarp;
  Pair weight{1, 1}, bias{0, 0};
  if (kind < 2) {
    const float* w = weights + 128 * kind + 2 * lane;
    weight = {w[0], w[1]}, bias = {w[64], w[65]};
  }
  for (std::int64_t row = blockIdx.x * std::int64_t{warps} + threadIdx.x / kWarp; row < rows;
       row += std::int64_t{gridDim.x} * warps) {
    Row<1> value;
    value.load(x, row * (3 * heads) + group, lane);
    if (kind < 2) {
      value.normalise(eps);
      value.at[0] = {value.at[0].a * weight.a + bias.a, value.at[0].b * weight.b + bias.b};
    }
    value.store(y, row * (3 * heads) + group, lane);
  }
}

__global__ void norm_heads_backward_kernel(const Bf16* x, const float* weights, const Bf16* grad_y, std::int64_t rows,
                                           int heads, float eps, Bf16* grad_x, float* partial) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp, warp = static_cast<int>(threadIdx.x) / kWarp;
  const int group = static_cast<int>(blockIdx.y), kind = group / heads;
  Pair weight{1, 1};
  if (kind < 2) weight = {weights[128 * kind + 2 * lane], weights[128 * kind + 2 * lane + 1]};
  Row<1> weight_sum{}, bias_sum{};
  for (std::int64_t row = blockIdx.x * std::int64_t{kWarps} + warp; row < rows;
       row += std::int64_t{gridDim.x} * kWarps) {
    const std::int64_t at = row * (3 * heads) + group;
    Row<1> gradient;
    gradient.load(grad_y, at, lane);
    if (kind < 2) {
      Row<1> normal;
      normal.load(x, at, lane);
      const float inverse = normal.normalise(eps);
      weight_sum.at[0].a += gradient.at[0].a * normal.at[0].a, weight_sum.at[0].b += gradient.at[0].b * normal.at[0].b;
      bias_sum.at[0].a += gradient.at[0].a, bias_sum.at[0].b += gradient.at[0].b;
      gradient.at[0].a *= weight.a, gradient.at[0].b *= weight.b;
      gradient.through_norm(normal, inverse);
    }
    gradient.store(grad_x, at, lane);
  }
  if (kind == 2) return;  // the whole block: values are only copied
  float* out = partial + (std::int64_t{blockIdx.x} * 2 * heads + group) * 128;
  sum_warps<1>(weight_sum, out, warp, lane);
  sum_warps<1>(bias_sum, out + 64, warp, lane);
}

/// Calls `function` with the number of pairs per lane as a constant.
template <class Function>
void with_pairs(int width, Function function) {
  switch (width / (2 * kWarp)) {
    case 1:
      return function(std::integral_constant<int, 1>());
    case 2:
      return function(std::integral_constant<int, 2>());
    case 3:
      return function(std::integral_constant<int, 3>());
    case 4:
      return function(std::integral_constant<int, 4>());
    case 5:
      return function(std::integral_constant<int, 5>());
    case 6:
      return function(std::integral_constant<int, 6>());
    case 7:
      return function(std::integral_constant<int, 7>());
    default:
      return function(std::integral_constant<int, 8>());
  }
}

constexpr int kRowThreads = 256;
unsigned row_blocks(const PartRows& rows) {
  constexpr std::int64_t kPerBlock = kRowThreads / kWarp;
  return static_cast<unsigned>((std::int64_t{rows.batch} * rows.tokens + kPerBlock - 1) / kPerBlock);
}
unsigned group_blocks(const PartRows& rows) { return static_cast<unsigned>(rows.batch * rows.groups); }

}  // namespace

bool supported_width(int width) { return width > 0 && width % 64 == 0 && width <= 512; }

void norm_modulate(const Bf16* x, const Bf16* shift, const Bf16* scale, const PartRows& rows, double eps, Bf16* y,
                   void* stream) {
  with_pairs(rows.width, [&](auto pairs) {
    norm_modulate_kernel<decltype(pairs)::value>
        <<<row_blocks(rows), kRowThreads, 0, static_cast<cudaStream_t>(stream)>>>(x, shift, scale, rows,
                                                                                  static_cast<float>(eps), y);
  });
}

void norm_modulate_backward(const Bf16* x, const Bf16* scale, const Bf16* grad_y, const PartRows& rows, double eps,
                            Bf16* grad_x, float* grad_shift, float* grad_scale, void* stream) {
  with_pairs(rows.width, [&](auto pairs) {
    norm_modulate_backward_kernel<decltype(pairs)::value>
        <<<group_blocks(rows), kWarps * kWarp, 0, static_cast<cudaStream_t>(stream)>>>(
            x, scale, grad_y, rows, static_cast<float>(eps), grad_x, grad_shift, grad_scale);
  });
}

void gated_add(const Bf16* x, const Bf16* u, const Bf16* gate, const PartRows& rows, Bf16* y, void* stream) {
  with_pairs(rows.width, [&](auto pairs) {
    gated_add_kernel<decltype(pairs)::value>
        <<<row_blocks(rows), kRowThreads, 0, static_cast<cudaStream_t>(stream)>>>(x, u, gate, rows, y);
  });
}

void gated_add_backward(const Bf16* u, const Bf16* gate, const Bf16* grad_y, const PartRows& rows, Bf16* grad_u,
                        float* grad_gate, void* stream) {
  with_pairs(rows.width, [&](auto pairs) {
    gated_add_backward_kernel<decltype(pairs)::value>
        <<<group_blocks(rows), kWarps * kWarp, 0, static_cast<cudaStream_t>(stream)>>>(u, gate, grad_y, rows, grad_u,
                                                                                       grad_gate);
  });
}

void norm_heads(const Bf16* x, const float* weights, std::int64_t rows, int heads, double eps, Bf16* y, void* stream) {
  const dim3 grid(kHeadBlocks, static_cast<unsigned>(3 * heads));
  norm_heads_kernel<<<grid, kRowThreads, 0, static_cast<cudaStream_t>(stream)>>>(x, weights, rows, heads,
                                                                                 static_cast<float>(eps), y);
}

void norm_heads_backward(const Bf16* x, const float* weights, const Bf16* grad_y, std::int64_t rows, int heads,
                         double eps, Bf16* grad_x, float* partial, void* stream) {
  const dim3 grid(kHeadBlocks, static_cast<unsigned>(3 * heads));
  norm_heads_backward_kernel<<<grid, kWarps * kWarp, 0, static_cast<cudaStream_t>(stream)>>>(
      x, weights, grad_y, rows, heads, static_cast<float>(eps), grad_x, partial);
}

}  // namespace limber::prior::cuda
