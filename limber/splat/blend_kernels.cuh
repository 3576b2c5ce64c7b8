// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "limber/base/cuda_queue.cuh"
#include "limber/splat/list_kernels.cuh"
#include "limber/splat/raster_pipeline.cuh"

// Blending, one block of 256 threads per tile of 16 x 16 pixels, one thread per pixel. A warp owns 8 x 4 of them: its
// lanes look at 32 Gaussians at a time, and only those whose ellipse reaches its pixels are blended. As on the CPU, the
// backward pass goes from front to back with what is left of the loss; sums over pixels are taken inside warps by
// shuffles, over warps in order.
namespace limber::splat {

inline constexpr int kBlendThreads = kCudaTile * kCudaTile, kWarps = kBlendThreads / 32;
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

/// A thread's pixel.
struct Pixel {
  int x, y;
  bool inside;
  std::uint32_t image;
  std::size_t place;   ///< among all images' pixels
  std::size_t color;   ///< its red
  int rect_x, rect_y;  ///< of its warp: 8 x 4 pixels
};
__device__ inline Pixel find_pixel(const BlendInput& in) {
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  Pixel p;
  p.image = blockIdx.x / in.shape.tiles;
  const auto tile = static_cast<int>(blockIdx.x % in.shape.tiles);
  p.rect_x = tile % static_cast<int>(in.shape.tiles_x) * kCudaTile + warp % 2 * 8;
  p.rect_y = tile / static_cast<int>(in.shape.tiles_x) * kCudaTile + warp / 2 * 4;
  p.x = p.rect_x + lane % 8, p.y = p.rect_y + lane / 8;
  p.inside = p.x < in.width && p.y < in.height;
  const std::size_t pixels = static_cast<std::size_t>(in.width) * static_cast<std::size_t>(in.height);
  const std::size_t at =
      p.inside ? static_cast<std::size_t>(p.y) * static_cast<std::size_t>(in.width) + static_cast<std::size_t>(p.x) : 0;
  p.place = p.image * pixels + at;
  p.color = 3 * p.image * pixels + in.layout.pixel_step * at;
  return p;
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

/// Whether the ellipse reaches the warp's pixels.
__device__ inline bool touches(const Record& r, int rect_x, int rect_y) {
  const int first = r.y0 > rect_y ? r.y0 : rect_y, end = r.y1 < rect_y + 4 ? r.y1 : rect_y + 4;
  if (first >= end) return false;
  const Columns columns = columns_between(r, static_cast<float>(first), static_cast<float>(end - 1));
  return static_cast<float>(rect_x + 7) >= columns.low && static_cast<float>(rect_x) <= columns.high;
}

/// One Gaussian at one pixel.
struct Sample {
  float dx, dy, raw, alpha, rest, next;  ///< rest = 1 - alpha; next: transmittance behind it
  bool hit, drawn;
};
__device__ inline Sample take_sample(const BlendInput& in, const Record& r, const Pixel& p, float transmittance) {
  Sample s;
  s.dx = (r.pixel_x - static_cast<float>(p.x)) + r.offset_x;
  s.dy = (r.pixel_y - static_cast<float>(p.y)) + r.offset_y;
  const float log2_alpha = (r.log2_opacity - r.c * s.dy * s.dy) - s.dx * (r.a * s.dx + r.b * s.dy);
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

/// All threads copy `count` records of the list, from `first` on, to shared memory.
__device__ inline void load_batch(const BlendInput& in, std::uint32_t first, std::uint32_t count, Record* batch) {
  constexpr std::uint32_t kParts = sizeof(Record) / sizeof(float4);
  for (std::uint32_t i = threadIdx.x; i < count * kParts; i += kBlendThreads) {
    const std::uint32_t id = in.listed_records[first + i / kParts];
    reinterpret_cast<float4*>(batch)[i] =
        reinterpret_cast<const float4*>(in.records)[std::size_t{id} * kParts + i % kParts];
  }
}

static __global__ void __launch_bounds__(kBlendThreads) blend_kernel(BlendInput in) {
  constexpr std::uint32_t kBatch = 128;
  __shared__ Record batch[kBatch];
  const Pixel p = find_pixel(in);
  const std::uint32_t lane = threadIdx.x % 32, begin = in.tile_begins[blockIdx.x], end = in.tile_ends[blockIdx.x];
  float t = p.inside ? 1.0f : -1.0f, red = 0, green = 0, blue = 0;
  for (std::uint32_t first = begin; first < end; first += kBatch) {
    if (__syncthreads_and(t <= 0)) break;
    const std::uint32_t count = end - first < kBatch ? end - first : kBatch;
    load_batch(in, first, count, batch);
    __syncthreads();
    for (std::uint32_t group = 0; group < count; group += 32) {
      if (__ballot_sync(kAllLanes, t > 0) == 0) break;
      const bool mine = group + lane < count && touches(batch[group + lane], p.rect_x, p.rect_y);
      for (unsigned left = __ballot_sync(kAllLanes, mine); left != 0; left &= left - 1) {
        const Record& r = batch[group + static_cast<std::uint32_t>(__ffs(left)) - 1];
        const Sample s = take_sample(in, r, p, t);
        const float weight = s.drawn ? s.alpha * t : 0.0f;
        red += weight * r.color[0], green += weight * r.color[1], blue += weight * r.color[2];
        t = transmittance_after(s, t);
      }
    }
  }
  if (!p.inside) return;
  t = std::fabs(t);
  float back[3] = {0, 0, 0};
  if (in.background.numbers) {
    const bool per_pixel = in.background.kind == DeviceBackground::kPerPixel;
    const std::size_t at = per_pixel ? p.color : (in.background.kind == DeviceBackground::kPerImage ? 3 * p.image : 0);
    for (int k = 0; k < 3; ++k) back[k] = in.background.numbers[at + (per_pixel ? in.layout.channel_step : 1) * k];
  }
  in.images[p.color] = red + t * back[0];
  in.images[p.color + in.layout.channel_step] = green + t * back[1];
  in.images[p.color + 2 * in.layout.channel_step] = blue + t * back[2];
  in.alphas[p.place] = 1.0f - t;
  in.transmittances[p.place] = t;
}

/// Sums eight numbers over a warp's lanes: afterwards lane 4 k has the k-th.
__device__ inline float sum_eight(float (&v)[8]) {
  const unsigned lane = threadIdx.x % 32;
#pragma unroll
  for (int width = 4; width >= 1; width /= 2) {
    const bool upper = (lane & static_cast<unsigned>(4 * width)) != 0;
#pragma unroll
    for (int i = 0; i < width; ++i) {
      const float kept = upper ? v[i + width] : v[i], sent = upper ? v[i] : v[i + width];
      v[i] = kept + __shfl_xor_sync(kAllLanes, sent, 4 * width);
    }
  }
  float sum = v[0];
  sum += __shfl_xor_sync(kAllLanes, sum, 2);
  sum += __shfl_xor_sync(kAllLanes, sum, 1);
  return sum;
}

/// What a pixel still has to pass on: dL/dcolor, and what Gaussians not yet passed and the background contribute to L.
struct Left {
  float t, red, green, blue, loss;
};
__device__ inline Left start_left(const BlendInput& in, const Pixel& p) {
  Left left{p.inside ? 1.0f : -1.0f, 0, 0, 0, 0};
  if (!p.inside) return left;
  if (in.grad_images) {
    const std::uint32_t step = in.layout.channel_step;
    left.red = in.grad_images[p.color], left.green = in.grad_images[p.color + step];
    left.blue = in.grad_images[p.color + 2 * step];
    left.loss = in.images[p.color] * left.red + in.images[p.color + step] * left.green +
                in.images[p.color + 2 * step] * left.blue;
  }
  if (in.grad_alphas) left.loss -= in.transmittances[p.place] * in.grad_alphas[p.place];
  return left;
}

/// One Gaussian over a warp's pixels: `sums` gets what kPoseSums and kAllSums name, without gaps (6, or 9 numbers).
template <bool kAll>
__device__ inline void blend_backward(const BlendInput& in, const Record& r, const Pixel& p, Left& left, float* sums) {
  const unsigned lane = threadIdx.x % 32;
  const Sample s = take_sample(in, r, p, left.t);
  const float weight = s.drawn ? s.alpha * left.t : 0.0f;
  const float shade = r.color[0] * left.red + r.color[1] * left.green + r.color[2] * left.blue;
  left.loss -= weight * shade;
  const float grad_alpha = left.t * shade - __fdividef(left.loss, s.rest);
  const float v = s.drawn && s.raw <= in.alpha_max ? s.alpha * grad_alpha : 0.0f;
  left.t = transmittance_after(s, left.t);
  if (__ballot_sync(kAllLanes, s.drawn) == 0) {
    if (lane < (kAll ? 9 : 6)) sums[lane] = 0;
    return;
  }
  const float vx = v * s.dx, vy = v * s.dy;
  float eight[8] = {vx, vy, vx * s.dx, vx * s.dy, vy * s.dy, v, 0, 0};
  if (kAll) eight[6] = weight * left.red, eight[7] = weight * left.green;
  const float sum = sum_eight(eight);
  if (lane % 4 == 0 && lane / 4 < (kAll ? 8 : 6)) sums[lane / 4] = sum;
  if (kAll) {
    float blue = weight * left.blue;
#pragma unroll
    for (int width = 16; width >= 1; width /= 2) blue += __shfl_xor_sync(kAllLanes, blue, width);
    if (lane == 0) sums[8] = blue;
  }
}

template <bool kAll>
static __global__ void __launch_bounds__(kBlendThreads) blend_backward_kernel(BlendInput in) {
  constexpr std::uint32_t kBatch = 64, kSums = kAll ? 9 : 6, kStride = kAll ? kAllSums : kPoseSums;
  __shared__ Record batch[kBatch];
  __shared__ float sums[kBatch][kWarps][kSums];
  const Pixel p = find_pixel(in);
  const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::uint32_t begin = in.tile_begins[blockIdx.x], end = in.tile_ends[blockIdx.x];
  Left pixel = start_left(in, p);
  std::uint32_t first = begin;
  for (; first < end; first += kBatch) {
    if (__syncthreads_and(pixel.t <= 0)) break;
    const std::uint32_t count = end - first < kBatch ? end - first : kBatch;
    load_batch(in, first, count, batch);
    __syncthreads();
    for (std::uint32_t group = 0; group < count; group += 32) {
      const bool open = __ballot_sync(kAllLanes, pixel.t > 0) != 0, listed = group + lane < count;
      const bool mine = open && listed && touches(batch[group + lane], p.rect_x, p.rect_y);
      const unsigned mask = __ballot_sync(kAllLanes, mine);
      if (listed && !mine) {
        for (std::uint32_t k = 0; k < kSums; ++k) sums[group + lane][warp][k] = 0;
      }
      for (unsigned left = mask; left != 0; left &= left - 1) {
        const std::uint32_t at = group + static_cast<std::uint32_t>(__ffs(left)) - 1;
        blend_backward<kAll>(in, batch[at], p, pixel, sums[at][warp]);
      }
    }
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < count * kSums; i += kBlendThreads) {
      const std::uint32_t at = i / kSums, k = i % kSums;
      float sum = 0;
      for (int w = 0; w < kWarps; ++w) sum += sums[at][w][k];
      // Colours come after two unused numbers.
      in.entry_grads[std::size_t{in.entries[first + at]} * kStride + (k < 6 ? k : k + 2)] = sum;
    }
  }
  // What lies behind a closed tile.
  for (std::uint32_t i = threadIdx.x; first < end && i < (end - first) * kSums; i += kBlendThreads) {
    const std::uint32_t k = i % kSums;
    in.entry_grads[std::size_t{in.entries[first + i / kSums]} * kStride + (k < 6 ? k : k + 2)] = 0;
  }
}

}  // namespace limber::splat
