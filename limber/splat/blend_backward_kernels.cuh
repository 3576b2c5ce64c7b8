// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "limber/base/cuda_queue.cuh"
#include "limber/splat/blend_kernels.cuh"

// The backward pass of blending: see blend_kernels.cuh.
namespace limber::splat {

/// What a pixel still has to pass on: dL/dcolor, and what Gaussians not yet passed and the background contribute to L.
struct Left {
  float t, red, green, blue, loss;
};
__device__ inline Left start_left(const BlendInput& in, const Pixel& p) {
  Left left{p.inside ? 1.0f : -1.0f, 0, 0, 0, 0};
  if (!p.inside) return left;
  const PixelPlace place = find_place(in, p);
  if (in.grad_images) {
    const std::size_t red = place.color, green = red + in.layout.channel_step, blue = green + in.layout.channel_step;
    left.red = in.grad_images[red], left.green = in.grad_images[green], left.blue = in.grad_images[blue];
    left.loss = in.images[red] * left.red + in.images[green] * left.green + in.images[blue] * left.blue;
  }
  if (in.grad_alphas) left.loss -= in.transmittances[place.pixel] * in.grad_alphas[place.pixel];
  return left;
}

/// What one Gaussian says at one pixel: v = alpha dL/dalpha, and its share of the pixel.
struct Said {
  float v, weight;
};
__device__ inline Said pass(const BlendInput& in, const Splat& g, const Pixel& p, Left& left) {
  const Sample s = take_sample(in, g, p, left.t);
  const float weight = s.drawn ? s.alpha * left.t : 0.0f;
  const float shade = std::fma(g.red, left.red, std::fma(g.green, left.green, g.blue * left.blue));
  left.loss = std::fma(-weight, shade, left.loss);
  const float grad_alpha = std::fma(left.t, shade, -left.loss * reciprocal(s.rest));
  const float v = s.drawn && s.raw <= in.alpha_max ? s.alpha * grad_alpha : 0.0f;
  left.t = transmittance_after(s, left.t);
  return {v, weight};
}

/// Numbers of eight Gaussians at the pixels of a warp's two cells: place 2 k + half is the k-th of a half's list. Rows
/// of every other pair are exchanged, so that lanes that read them, four numbers at once, meet in no bank.
struct Staged {
  alignas(16) float numbers[16][16];

  __device__ static std::uint32_t row_place(std::uint32_t place, std::uint32_t row) {
    return (row ^ (place / 2 % 2)) * 4;
  }
  /// The thread's own pixel.
  __device__ void put(std::uint32_t k, float value) {
    const std::uint32_t lane = threadIdx.x % 32, place = 2 * k + lane / 16;
    numbers[place][row_place(place, lane % 16 / 4) + lane % 4] = value;
  }
  __device__ float4 row(std::uint32_t place, std::uint32_t row) const {
    return *reinterpret_cast<const float4*>(numbers[place] + row_place(place, row));
  }
};

/// Moments of a row of four about its middle.
struct RowMoments {
  float zero, one, two;
};
__device__ inline RowMoments row_moments(const float4& v) {
  const float outer = v.x + v.w, inner = v.y + v.z;
  return {outer + inner, std::fma(1.5f, v.w - v.x, 0.5f * (v.z - v.y)), std::fma(2.25f, outer, 0.25f * inner)};
}
__device__ inline float add_neighbour(float value) { return value + __shfl_xor_sync(kAllLanes, value, 1); }

/// Moments of a cell about its middle.
struct CellMoments {
  float zero, x, y, xx, xy, yy;
};
/// Two neighbouring lanes have the upper and the lower half of `place`; both get all of it.
__device__ inline CellMoments cell_moments(const Staged& v, std::uint32_t place, std::uint32_t lower) {
  const RowMoments first = row_moments(v.row(place, 2 * lower)), second = row_moments(v.row(place, 2 * lower + 1));
  const float y0 = lower ? 0.5f : -1.5f, y1 = lower ? 1.5f : -0.5f;
  CellMoments m;
  m.zero = add_neighbour(first.zero + second.zero);
  m.x = add_neighbour(first.one + second.one);
  m.xx = add_neighbour(first.two + second.two);
  m.y = add_neighbour(std::fma(y0, first.zero, y1 * second.zero));
  m.xy = add_neighbour(std::fma(y0, first.one, y1 * second.one));
  m.yy = add_neighbour(std::fma(y0 * y0, first.zero, y1 * y1 * second.zero));
  return m;
}

/// Sums of a Gaussian in a cell: kPoseSums or kAllSums without gaps, in pairs.
template <bool kAll>
struct CellSums {
  static constexpr int kPairs = kAll ? 5 : 3;
  struct alignas(8) Pair {
    float first, second;
  };
  Pair pairs[kPairs];

  /// From moments about the cell's middle to those about the Gaussian's; lanes share the work.
  __device__ void set_moments(const CellMoments& m, float dx, float dy, std::uint32_t lower) {
    const float x = std::fma(dx, m.zero, -m.x), y = std::fma(dy, m.zero, -m.y);
    if (lower) {
      pairs[2] = {std::fma(dy, y, -std::fma(dy, m.y, -m.yy)), m.zero};
    } else {
      pairs[0] = {x, y};
      pairs[1] = {std::fma(dx, x, -std::fma(dx, m.x, -m.xx)), std::fma(dx, y, -std::fma(dy, m.x, -m.xy))};
    }
  }
};

/// What a block shares. A Gaussian has one place in `sums` for every cell that it reaches, from `bases` on.
template <bool kAll>
struct BackwardBlock {
  static constexpr std::uint32_t kBatch = kAll ? 128 : 192, kPlaces = kAll ? 480 : 768;  ///< at least 16 fit
  Batch<kBatch> batch;
  std::uint16_t bases[kBatch], warp_sums[kWarps];
  Staged v[kWarps], weights[kAll ? kWarps : 1];
  alignas(16) float tints[kAll ? 3 : 1][kBlendThreads];  ///< dL/dcolor of pixels
  CellSums<kAll> sums[kPlaces];
};

/// Loads the next Gaussians and gives them places; how many of `available` there is room for.
template <bool kAll>
__device__ inline std::uint32_t load_places(const BlendInput& in, BackwardBlock<kAll>& block, std::uint32_t first,
                                            std::uint32_t available) {
  const std::uint32_t thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const bool listed = thread < available;
  const std::uint32_t mask = listed ? block.batch.load(in, in.listed_records[first + thread], thread) : 0;
  std::uint32_t after = static_cast<std::uint32_t>(__popc(mask));
#pragma unroll
  for (unsigned width = 1; width < 32; width *= 2) {
    const std::uint32_t left = __shfl_up_sync(kAllLanes, after, width);
    if (lane >= width) after += left;
  }
  if (lane == 31) block.warp_sums[warp] = static_cast<std::uint16_t>(after);
  __syncthreads();
  for (std::uint32_t w = 0; w < warp; ++w) after += block.warp_sums[w];
  if (listed) block.bases[thread] = static_cast<std::uint16_t>(after - static_cast<std::uint32_t>(__popc(mask)));
  return static_cast<std::uint32_t>(__syncthreads_count(listed && after <= BackwardBlock<kAll>::kPlaces));
}

/// Sums of up to eight Gaussians of each of the warp's lists, from `first` on, over their pixels. `own` is the size of
/// the list that the lane reads; where nothing was staged, all is zero.
template <bool kAll>
__device__ inline void sum_cells(const BlendInput& in, BackwardBlock<kAll>& block, std::uint32_t first,
                                 std::uint32_t own, bool staged) {
  const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::uint32_t place = lane / 2, lower = lane % 2, cell = 2 * warp + place % 2, at = first + place / 2;
  const CellMoments m = cell_moments(block.v[warp], place, lower);
  if (at >= own) return;
  const std::uint32_t gaussian = block.batch.lists[cell][at];
  const auto before = static_cast<std::uint32_t>(__popc(block.batch.masks[gaussian] & ((1u << cell) - 1)));
  CellSums<kAll>& to = block.sums[block.bases[gaussian] + before];
  const TileCorner tile = find_tile(in);
  const Splat& g = block.batch.splats[gaussian];
  const float middle_x = static_cast<float>(tile.x + static_cast<int>(cell % 4) * kCell) + 1.5f;
  const float middle_y = static_cast<float>(tile.y + static_cast<int>(cell / 4) * kCell) + 1.5f;
  const CellMoments none{0, 0, 0, 0, 0, 0};
  to.set_moments(staged ? m : none, (g.pixel_x - middle_x) + g.offset_x, (g.pixel_y - middle_y) + g.offset_y, lower);
}

/// The same for colours: lanes have two rows each, as in `cell_moments`.
__device__ inline void sum_colors(BackwardBlock<true>& block, std::uint32_t first, std::uint32_t own, bool staged) {
  const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::uint32_t place = lane / 2, lower = lane % 2, cell = 2 * warp + place % 2, at = first + place / 2;
  float sums[3];
  for (int k = 0; k < 3; ++k) {
    float sum = 0;
    for (std::uint32_t row = 2 * lower; row < 2 * lower + 2; ++row) {
      const float4 w = block.weights[warp].row(place, row);
      const float4 tint = *reinterpret_cast<const float4*>(block.tints[k] + cell * 16 + row * 4);
      sum += (w.x * tint.x + w.y * tint.y) + (w.z * tint.z + w.w * tint.w);
    }
    sums[k] = add_neighbour(sum);
  }
  if (at >= own || lower) return;
  const std::uint32_t gaussian = block.batch.lists[cell][at];
  const auto before = static_cast<std::uint32_t>(__popc(block.batch.masks[gaussian] & ((1u << cell) - 1)));
  CellSums<true>& to = block.sums[block.bases[gaussian] + before];
  to.pairs[3] = staged ? CellSums<true>::Pair{sums[0], sums[1]} : CellSums<true>::Pair{0, 0};
  to.pairs[4] = {staged ? sums[2] : 0.0f, 0};
}

/// A warp's lists of the first `count` Gaussians, eight at a time.
template <bool kAll>
__device__ inline void pass_lists(const BlendInput& in, BackwardBlock<kAll>& block, const Pixel& p, std::uint32_t count,
                                  Left& left) {
  const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  std::uint32_t own = 0;
  const std::uint32_t longer = block.batch.make_lists(count, own);
  const std::uint32_t other = __shfl_xor_sync(kAllLanes, own, 16);
  const std::uint32_t read = (lane / 2 % 2 == lane / 16) ? own : other;  // of the list whose sums the lane takes
  for (std::uint32_t first = 0; first < longer; first += 8) {
    const bool open = __ballot_sync(kAllLanes, left.t > 0) != 0;
    for (std::uint32_t half = 0; open && half < 8 && first + half < longer; half += 4) {
      const std::uint32_t four = block.batch.four(first + half);
#pragma unroll
      for (std::uint32_t k = 0; k < 4; ++k) {
        const Said said = pass(in, block.batch.splats[four >> 8 * k & 255], p, left);
        block.v[warp].put(half + k, said.v);
        if constexpr (kAll) block.weights[warp].put(half + k, said.weight);
      }
    }
    __syncwarp();
    sum_cells(in, block, first, read, open);
    if constexpr (kAll) sum_colors(block, first, read, open);
    __syncwarp();
  }
}

/// Two numbers of an entry; colours come after two unused ones.
template <bool kAll>
__device__ inline void write_pair(const BlendInput& in, std::uint32_t at, std::uint32_t pair, float first,
                                  float second) {
  float* to = in.entry_grads + std::size_t{in.entries[at]} * (kAll ? kAllSums : kPoseSums) + 2 * pair;
  *reinterpret_cast<typename CellSums<kAll>::Pair*>(pair < 3 ? to : to + 2) = {first, second};
}

template <bool kAll>
static __global__ void __launch_bounds__(kBlendThreads, kAll ? 4 : 5) blend_backward_kernel(BlendInput in) {
  using Block = BackwardBlock<kAll>;
  constexpr std::uint32_t kPairs = CellSums<kAll>::kPairs;
  __shared__ Block block;
  std::uint32_t first = in.tile_begins[blockIdx.x];
  const std::uint32_t end = in.tile_ends[blockIdx.x];
  if (first == end) return;
  const Pixel p = find_pixel(in);
  Left left = start_left(in, p);
  if (threadIdx.x == 0) block.batch.start();
  if constexpr (kAll) {
    block.tints[0][threadIdx.x] = left.red, block.tints[1][threadIdx.x] = left.green;
    block.tints[2][threadIdx.x] = left.blue;
  }
  while (first < end) {
    if (__syncthreads_and(left.t <= 0)) break;
    const std::uint32_t available = end - first < Block::kBatch ? end - first : Block::kBatch;
    const std::uint32_t count = load_places(in, block, first, available);
    pass_lists(in, block, p, count, left);
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < count * kPairs; i += kBlendThreads) {
      const std::uint32_t at = i / kPairs, pair = i % kPairs;
      const CellSums<kAll>* from = block.sums + block.bases[at];
      float one = 0, two = 0;
      for (int cells = __popc(block.batch.masks[at]); cells > 0; --cells, ++from) {
        one += from->pairs[pair].first, two += from->pairs[pair].second;
      }
      write_pair<kAll>(in, first + at, pair, one, two);
    }
    first += count;
  }
  // What lies behind a closed tile.
  for (std::uint32_t i = threadIdx.x; first < end && i < (end - first) * kPairs; i += kBlendThreads) {
    write_pair<kAll>(in, first + i / kPairs, i % kPairs, 0, 0);
  }
}

}  // namespace limber::splat
