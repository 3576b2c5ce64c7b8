// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "limber/base/cuda_queue.cuh"
#include "limber/splat/list_kernels.cuh"
#include "limber/splat/raster_pipeline.cuh"

// Blending, one block of 256 threads per tile of 16 x 16 pixels, one thread per pixel. Half a warp owns a cell of 4 x 4
// of them. A block takes a batch of its tile's Gaussians, one thread finds the cells that one of them reaches, and each
// half of a warp blends a list of its own. As on the CPU, the backward pass goes from front to back with what is left
// of the loss. It keeps one number per pixel and Gaussian, v = alpha dL/dalpha: the sums that gradients are made of are
// its moments over a cell, taken by two lanes per cell and Gaussian, eight Gaussians at a time; sums over cells are
// taken in order.
namespace limber::splat {

inline constexpr int kBlendThreads = kCudaTile * kCudaTile, kWarps = kBlendThreads / 32;
inline constexpr int kCell = 4, kCells = 16;  ///< pixels, both ways; cells of a tile: bits of a mask
inline constexpr unsigned kAllLanes = 0xffffffffu;

/// Images on the GPU: number (image, pixel, channel) is at 3 pixels image + pixel_step pixel + channel_step channel.
struct ImageLayout {
  std::uint32_t pixel_step = 3, channel_step = 1;
};

struct BlendInput {
  int width, height;
  ListShape shape;
  const Record* records;
  const std::uint32_t *tile_begins, *tile_ends, *listed_records, *entries;
  float log2_alpha_min, alpha_max, min_transmittance;
  ImageLayout layout;
  DeviceBackground background;
  float *images, *alphas, *transmittances;
  const float *grad_images, *grad_alphas;  ///< may be null
  float* entry_grads;                      ///< kPoseSums or kAllSums by entry
};

/// A block's tile: its first pixel.
struct TileCorner {
  int x, y;
};
__device__ inline TileCorner find_tile(const BlendInput& in) {
  const auto tile = static_cast<int>(blockIdx.x % in.shape.tiles), tiles_x = static_cast<int>(in.shape.tiles_x);
  return {tile % tiles_x * kCudaTile, tile / tiles_x * kCudaTile};
}

/// A thread's pixel.
struct Pixel {
  float x, y;
  bool inside;
};
__device__ inline Pixel find_pixel(const BlendInput& in) {
  const int thread = static_cast<int>(threadIdx.x), cell = thread / 16, pixel = thread % 16;
  const TileCorner tile = find_tile(in);
  const int x = tile.x + cell % 4 * kCell + pixel % kCell, y = tile.y + cell / 4 * kCell + pixel / kCell;
  return {static_cast<float>(x), static_cast<float>(y), x < in.width && y < in.height};
}

/// Where it is in memory, if inside.
struct PixelPlace {
  std::uint32_t image;
  std::size_t pixel;  ///< among all images' pixels
  std::size_t color;  ///< its red
};
__device__ inline PixelPlace find_place(const BlendInput& in, const Pixel& p) {
  const std::size_t width = static_cast<std::size_t>(in.width), pixels = width * static_cast<std::size_t>(in.height);
  const std::size_t at = static_cast<std::size_t>(p.y) * width + static_cast<std::size_t>(p.x);
  const std::uint32_t image = blockIdx.x / in.shape.tiles;
  return {image, image * pixels + at, 3 * image * pixels + in.layout.pixel_step * at};
}

__device__ inline float power_of_two(float x) {
#if defined(__CUDA_ARCH__)
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return std::exp2(x);
#endif
}
__device__ inline float reciprocal(float x) {
#if defined(__CUDA_ARCH__)
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return 1 / x;
#endif
}

/// What blending needs of a record.
struct alignas(16) Splat {
  float pixel_x, pixel_y, offset_x, offset_y;
  float a, b, c, log2_opacity;
  float red, green, blue, unused;
};

/// Gaussians that a block blends next, in shared memory.
template <std::uint32_t kSize>
struct Batch {
  static_assert(kSize % 8 == 0 && kSize < 256 && kSize <= kBlendThreads);
  Splat splats[kSize + 1];  ///< the last one is not seen: lists end in it
  std::uint16_t masks[kSize];
  alignas(4) std::uint8_t lists[kCells][kSize];  ///< who reaches a cell, in order

  /// One thread: what is drawn nowhere.
  __device__ void start() { splats[kSize] = {0, 0, 0, 0, 0, 0, 0, -INFINITY, 0, 0, 0, 0}; }

  /// A thread's Gaussian; which cells it reaches.
  __device__ std::uint32_t load(const BlendInput& in, std::uint32_t id, std::uint32_t at) {
    const auto* from = reinterpret_cast<const float4*>(in.records + id);
    const float4 parts[4] = {from[0], from[1], from[2], from[3]};
    Record r;
    std::memcpy(&r, parts, sizeof r);
    splats[at] = {r.pixel_x, r.pixel_y,      r.offset_x, r.offset_y, r.a,        r.b,
                  r.c,       r.log2_opacity, r.color[0], r.color[1], r.color[2], 0};
    const TileCorner tile = find_tile(in);
    const std::uint32_t mask = touched_cells<kCell>(r, tile.x, tile.y);
    masks[at] = static_cast<std::uint16_t>(mask);
    return mask;
  }

  /// A warp's two lists, of the first `count`; `own` is how many there are in the thread's. The other one is as long,
  /// up to a multiple of four. Returns the longer one's length.
  __device__ std::uint32_t make_lists(std::uint32_t count, std::uint32_t& own) {
    const std::uint32_t lane = threadIdx.x % 32, cell = threadIdx.x / 32 * 2;
    std::uint32_t sizes[2] = {0, 0};
    for (std::uint32_t group = 0; group < count; group += 32) {
      const std::uint32_t mask = group + lane < count ? std::uint32_t{masks[group + lane]} >> cell : 0;
#pragma unroll
      for (std::uint32_t half = 0; half < 2; ++half) {
        const bool mine = (mask >> half & 1) != 0;
        const unsigned all = __ballot_sync(kAllLanes, mine);
        const auto before = static_cast<std::uint32_t>(__popc(all & ((1u << lane) - 1)));
        if (mine) lists[cell + half][sizes[half] + before] = static_cast<std::uint8_t>(group + lane);
        sizes[half] += static_cast<std::uint32_t>(__popc(all));
      }
    }
    const std::uint32_t longer = sizes[0] > sizes[1] ? sizes[0] : sizes[1];
#pragma unroll
    for (std::uint32_t half = 0; half < 2; ++half) {
      for (std::uint32_t at = sizes[half] + lane; at < (longer + 3) / 4 * 4; at += 32) {
        lists[cell + half][at] = static_cast<std::uint8_t>(kSize);
      }
    }
    own = lane < 16 ? sizes[0] : sizes[1];
    __syncwarp();
    return longer;
  }
  /// Four of the thread's list, from `first` on: numbers of eight bits.
  __device__ std::uint32_t four(std::uint32_t first) const {
    return *reinterpret_cast<const std::uint32_t*>(lists[threadIdx.x / 16] + first);
  }
};

/// One Gaussian at one pixel.
struct Sample {
  float raw, alpha, rest, next;  ///< rest = 1 - alpha; next: transmittance behind it
  bool hit, drawn;
};
__device__ inline Sample take_sample(const BlendInput& in, const Splat& g, const Pixel& p, float transmittance) {
  const float dx = (g.pixel_x - p.x) + g.offset_x, dy = (g.pixel_y - p.y) + g.offset_y;
  const float log2_alpha = std::fma(-dx, std::fma(g.a, dx, g.b * dy), std::fma(-(g.c * dy), dy, g.log2_opacity));
  Sample s;
  s.hit = log2_alpha >= in.log2_alpha_min;
  s.raw = power_of_two(log2_alpha);
  s.alpha = s.raw < in.alpha_max ? s.raw : in.alpha_max;
  s.rest = 1.0f - s.alpha;
  s.next = transmittance * s.rest;
  s.drawn = s.hit && s.next > in.min_transmittance;  // never where the pixel is closed
  return s;
}
/// Negative once the pixel is closed.
__device__ inline float transmittance_after(const Sample& s, float transmittance) {
  return s.drawn ? s.next : (s.hit ? -std::fabs(transmittance) : transmittance);
}

/// What a pixel has got so far.
struct Blended {
  float t, red, green, blue;
};
__device__ inline void write_pixel(const BlendInput& in, const PixelPlace& p, const Blended& pixel) {
  const float t = std::fabs(pixel.t);
  float back[3] = {0, 0, 0};
  if (in.background.numbers) {
    const bool per_pixel = in.background.kind == DeviceBackground::kPerPixel;
    const std::size_t at = per_pixel ? p.color : (in.background.kind == DeviceBackground::kPerImage ? 3 * p.image : 0);
    for (int k = 0; k < 3; ++k) back[k] = in.background.numbers[at + (per_pixel ? in.layout.channel_step : 1) * k];
  }
  in.images[p.color] = pixel.red + t * back[0];
  in.images[p.color + in.layout.channel_step] = pixel.green + t * back[1];
  in.images[p.color + 2 * in.layout.channel_step] = pixel.blue + t * back[2];
  in.alphas[p.pixel] = 1.0f - t;
  in.transmittances[p.pixel] = t;
}

static __global__ void __launch_bounds__(kBlendThreads, 6) blend_kernel(BlendInput in) {
  constexpr std::uint32_t kBatch = 192;
  __shared__ Batch<kBatch> batch;
  const Pixel p = find_pixel(in);
  const std::uint32_t begin = in.tile_begins[blockIdx.x], end = in.tile_ends[blockIdx.x];
  Blended pixel{p.inside ? 1.0f : -1.0f, 0, 0, 0};
  if (threadIdx.x == 0) batch.start();
  for (std::uint32_t first = begin; first < end; first += kBatch) {
    if (__syncthreads_and(pixel.t <= 0)) break;
    const std::uint32_t count = end - first < kBatch ? end - first : kBatch;
    if (threadIdx.x < count) batch.load(in, in.listed_records[first + threadIdx.x], threadIdx.x);
    __syncthreads();
    std::uint32_t own = 0;
    const std::uint32_t longer = batch.make_lists(count, own);
    for (std::uint32_t j = 0; j < longer; j += 4) {
      if (__ballot_sync(kAllLanes, pixel.t > 0) == 0) break;
      const std::uint32_t four = batch.four(j);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const Splat& g = batch.splats[four >> 8 * k & 255];
        const Sample s = take_sample(in, g, p, pixel.t);
        const float weight = s.drawn ? s.alpha * pixel.t : 0.0f;
        pixel.red = std::fma(weight, g.red, pixel.red);
        pixel.green = std::fma(weight, g.green, pixel.green);
        pixel.blue = std::fma(weight, g.blue, pixel.blue);
        pixel.t = transmittance_after(s, pixel.t);
      }
    }
  }
  if (p.inside) write_pixel(in, find_place(in, p), pixel);
}

}  // namespace limber::splat
