// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#include <algorithm>
#include <type_traits>

#include "limber/nn/fused_kernels.h"

namespace limber::nn::cuda {
namespace {

constexpr int kWarp = 32;
constexpr int kWarps = 16;  // of a block that sums over the tokens of a group

/// Two neighbouring channels.
struct Pair {
  float a, b;
};

__device__ Pair load_pair(const Bf16* x, std::int64_t pair) {
  const unsigned bits = reinterpret_cast<const unsigned*>(x)[pair];
  return {to_float(static_cast<Bf16>(bits & 0xffff)), to_float(static_cast<Bf16>(bits >> 16))};
}

__device__ void store_pair(Bf16* x, std::int64_t pair, Pair value) {
  reinterpret_cast<unsigned*>(x)[pair] = to_bf16(value.a) | static_cast<unsigned>(to_bf16(value.b)) << 16;
}

/// Over `Lanes` that follow each other.
template <int Lanes>
__device__ float lane_sum(float value) {
  for (int offset = Lanes / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffff, value, offset);
  return value;
}

/// A row of N pairs per lane: pair k of a lane is number k * 32 + lane. What is normalised are the pairs of `Lanes`
/// lanes: with half of a warp, two heads side by side.
template <int N, int Lanes = kWarp>
struct Row {
  static constexpr float kCount = 2.0f * N * Lanes;
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
    return lane_sum<Lanes>(total);
  }
  /// Subtracts the mean and divides by the deviation, which is returned inverted.
  __device__ float normalise(float eps) {
    const float mean = sum() / kCount;
    float squares = 0;
    for (int k = 0; k < N; ++k) {
      at[k].a -= mean, at[k].b -= mean;
      squares += at[k].a * at[k].a + at[k].b * at[k].b;
    }
    const float inverse = rsqrtf(lane_sum<Lanes>(squares) / kCount + eps);
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
    sum = lane_sum<Lanes>(sum) / kCount, product = lane_sum<Lanes>(product) / kCount;
    for (int k = 0; k < N; ++k) {
      at[k].a = inverse * (at[k].a - sum - normal.at[k].a * product);
      at[k].b = inverse * (at[k].b - sum - normal.at[k].b * product);
    }
  }
};

/// Sums of the block's warps, in their order, to `out` [width].
template <int N, int Lanes>
__device__ void sum_warps(const Row<N, Lanes>& sums, float* out, int warp, int lane) {
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
__device__ std::int64_t group_of(unsigned row, const ModulatedRows& rows) {
  const unsigned sample = row / static_cast<unsigned>(rows.tokens), token = row % static_cast<unsigned>(rows.tokens);
  const auto groups = static_cast<unsigned>(rows.groups);
  return sample * std::int64_t{rows.groups} + token / static_cast<unsigned>(rows.run) % groups;
}

/// The row of member number `member` of a group, which counts on from sample to sample.
__device__ std::int64_t row_of(int group, int member, const ModulatedRows& rows) {
  const int round = member / rows.run, within = member % rows.run;
  const int token = (round * rows.groups + group % rows.groups) * rows.run + within;
  return group / rows.groups * std::int64_t{rows.tokens} + token;
}

template <int N>
__global__ void norm_modulate_kernel(const Bf16* x, const Bf16* shift, const Bf16* scale, ModulatedRows rows, float eps,
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

/// The members of a group that a block sums over: blockIdx.y says which piece of them.
struct Piece {
  int first, last;

  __device__ explicit Piece(const ModulatedRows& rows) {
    const auto members = static_cast<unsigned>(rows.tokens / rows.groups);
    first = static_cast<int>(members * blockIdx.y / gridDim.y);
    last = static_cast<int>(members * (blockIdx.y + 1) / gridDim.y);
  }
};

/// Where the sums of this block go in [pieces, batch x groups, width].
__device__ std::int64_t piece_sums(int width) { return (blockIdx.y * std::int64_t{gridDim.x} + blockIdx.x) * width; }

/// One block for a piece of each group: it sums over tokens that share a modulation.
template <int N>
__global__ void norm_modulate_backward_kernel(const Bf16* x, const Bf16* scale, const Bf16* grad_y, ModulatedRows rows,
                                              float eps, Bf16* grad_x, float* partial) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp, warp = static_cast<int>(threadIdx.x) / kWarp;
  const int group = static_cast<int>(blockIdx.x);
  const Piece piece(rows);
  Row<N> times, shift_sum{}, scale_sum{};
  times.load(scale, group, lane);
  for (int member = piece.first + warp; member < piece.last; member += kWarps) {
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
  sum_warps(shift_sum, partial + piece_sums(2 * N * kWarp), warp, lane);
  const std::int64_t all = std::int64_t{gridDim.x} * gridDim.y * (2 * N * kWarp);
  sum_warps(scale_sum, partial + all + piece_sums(2 * N * kWarp), warp, lane);
}

template <int N>
__global__ void gated_add_kernel(const Bf16* x, const Bf16* u, const Bf16* gate, ModulatedRows rows, Bf16* y) {
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
__global__ void gated_add_backward_kernel(const Bf16* u, const Bf16* gate, const Bf16* grad_y, ModulatedRows rows,
                                          Bf16* grad_u, float* partial) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp, warp = static_cast<int>(threadIdx.x) / kWarp;
  const int group = static_cast<int>(blockIdx.x);
  const Piece piece(rows);
  Row<N> times, gate_sum{};
  times.load(gate, group, lane);
  for (int member = piece.first + warp; member < piece.last; member += kWarps) {
    const std::int64_t row = row_of(group, member, rows);
    Row<N> value, gradient;
    value.load(u, row, lane), gradient.load(grad_y, row, lane);
    for (int k = 0; k < N; ++k) {
      gate_sum.at[k].a += gradient.at[k].a * value.at[k].a, gate_sum.at[k].b += gradient.at[k].b * value.at[k].b;
      gradient.at[k].a *= 1 + times.at[k].a, gradient.at[k].b *= 1 + times.at[k].b;
    }
    gradient.store(grad_u, row, lane);
  }
  sum_warps(gate_sum, partial + piece_sums(2 * N * kWarp), warp, lane);
}

/// Of queries, keys or values.
template <class Heads>
__device__ auto* heads_of(const Heads& heads, int kind) {
  return kind == 0 ? heads.queries : (kind == 1 ? heads.keys : heads.values);
}

/// blockIdx.y: which of the 3 x chunks groups of 64 channels. A warp walks down the rows.
template <int Channels>
__global__ void norm_heads_kernel(const Bf16* x, const float* weights, std::int64_t rows, int chunks, float eps,
                                  HeadsOut y) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp, group = static_cast<int>(blockIdx.y), kind = group / chunks;
  const int warps = static_cast<int>(blockDim.x) / kWarp;
  Bf16* out = heads_of(y, kind);
  Pair weight{1, 1}, bias{0, 0};
  if (kind < 2) {
    const float* w = weights + 2 * Channels * kind + 2 * lane % Channels;
    weight = {w[0], w[1]}, bias = {w[Channels], w[Channels + 1]};
  }
  for (std::int64_t row = blockIdx.x * std::int64_t{warps} + threadIdx.x / kWarp; row < rows;
       row += std::int64_t{gridDim.x} * warps) {
    Row<1, Channels / 2> value;
    value.load(x, row * (3 * chunks) + group, lane);
    if (kind < 2) {
      value.normalise(eps);
      value.at[0] = {value.at[0].a * weight.a + bias.a, value.at[0].b * weight.b + bias.b};
    }
    value.store(out, row * chunks + group % chunks, lane);
  }
}

template <int Channels>
__global__ void norm_heads_backward_kernel(const Bf16* x, const float* weights, HeadsIn grad_y, std::int64_t rows,
                                           int chunks, float eps, Bf16* grad_x, float* partial) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp, warp = static_cast<int>(threadIdx.x) / kWarp;
  const int group = static_cast<int>(blockIdx.y), kind = group / chunks;
  const Bf16* incoming = heads_of(grad_y, kind);
  Pair weight{1, 1};
  if (kind < 2) {
    const float* w = weights + 2 * Channels * kind + 2 * lane % Channels;
    weight = {w[0], w[1]};
  }
  Row<1, Channels / 2> weight_sum{}, bias_sum{};
  for (std::int64_t row = blockIdx.x * std::int64_t{kWarps} + warp; row < rows;
       row += std::int64_t{gridDim.x} * kWarps) {
    const std::int64_t at = row * (3 * chunks) + group;
    Row<1, Channels / 2> gradient;
    gradient.load(incoming, row * chunks + group % chunks, lane);
    if (kind < 2) {
      Row<1, Channels / 2> normal;
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
  float* out = partial + (std::int64_t{blockIdx.x} * 2 * chunks + group) * 128;
  sum_warps(weight_sum, out, warp, lane);
  sum_warps(bias_sum, out + 64, warp, lane);
}

/// Runs `kernel` in `grid` blocks of `threads`.
template <class... P, class... A>
void launch(dim3 grid, int threads, void* stream, void (*kernel)(P...), const A&... arguments) {
  kernel<<<grid, static_cast<unsigned>(threads), 0, static_cast<cudaStream_t>(stream)>>>(arguments...);
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
dim3 row_blocks(const ModulatedRows& rows) {
  constexpr std::int64_t kPerBlock = kRowThreads / kWarp;
  return dim3(static_cast<unsigned>((std::int64_t{rows.batch} * rows.tokens + kPerBlock - 1) / kPerBlock));
}
dim3 group_blocks(const ModulatedRows& rows) {
  return dim3(static_cast<unsigned>(rows.batch * rows.groups), static_cast<unsigned>(piece_count(rows)));
}
dim3 head_blocks(const HeadRows& rows) { return dim3(kHeadBlocks, static_cast<unsigned>(3 * rows.chunks())); }

}  // namespace

bool supported_width(int width) { return width > 0 && width % 64 == 0 && width <= 512; }

bool supported_heads(int heads, int channels) {
  return heads > 0 && (channels == 32 || channels == 64) && heads * channels % 64 == 0;
}

int piece_count(const ModulatedRows& rows) {
  // Eight blocks for each of the 132 processors of an H200, and eight rows at least for each of their warps.
  constexpr int kBlocks = 1056, kLeast = 8 * kWarps;
  const int groups = rows.batch * rows.groups, members = rows.tokens / rows.groups;
  return std::max(1, std::min((kBlocks + groups - 1) / std::max(groups, 1), members / kLeast));
}

void norm_modulate(const Bf16* x, const Bf16* shift, const Bf16* scale, const ModulatedRows& rows, double eps, Bf16* y,
                   void* stream) {
  with_pairs(rows.width, [&](auto pairs) {
    launch(row_blocks(rows), kRowThreads, stream, norm_modulate_kernel<decltype(pairs)::value>, x, shift, scale, rows,
           static_cast<float>(eps), y);
  });
}

void norm_modulate_backward(const Bf16* x, const Bf16* scale, const Bf16* grad_y, const ModulatedRows& rows, double eps,
                            Bf16* grad_x, float* partial, void* stream) {
  with_pairs(rows.width, [&](auto pairs) {
    launch(group_blocks(rows), kWarps * kWarp, stream, norm_modulate_backward_kernel<decltype(pairs)::value>, x, scale,
           grad_y, rows, static_cast<float>(eps), grad_x, partial);
  });
}

void gated_add(const Bf16* x, const Bf16* u, const Bf16* gate, const ModulatedRows& rows, Bf16* y, void* stream) {
  with_pairs(rows.width, [&](auto pairs) {
    launch(row_blocks(rows), kRowThreads, stream, gated_add_kernel<decltype(pairs)::value>, x, u, gate, rows, y);
  });
}

void gated_add_backward(const Bf16* u, const Bf16* gate, const Bf16* grad_y, const ModulatedRows& rows, Bf16* grad_u,
                        float* partial, void* stream) {
  with_pairs(rows.width, [&](auto pairs) {
    launch(group_blocks(rows), kWarps * kWarp, stream, gated_add_backward_kernel<decltype(pairs)::value>, u, gate,
           grad_y, rows, grad_u, partial);
  });
}

void norm_heads(const Bf16* x, const float* weights, const HeadRows& rows, double eps, const HeadsOut& y,
                void* stream) {
  launch(head_blocks(rows), kRowThreads, stream, rows.channels == 32 ? norm_heads_kernel<32> : norm_heads_kernel<64>, x,
         weights, rows.rows, rows.chunks(), static_cast<float>(eps), y);
}

void norm_heads_backward(const Bf16* x, const float* weights, const HeadsIn& grad_y, const HeadRows& rows, double eps,
                         Bf16* grad_x, float* partial, void* stream) {
  launch(head_blocks(rows), kWarps * kWarp, stream,
         rows.channels == 32 ? norm_heads_backward_kernel<32> : norm_heads_backward_kernel<64>, x, weights, grad_y,
         rows.rows, rows.chunks(), static_cast<float>(eps), grad_x, partial);
}

}  // namespace limber::nn::cuda
