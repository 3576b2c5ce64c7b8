// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "limber/base/cuda_queue.cuh"
#include "limber/splat/projection.h"
#include "limber/splat/tile_overlap.h"

// From Gaussians to lists of them per tile, all images at once. A record is a Gaussian in an image, number image x
// Gaussians + Gaussian; an entry is a record in a tile. Records are sorted by (image, depth), so that their entries,
// made in that order and sorted by (image, tile) without changing places among equals, come out front to back.
namespace limber::splat {

inline constexpr int kCudaTile = 16;  ///< pixels, both ways
inline constexpr int kDepthBits = 40;

/// Depths as whole numbers of kDepthBits bits: the bits of a positive double are in order.
struct DepthKeys {
  std::uint64_t nearest = 0;
  int shift = 0;
};
LIMBER_HOST_DEVICE inline std::uint64_t depth_key(const DepthKeys& keys, double depth) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &depth, sizeof bits);
  return (bits - keys.nearest) >> keys.shift;
}

struct ListShape {
  std::uint32_t gaussians, images, tiles_x, tiles;  ///< tiles of an image
};

/// Lists for as many entries as there is room for, where nobody waits to hear how many there will be. What is left of
/// the room has a key above all tiles'; where there are more entries, there are none, and `lacking` says how many there
/// would be.
struct ListRoom {
  std::uint32_t room = 0;  ///< 0: there is room for all
  std::uint32_t* keys = nullptr;
  std::uint64_t* lacking = nullptr;
};

/// Adds a block's counts to `total`: whole numbers, so that it does not matter who comes first.
__device__ inline void add_counts(std::uint32_t count, std::uint64_t* total) {
  __shared__ std::uint32_t sums[8];  // 256 threads
  for (int width = 16; width >= 1; width /= 2) count += __shfl_xor_sync(0xffffffffu, count, width);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = count;
  __syncthreads();
  if (threadIdx.x > 0) return;
  unsigned long long sum = 0;
  for (const std::uint32_t part : sums) sum += part;
  if (sum > 0) atomicAdd(reinterpret_cast<unsigned long long*>(total), sum);
}

/// One thread per record; `total` becomes how many entries there will be.
static __global__ void __launch_bounds__(256)
    project_kernel(ProjectInput in, ListShape shape, DepthKeys depths, Record* records, Box* boxes, std::uint64_t* keys,
                   std::uint32_t* order, std::uint32_t* counts, std::uint64_t* total, ListRoom lists) {
  const std::uint32_t id = blockIdx.x * blockDim.x + threadIdx.x;
  for (std::uint32_t i = id; i < lists.room; i += gridDim.x * blockDim.x) lists.keys[i] = shape.tiles * shape.images;
  std::uint32_t count = 0;
  if (id < shape.gaussians * shape.images) {
    const std::uint32_t image = id / shape.gaussians;
    Record record;
    Box box;
    double depth = 0;
    std::uint64_t key = (std::uint64_t{1} << kDepthBits) - 1;  // not drawn: last
    if (make_record(in, image, id - image * shape.gaussians, record, box, depth)) {
      for_each_tile<kCudaTile, kCudaTile>(record, box, static_cast<int>(shape.tiles_x), [&](std::size_t) { ++count; });
      key = depth_key(depths, depth);
      records[id] = record;
      boxes[id] = box;
    }
    keys[id] = std::uint64_t{image} << kDepthBits | key;
    order[id] = id;
    counts[id] = count;
  }
  add_counts(count, total);
}

/// to[i] = counts of the i-th record in depth order.
static __global__ void __launch_bounds__(256)
    order_counts_kernel(const std::uint32_t* counts, const std::uint32_t* order, std::uint32_t size,
                        std::uint32_t* to) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) to[i] = counts[order[i]];
}

/// One thread per record, in depth order: its entries. `first_entries` is by record.
static __global__ void __launch_bounds__(256)
    list_kernel(ListShape shape, const Record* records, const Box* boxes, const std::uint32_t* order,
                std::uint32_t* counts, const std::uint64_t* begins, std::uint32_t* first_entries,
                std::uint32_t* tile_keys, std::uint32_t* entries, std::uint32_t* entry_records,
                const std::uint64_t* total, ListRoom lists) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= shape.gaussians * shape.images) return;
  const std::uint32_t id = order[i];
  if (lists.room > 0 && *total > lists.room) {
    counts[id] = 0, first_entries[id] = 0;
    if (i == 0) atomicMax(reinterpret_cast<unsigned long long*>(lists.lacking), *total);
    return;
  }
  auto entry = static_cast<std::uint32_t>(begins[i]);
  first_entries[id] = entry;
  if (counts[id] == 0) return;
  const std::uint32_t first_tile = id / shape.gaussians * shape.tiles;
  for_each_tile<kCudaTile, kCudaTile>(records[id], boxes[id], static_cast<int>(shape.tiles_x), [&](std::size_t tile) {
    tile_keys[entry] = first_tile + static_cast<std::uint32_t>(tile);
    entries[entry] = entry;
    entry_records[entry] = id;
    ++entry;
  });
}

/// One thread per place in the sorted lists: where tiles begin and end (both zero where nothing is), and which records
/// lie there. Places that were left empty come last.
static __global__ void __launch_bounds__(256)
    find_tiles_kernel(const std::uint32_t* tile_keys, const std::uint32_t* entries, const std::uint32_t* entry_records,
                      std::uint32_t size, std::uint32_t tiles, std::uint32_t* tile_begins, std::uint32_t* tile_ends,
                      std::uint32_t* listed_records) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const std::uint32_t tile = tile_keys[i];
  if (tile >= tiles) return;
  if (i == 0 || tile_keys[i - 1] != tile) tile_begins[tile] = i;
  if (i + 1 == size || tile_keys[i + 1] != tile) tile_ends[tile] = i + 1;
  listed_records[i] = entry_records[entries[i]];
}

}  // namespace limber::splat
