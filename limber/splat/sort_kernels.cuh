// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "limber/base/cuda_queue.cuh"
#include "limber/splat/list_kernels.cuh"

// Records of each image by depth, where an image has few: chunks are sorted in shared memory, and a record's place is
// how many of each chunk come before it. A radix sort of all images takes a dozen launches, whatever their size.
namespace limber::splat {

inline constexpr std::uint32_t kSortChunk = 1024, kMaxSortChunks = 8;
inline constexpr int kIndexBits = 64 - kDepthBits;

/// One block per chunk (x) of an image (y), two records per thread: keys are depths, then numbers of Gaussians.
static __global__ void __launch_bounds__(kSortChunk / 2)
    sort_chunk_kernel(ListShape shape, const std::uint64_t* depth_keys, std::uint64_t* to) {
  __shared__ std::uint64_t keys[kSortChunk];
  for (std::uint32_t i = threadIdx.x; i < kSortChunk; i += kSortChunk / 2) {
    const std::uint32_t index = blockIdx.x * kSortChunk + i;
    const bool there = index < shape.gaussians;  // images are cut off, with the bits above the depth
    keys[i] = there ? depth_keys[blockIdx.y * shape.gaussians + index] << kIndexBits | index : ~std::uint64_t{0};
  }
  __syncthreads();
  // A bitonic sort. Pairs that are no more than 32 apart belong to one warp.
  for (std::uint32_t size = 2; size <= kSortChunk; size *= 2) {
    for (std::uint32_t apart = size / 2; apart > 0; apart /= 2) {
      const std::uint32_t low = 2 * threadIdx.x - (threadIdx.x & (apart - 1)), high = low + apart;
      const std::uint64_t a = keys[low], b = keys[high];
      if ((a > b) == ((low & size) == 0)) keys[low] = b, keys[high] = a;
      if (apart > 32 || (apart == 1 && size >= 64)) {
        __syncthreads();
      } else {
        __syncwarp();
      }
    }
  }
  std::uint64_t* chunk = to + (std::size_t{blockIdx.y} * gridDim.x + blockIdx.x) * kSortChunk;
  for (std::uint32_t i = threadIdx.x; i < kSortChunk; i += kSortChunk / 2) chunk[i] = keys[i];
}

/// How many numbers of a sorted chunk are less than `key`.
__device__ inline std::uint32_t count_less(const std::uint64_t* chunk, std::uint64_t key) {
  std::uint32_t count = 0;
  for (std::uint32_t step = kSortChunk / 2; step > 0; step /= 2) {
    if (chunk[count + step - 1] < key) count += step;
  }
  return count + (chunk[count] < key ? 1 : 0);
}

/// One thread per number of the chunks (x) of an image (y): records in depth order, and their counts.
static __global__ void __launch_bounds__(256)
    merge_chunks_kernel(ListShape shape, std::uint32_t chunks, const std::uint64_t* keys, const std::uint32_t* counts,
                        std::uint32_t* order, std::uint32_t* ordered_counts) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, own = i / kSortChunk;
  const std::uint64_t* image = keys + std::size_t{blockIdx.y} * chunks * kSortChunk;
  const std::uint64_t key = image[i];
  if (key == ~std::uint64_t{0}) return;
  std::uint32_t place = i % kSortChunk;
  for (std::uint32_t c = 0; c < chunks; ++c) {
    if (c != own) place += count_less(image + std::size_t{c} * kSortChunk, key);
  }
  const std::uint32_t first = blockIdx.y * shape.gaussians;
  const auto id = first + static_cast<std::uint32_t>(key & ((std::uint64_t{1} << kIndexBits) - 1));
  order[first + place] = id;
  ordered_counts[first + place] = counts[id];
}

}  // namespace limber::splat
