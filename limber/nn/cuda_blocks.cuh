// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "limber/base/cuda_queue.cuh"
#include "limber/nn/inference.h"

/// \file
/// Blocks of inference.h on a GPU, in float: what they compute is what those compute, but for the order of sums. For
/// .cu files. No atomics: the same sizes give the same bits.
///
/// The two that count, products and attention, are built from outer products of 8 x 8 numbers in registers: four loads
/// of four numbers from shared memory for 64 multiplications.
namespace limber::nn::cuda {

// --- tiles ----------------------------------------------------------------------------------------------------------

constexpr int kMicro = 8;  ///< rows and columns that one thread sums
constexpr float kLog2E = 1.44269504f;
constexpr unsigned kAllLanes = 0xffffffffu;

/// Tiles lie in shared memory with one input after the other, each with all its rows. Where in groups of four rows is
/// turned by the input, so that neither who writes (a row after the other) nor who reads (many rows of an input) meets
/// others in a bank.
__device__ __forceinline__ int twist(int input) { return (input >> 2 & 7) << 2; }

/// Eight numbers of an input: four at `first` and four at `second`, as `twist` has them.
__device__ __forceinline__ void read_eight(const float* tile, int first, int second, float (&to)[kMicro]) {
  const float4 a = *reinterpret_cast<const float4*>(tile + first);
  const float4 b = *reinterpret_cast<const float4*>(tile + second);
  to[0] = a.x, to[1] = a.y, to[2] = a.z, to[3] = a.w;
  to[4] = b.x, to[5] = b.y, to[6] = b.z, to[7] = b.w;
}

__device__ __forceinline__ void add_outer(const float (&a)[kMicro], const float (&b)[kMicro],
                                          float (&sums)[kMicro][kMicro]) {
#pragma unroll
  for (int i = 0; i < kMicro; ++i) {
#pragma unroll
    for (int j = 0; j < kMicro; ++j) sums[i][j] = fmaf(a[i], b[j], sums[i][j]);
  }
}

/// Four numbers from `from`, of which `left` are there; others are 0. `whole`: whether it can be read at once.
__device__ __forceinline__ float4 read_four(const float* from, int left, bool whole) {
  if (whole && left >= 4) return *reinterpret_cast<const float4*>(from);
  return float4{left > 0 ? from[0] : 0, left > 1 ? from[1] : 0, left > 2 ? from[2] : 0, left > 3 ? from[3] : 0};
}

/// Four inputs of a row into a tile of `rows` rows.
__device__ __forceinline__ void write_turned(float* tile, int rows, int row, int input, const float4& four) {
  float* to = tile + input * rows + (row ^ twist(input));
  to[0] = four.x, to[rows] = four.y, to[2 * rows] = four.z, to[3 * rows] = four.w;
}

// --- products -------------------------------------------------------------------------------------------------------

/// A linear layer whose weights are on the GPU, inputs first: [inputs, outputs], each rounded up with zeros.
struct Layer {
  int in = 0, out = 0;
  const float *weight = nullptr, *bias = nullptr;  ///< bias: as many as the outputs rounded up
};
constexpr int kTileColumns = 64, kStage = 32;
inline int rounded_up(int count, int multiple) { return (count + multiple - 1) / multiple * multiple; }
inline int rounded_inputs(int in) { return rounded_up(in, kStage); }
inline int rounded_outputs(int out) { return rounded_up(out, kTileColumns); }

/// What becomes of the products.
enum class Then { kStore, kGelu, kSilu, kAdd, kAddGated };

/// Numbers per channel that some rows share: `rows`[group, stride], plus `table`, the same for all groups.
struct GroupedRows {
  const float *rows = nullptr, *table = nullptr;
  int stride = 0;
  const int* group_of = nullptr;  ///< of each row

  __device__ float at(int group, int channel) const { return rows[group * stride + channel] + table[channel]; }
};

struct Product {
  const float* x = nullptr;  ///< [rows, layer.in]
  int rows = 0;
  Layer layer;
  float* y = nullptr;  ///< [rows, layer.out]
  Then then = Then::kStore;
  GroupedRows gate;  ///< of kAddGated, less 1
};

__device__ __forceinline__ float gelu_of(float x) {
  const float inner = fmaf(x * x, 0.044715f, 1.0f);
  return __fdividef(x, 1.0f + exp2f(-1.5957691216f * kLog2E * x * inner));
}
__device__ __forceinline__ float silu_of(float x) { return __fdividef(x, 1.0f + exp2f(-kLog2E * x)); }

constexpr int kProductThreads = 256;

/// Tiles of kRows x 64 outputs. Kept busy by slices: each group of kRows threads sums over its own inputs of a stage.
template <int kRows>
struct ProductTile {
  static constexpr int kSlices = kProductThreads / kRows, kDepth = kStage / kSlices;
  static constexpr int kLoads = kRows / 32;  ///< of four numbers, per thread and stage
  static constexpr int kStageFloats = kStage * (kRows + kTileColumns);
  static constexpr int kSumFloats = kRows * kTileColumns;
  static constexpr int kSums = kSlices / 2;
  static constexpr int kFloats = 2 * kStageFloats > kSums* kSumFloats ? 2 * kStageFloats : kSums* kSumFloats;

  float4 x[kLoads], weight[2];  ///< on their way from memory

  __device__ __forceinline__ void load(const Product& task, int row, int column, int stage) {
    const int t = threadIdx.x, in = task.layer.in, input = stage * kStage + t % 8 * 4;
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int r = row + t / 8 + i * 32;
      x[i] = read_four(task.x + static_cast<std::size_t>(r) * in + input, r < task.rows ? in - input : 0, in % 4 == 0);
    }
    const int outputs = (task.layer.out + kTileColumns - 1) / kTileColumns * kTileColumns;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const std::size_t k = stage * kStage + t / 16 + i * 16;
      weight[i] = *reinterpret_cast<const float4*>(task.layer.weight + k * outputs + column + t % 16 * 4);
    }
  }
  __device__ __forceinline__ void store(float* stage) const {
    const int t = threadIdx.x;
#pragma unroll
    for (int i = 0; i < kLoads; ++i) write_turned(stage, kRows, t / 8 + i * 32, t % 8 * 4, x[i]);
    float4* weights = reinterpret_cast<float4*>(stage + kStage * kRows);
#pragma unroll
    for (int i = 0; i < 2; ++i) weights[t + i * kProductThreads] = weight[i];
  }
  /// What this thread's slice has of a stage.
  static __device__ __forceinline__ void multiply(const float* stage, float (&sums)[kMicro][kMicro]) {
    const int lane = threadIdx.x % kRows, slice = threadIdx.x / kRows, row = lane / 8 * 4, column = lane % 8 * 4;
    const float *xs = stage + slice * kDepth * kRows, *weights = stage + kStage * kRows + slice * kDepth * kTileColumns;
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      const int turn = twist(slice * kDepth + k);
      float a[kMicro], b[kMicro];
      read_eight(xs + k * kRows, row ^ turn, (kRows / 2 + row) ^ turn, a);
      read_eight(weights + k * kTileColumns, column, kTileColumns / 2 + column, b);
      add_outer(a, b, sums);
    }
  }
  /// Sums of the upper half of the slices, then those of the lower half added to them.
  static __device__ __forceinline__ void meet(float* memory, const float (&sums)[kMicro][kMicro], bool upper) {
    const int lane = threadIdx.x % kRows, slice = threadIdx.x / kRows;
    if ((slice >= kSums) != upper) return;
    float* buffer = memory + slice % kSums * kSumFloats;
#pragma unroll
    for (int i = 0; i < kMicro; ++i) {
      const int row = i / 4 * (kRows / 2) + lane / 8 * 4 + i % 4;
#pragma unroll
      for (int j = 0; j < kMicro; j += 4) {
        float4* at = reinterpret_cast<float4*>(buffer + row * kTileColumns + j / 4 * (kTileColumns / 2) + lane % 8 * 4);
        float4 mine{sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]};
        if (!upper) mine = float4{at->x + mine.x, at->y + mine.y, at->z + mine.z, at->w + mine.w};
        *at = mine;
      }
    }
  }
};

/// The end of a product: bias, and what is asked for then.
template <int kRows>
__device__ __forceinline__ void finish_tile(const Product& task, const float* memory, int row, int column) {
  using Tile = ProductTile<kRows>;
  const int c = column + threadIdx.x % kTileColumns;
  if (c >= task.layer.out) return;
  const float bias = task.layer.bias[c];
#pragma unroll 4
  for (int i = 0; i < kRows * kTileColumns / kProductThreads; ++i) {
    const int at = threadIdx.x + i * kProductThreads, r = row + at / kTileColumns;
    if (r >= task.rows) return;
    float value = bias;
#pragma unroll
    for (int s = 0; s < Tile::kSums; ++s) value += memory[s * Tile::kSumFloats + at];
    float* y = task.y + static_cast<std::size_t>(r) * task.layer.out + c;
    if (task.then == Then::kGelu) value = gelu_of(value);
    if (task.then == Then::kSilu) value = silu_of(value);
    if (task.then == Then::kAdd) value += *y;
    if (task.then == Then::kAddGated) value = fmaf(1.0f + task.gate.at(task.gate.group_of[r], c), value, *y);
    *y = value;
  }
}

template <int kRows>
__global__ void __launch_bounds__(kProductThreads, 2) product_kernel(const Product task) {
  using Tile = ProductTile<kRows>;
  __shared__ float4 memory4[Tile::kFloats / 4];
  float* memory = reinterpret_cast<float*>(memory4);
  const int row = blockIdx.y * kRows, column = blockIdx.x * kTileColumns;
  const int stages = (task.layer.in + kStage - 1) / kStage;
  float sums[kMicro][kMicro] = {};
  Tile tile;
  tile.load(task, row, column, 0);
  tile.store(memory);
  __syncthreads();
  for (int s = 0; s < stages; ++s) {
    if (s + 1 < stages) tile.load(task, row, column, s + 1);
    Tile::multiply(memory + s % 2 * Tile::kStageFloats, sums);
    if (s + 1 < stages) tile.store(memory + (s + 1) % 2 * Tile::kStageFloats);
    __syncthreads();
  }
  Tile::meet(memory, sums, true);
  __syncthreads();
  Tile::meet(memory, sums, false);
  __syncthreads();
  finish_tile<kRows>(task, memory, row, column);
}

/// Multiprocessors of an H100 or H200: decides how work is cut, and so speed and last digits, nothing else.
constexpr int kMultiprocessors = 132;

/// Rows of the tiles that a product of this size is cut into: large ones read less, small ones keep all busy.
inline int product_rows(int rows, int out) {
  constexpr std::pair<int, double> kCosts[] = {{32, 1.35}, {64, 1.1}, {128, 1.0}};
  int best = 32;
  double least = 0;
  for (const auto& [height, cost] : kCosts) {
    const int tiles = rounded_up(rows, height) / height * (rounded_outputs(out) / kTileColumns);
    const double waits = tiles <= kMultiprocessors ? 1.25 : 1;  // one block alone has no other to fill its gaps
    const double time = rounded_up(tiles, kMultiprocessors) / kMultiprocessors * height * cost * waits;
    if (least == 0 || time < least) least = time, best = height;
  }
  return best;
}

/// `height`: rows of a tile, 32, 64 or 128; 0: by itself.
inline void multiply(CudaQueue& queue, const char* name, const Product& task, int height = 0) {
  if (height == 0) height = product_rows(task.rows, task.layer.out);
  const dim3 grid(static_cast<unsigned>(rounded_outputs(task.layer.out) / kTileColumns),
                  static_cast<unsigned>(rounded_up(task.rows, height) / height));
  const auto kernel = height == 32 ? product_kernel<32> : height == 64 ? product_kernel<64> : product_kernel<128>;
  queue.launch(name, grid, kProductThreads, kernel, task);
}

// --- attention ------------------------------------------------------------------------------------------------------

constexpr int kAttendSize = 64, kAttendThreads = 64;  ///< queries, keys and most channels of a head at a time

/// softmax(q k^T / sqrt(head)) v for all heads of all sequences. q, k and v lie in rows of `stride` numbers.
struct Attention {
  const float *q = nullptr, *k = nullptr, *v = nullptr;
  int stride = 0, tokens = 0, sequences = 0, heads = 0, head = 0;
  float* y = nullptr;  ///< [sequences * tokens, heads * head]
  /// Keys are shared out among so many blocks; what each sees is in `partial`, [splits, rows, heads * head], and in
  /// `totals`, [splits, rows, heads, 2]: the greatest product and the sum of shares. 1: neither is needed.
  int splits = 1;
  float *partial = nullptr, *totals = nullptr;

  __device__ int rows() const { return sequences * tokens; }
};

/// 64 rows of a head from token `first` on, channels first where `turned`; zeros where there are none.
template <bool kTurned>
__device__ __forceinline__ void load_head(const float* from, const Attention& task, int first, float scale, float* to) {
  const int t = threadIdx.x;
#pragma unroll 8
  for (int i = 0; i < kAttendSize * kAttendSize / 4 / kAttendThreads; ++i) {
    const int row = t / 8 + i / 2 * 8, channel = (t % 8 + i % 2 * 8) * 4;
    const int left = first + row < task.tokens ? task.head - channel : 0;
    float4 four =
        read_four(from + static_cast<std::size_t>(first + row) * task.stride + channel, left, task.head % 4 == 0);
    four = float4{four.x * scale, four.y * scale, four.z * scale, four.w * scale};
    if (kTurned) {
      write_turned(to, kAttendSize, row, channel, four);
    } else {
      *reinterpret_cast<float4*>(to + row * kAttendSize + (channel ^ twist(row))) = four;
    }
  }
}

/// sums += a^T b of two 64 x 64 tiles, each twisted.
__device__ __forceinline__ void add_product(const float* a, const float* b, int row, int column,
                                            float (&sums)[kMicro][kMicro]) {
#pragma unroll 4
  for (int k = 0; k < kAttendSize; ++k) {
    const int turn = twist(k);
    float x[kMicro], y[kMicro];
    read_eight(a + k * kAttendSize, row ^ turn, (kAttendSize / 2 + row) ^ turn, x);
    read_eight(b + k * kAttendSize, column ^ turn, (kAttendSize / 2 + column) ^ turn, y);
    add_outer(x, y, sums);
  }
}

/// The eight threads that have a row between them are neighbours.
__device__ __forceinline__ float most_of_row(float x) {
  for (int lanes = 1; lanes < 8; lanes *= 2) x = fmaxf(x, __shfl_xor_sync(kAllLanes, x, lanes));
  return x;
}
__device__ __forceinline__ float sum_of_row(float x) {
  for (int lanes = 1; lanes < 8; lanes *= 2) x += __shfl_xor_sync(kAllLanes, x, lanes);
  return x;
}

/// Which of the eight rows or columns of a thread's micro tile lies where.
__device__ __forceinline__ int micro_place(int first, int i) { return i / 4 * (kAttendSize / 2) + first + i % 4; }

/// What a thread knows of its eight queries so far.
struct Seen {
  float sums[kMicro][kMicro] = {};
  float most[kMicro], total[kMicro];  ///< the greatest product, in powers of two; the sum of this thread's shares

  /// Products of a tile become shares, and what was seen before is measured by the same greatest one.
  __device__ __forceinline__ void weigh(float (&products)[kMicro][kMicro]) {
#pragma unroll
    for (int i = 0; i < kMicro; ++i) {
      float highest = products[i][0];
#pragma unroll
      for (int j = 1; j < kMicro; ++j) highest = fmaxf(highest, products[i][j]);
      highest = fmaxf(most[i], most_of_row(highest));
      const float before = exp2f(most[i] - highest);
      most[i] = highest, total[i] *= before;
#pragma unroll
      for (int j = 0; j < kMicro; ++j) {
        products[i][j] = exp2f(products[i][j] - highest);
        total[i] += products[i][j], sums[i][j] *= before;
      }
    }
  }
};

constexpr float kLowest = -3e38f;

/// Shares, keys first.
__device__ __forceinline__ void write_shares(const float (&shares)[kMicro][kMicro], int row, int column, float* to) {
#pragma unroll
  for (int j = 0; j < kMicro; ++j) {
    const int key = micro_place(column, j), turn = twist(key);
#pragma unroll
    for (int i = 0; i < kMicro; i += 4) {
      *reinterpret_cast<float4*>(to + key * kAttendSize + (micro_place(row, i) ^ turn)) =
          float4{shares[i][j], shares[i + 1][j], shares[i + 2][j], shares[i + 3][j]};
    }
  }
}

/// To `y`, or where keys are shared out, to this block's part.
__device__ __forceinline__ void write_seen(const Attention& task, const Seen& seen, int first, int split, int sequence,
                                           int head, int row, int column) {
  const bool alone = task.splits == 1;
#pragma unroll
  for (int i = 0; i < kMicro; ++i) {
    const float total = sum_of_row(seen.total[i]);
    const int token = first + micro_place(row, i);
    if (token >= task.tokens) continue;
    const std::size_t r = static_cast<std::size_t>(sequence) * task.tokens + token;
    const std::size_t at = (alone ? 0 : static_cast<std::size_t>(split) * task.rows()) + r;
    float* to = (alone ? task.y : task.partial) + (at * task.heads + head) * task.head;
    const float share = alone ? 1.0f / total : 1.0f;
#pragma unroll
    for (int j = 0; j < kMicro; ++j) {
      const int channel = micro_place(column, j);
      if (channel < task.head) to[channel] = seen.sums[i][j] * share;
    }
    if (alone || column != 0) continue;
    task.totals[2 * (at * task.heads + head)] = seen.most[i];
    task.totals[2 * (at * task.heads + head) + 1] = total;
  }
}

/// 64 queries of a head, some keys after the other (Dao et al. 2022).
static __global__ void __launch_bounds__(kAttendThreads, 4) attend_kernel(const Attention task) {
  __shared__ float4 queries4[kAttendSize * kAttendSize / 4], others4[kAttendSize * kAttendSize / 4],
      shares4[kAttendSize * kAttendSize / 4];
  float *queries = reinterpret_cast<float*>(queries4), *others = reinterpret_cast<float*>(others4),
        *shares = reinterpret_cast<float*>(shares4);
  const int first = blockIdx.x / task.splits * kAttendSize, split = blockIdx.x % task.splits;
  const int sequence = blockIdx.y / task.heads, head = blockIdx.y % task.heads;
  const int row = threadIdx.x / 8 * 4, column = threadIdx.x % 8 * 4;
  const std::size_t begin = static_cast<std::size_t>(sequence) * task.tokens * task.stride + head * task.head;
  load_head<true>(task.q + begin, task, first, kLog2E / sqrtf(static_cast<float>(task.head)), queries);
  Seen seen;
#pragma unroll
  for (int i = 0; i < kMicro; ++i) seen.most[i] = kLowest, seen.total[i] = 0;
  const int tiles = (task.tokens + kAttendSize - 1) / kAttendSize;
  for (int tile = tiles * split / task.splits; tile < tiles * (split + 1) / task.splits; ++tile) {
    load_head<true>(task.k + begin, task, tile * kAttendSize, 1, others);
    __syncthreads();
    float products[kMicro][kMicro] = {};
    add_product(queries, others, row, column, products);
    __syncthreads();
    load_head<false>(task.v + begin, task, tile * kAttendSize, 1, others);
    if ((tile + 1) * kAttendSize > task.tokens) {
#pragma unroll
      for (int j = 0; j < kMicro; ++j) {
        if (tile * kAttendSize + micro_place(column, j) < task.tokens) continue;
#pragma unroll
        for (int i = 0; i < kMicro; ++i) products[i][j] = kLowest;
      }
    }
    seen.weigh(products);
    write_shares(products, row, column, shares);
    __syncthreads();
    add_product(shares, others, row, column, seen.sums);
    __syncthreads();
  }
  write_seen(task, seen, first, split, sequence, head, row, column);
}

/// Joins what blocks saw of different keys: a thread per number.
static __global__ void join_attention(const Attention task) {
  const std::size_t count = static_cast<std::size_t>(task.rows()) * task.heads;
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x, place = i / task.head;
  if (place >= count) return;
  float most = kLowest, total = 0, sum = 0;
  for (int s = 0; s < task.splits; ++s) most = fmaxf(most, task.totals[2 * (s * count + place)]);
  for (int s = 0; s < task.splits; ++s) {
    const float* totals = task.totals + 2 * (s * count + place);
    const float weight = exp2f(totals[0] - most);
    total = fmaf(weight, totals[1], total);
    sum = fmaf(weight, task.partial[s * count * task.head + i], sum);
  }
  task.y[i] = sum / total;
}

/// Into how many parts the keys of so many sequences go, so that all multiprocessors have three blocks.
inline int attention_splits(int tokens, int sequences, int heads) {
  const int tiles = rounded_up(tokens, kAttendSize) / kAttendSize, blocks = tiles * sequences * heads;
  return std::clamp(3 * kMultiprocessors / std::max(blocks, 1), 1, std::min(tiles, 6));
}

inline void attend(CudaQueue& queue, const Attention& task) {
  const int tiles = rounded_up(task.tokens, kAttendSize) / kAttendSize;
  queue.launch("attention",
               dim3(static_cast<unsigned>(tiles * task.splits), static_cast<unsigned>(task.sequences * task.heads)),
               kAttendThreads, attend_kernel, task);
  if (task.splits == 1) return;
  const auto numbers = static_cast<std::size_t>(task.sequences) * static_cast<std::size_t>(task.tokens) *
                       static_cast<std::size_t>(task.heads * task.head);
  queue.launch_each("attention joined", numbers, join_attention, task);
}

// --- norms ----------------------------------------------------------------------------------------------------------

constexpr int kWarp = 32;

__device__ __forceinline__ float sum_of_warp(float x) {
  for (int lanes = 1; lanes < kWarp; lanes *= 2) x += __shfl_xor_sync(kAllLanes, x, lanes);
  return x;
}

/// What takes `width` numbers to mean 0 and variance 1; a warp works on them.
struct Moments {
  float mean, inverse;
};
__device__ __forceinline__ Moments moments_of(const float* x, int width, float eps) {
  const int lane = threadIdx.x % kWarp;
  float sum = 0, squares = 0;
  for (int c = lane; c < width; c += kWarp) sum += x[c];
  const float mean = sum_of_warp(sum) / static_cast<float>(width);
  for (int c = lane; c < width; c += kWarp) squares = fmaf(x[c] - mean, x[c] - mean, squares);
  return {mean, 1.0f / sqrtf(sum_of_warp(squares) / static_cast<float>(width) + eps)};
}

/// y = (1 + scale) norm(x) + shift, a warp per row; null rows of `scale`: y = norm(x).
static __global__ void norm_rows(const float* x, int rows, int width, float eps, const GroupedRows scale,
                                 const GroupedRows shift, float* y) {
  const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / kWarp);
  if (row >= rows) return;
  const float* from = x + static_cast<std::size_t>(row) * width;
  float* to = y + static_cast<std::size_t>(row) * width;
  const Moments moments = moments_of(from, width, eps);
  const int group = scale.rows != nullptr ? scale.group_of[row] : 0;
  for (int c = threadIdx.x % kWarp; c < width; c += kWarp) {
    const float unit = (from[c] - moments.mean) * moments.inverse;
    to[c] = scale.rows != nullptr ? fmaf(unit, 1.0f + scale.at(group, c), shift.at(group, c)) : unit;
  }
}

/// Norms of the heads of q and k, which are the first two thirds of a row, in place.
struct HeadNorms {
  float* x = nullptr;  ///< [rows, 3 * heads * head]
  int rows = 0, heads = 0, head = 0;
  float eps = 0;
  const float *q_weight = nullptr, *q_bias = nullptr, *k_weight = nullptr, *k_bias = nullptr;  ///< [head]
};
static __global__ void norm_each_head(const HeadNorms task) {
  const int which = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / kWarp), both = 2 * task.heads;
  if (which / both >= task.rows) return;
  float* x = task.x + static_cast<std::size_t>(which / both) * 3 * task.heads * task.head + which % both * task.head;
  const bool is_query = which % both < task.heads;
  const float *weight = is_query ? task.q_weight : task.k_weight, *bias = is_query ? task.q_bias : task.k_bias;
  const Moments moments = moments_of(x, task.head, task.eps);
  for (int c = threadIdx.x % kWarp; c < task.head; c += kWarp)
    x[c] = fmaf((x[c] - moments.mean) * moments.inverse, weight[c], bias[c]);
}

/// A thread per number of the weight, which is [out, in], to `Layer`'s order.
static __global__ void pack_weight(const float* from, int in, int out, float* to) {
  const int outputs = (out + kTileColumns - 1) / kTileColumns * kTileColumns;
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int input = static_cast<int>(i / outputs), output = static_cast<int>(i % outputs);
  if (input >= (in + kStage - 1) / kStage * kStage) return;
  to[i] = input < in && output < out ? from[static_cast<std::size_t>(output) * in + input] : 0.0f;
}

}  // namespace limber::nn::cuda
