// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/splat/tile_lists.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "limber/base/expect.h"
#include "limber/splat/tile_overlap.h"

namespace limber::splat {
namespace {

using Key = SortScratch::Key;

constexpr std::uint64_t kMaxEntries = std::uint64_t{1} << 31;  // 64 GB with gradients

template <class T>
std::size_t held(const std::vector<T>& v) {
  return v.capacity() * sizeof(T);
}

/// Depths are positive, so their bits are in order.
std::uint64_t depth_bits(double depth) {
  std::uint64_t bits;
  std::memcpy(&bits, &depth, sizeof bits);
  return bits;
}

template <class Body>
void for_each_record(const ImageLists& image, const Body& body) {
  for (std::size_t chunk = 0; chunk < image.chunk_counts.size(); ++chunk) {
    const std::size_t begin = chunk * kChunk;
    for (std::size_t i = begin; i < begin + image.chunk_counts[chunk]; ++i) body(i);
  }
}

/// Stable radix sort by `key`, three passes of 11 bits.
void radix_sort(std::vector<Key>& keys, std::vector<Key>& swapped) {
  constexpr std::size_t kBits = 11, kBuckets = std::size_t{1} << kBits, kPasses = 3;
  std::array<std::array<std::uint32_t, kBuckets>, kPasses> histogram{};
  for (const Key& k : keys) {
    for (std::size_t pass = 0; pass < kPasses; ++pass) ++histogram[pass][(k.key >> (pass * kBits)) % kBuckets];
  }
  swapped.resize(keys.size());
  for (std::size_t pass = 0; pass < kPasses; ++pass) {
    std::array<std::uint32_t, kBuckets>& next = histogram[pass];
    std::uint32_t sum = 0;
    for (std::uint32_t& bucket : next) sum += std::exchange(bucket, sum);
    for (const Key& k : keys) swapped[next[(k.key >> (pass * kBits)) % kBuckets]++] = k;
    keys.swap(swapped);
  }
}

/// Records front to back, in scratch.keys.
void sort_by_depth(const ImageLists& image, SortScratch& scratch) {
  std::uint64_t lowest = ~std::uint64_t{0}, highest = 0;
  for_each_record(image, [&](std::size_t i) {
    const std::uint64_t bits = depth_bits(image.depths[i]);
    lowest = std::min(lowest, bits), highest = std::max(highest, bits);
  });
  // The 32 most telling bits of the range that occurs.
  int shift = 0;
  while (highest > lowest && ((highest - lowest) >> shift) > 0xffffffffu) ++shift;
  scratch.keys.clear();
  for_each_record(image, [&](std::size_t i) {
    const std::uint64_t bits = depth_bits(image.depths[i]);
    scratch.keys.push_back({static_cast<std::uint32_t>((bits - lowest) >> shift), static_cast<std::uint32_t>(i)});
  });
  radix_sort(scratch.keys, scratch.swapped);

  // Depths that share a key are still in index order: put them in depth order.
  std::vector<Key>& keys = scratch.keys;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (keys[i].key != keys[i - 1].key) continue;
    for (std::size_t j = i; j > 0 && keys[j].key == keys[j - 1].key; --j) {
      if (!(image.depths[keys[j].record] < image.depths[keys[j - 1].record])) break;
      std::swap(keys[j], keys[j - 1]);
    }
  }
}

/// Grows with some room to spare, so that small changes between calls do not allocate.
template <class T>
void fit(std::vector<T>& v, std::size_t size) {
  if (v.capacity() < size) v.reserve(size + size / 4);
  v.resize(size);
}

}  // namespace

void ImageLists::resize(std::size_t gaussians, std::size_t tiles) {
  records.resize(gaussians);
  boxes.resize(gaussians);
  depths.resize(gaussians);
  indices.resize(gaussians);
  chunk_counts.resize((gaussians + kChunk - 1) / kChunk);
  slot_begin.resize(gaussians + 1);
  tile_begin.resize(tiles + 1);
}

std::size_t ImageLists::bytes() const {
  return held(records) + held(boxes) + held(depths) + held(indices) + held(chunk_counts) + held(tile_begin) +
         held(entries) + held(slot_begin) + held(slots);
}

void SortScratch::reserve(std::size_t gaussians, std::size_t tiles) {
  keys.reserve(gaussians);
  swapped.reserve(gaussians);
  cursors.reserve(tiles + 1);
}

std::size_t SortScratch::bytes() const { return held(keys) + held(swapped) + held(cursors); }

void make_tile_lists(ImageLists& image, int tiles_x, SortScratch& scratch) {
  sort_by_depth(image, scratch);

  // Which tiles each record touches, record by record: slots hold tiles first, and entries in the end.
  std::fill(image.slot_begin.begin(), image.slot_begin.end(), 0u);
  std::fill(image.tile_begin.begin(), image.tile_begin.end(), 0u);
  image.slots.clear();
  std::uint64_t total = 0;
  for_each_record(image, [&](std::size_t i) {
    for_each_tile<kTileWidth, kTileHeight>(image.records[i], image.boxes[i], tiles_x, [&](std::size_t tile) {
      if (total++ < kMaxEntries) image.slots.push_back(static_cast<std::uint32_t>(tile));
      ++image.slot_begin[i + 1];
      ++image.tile_begin[tile + 1];
    });
  });
  LIMBER_EXPECT(total < kMaxEntries, std::to_string(total) + " tiles to draw: fewer or smaller Gaussians, please");
  for (std::size_t i = 1; i < image.slot_begin.size(); ++i) image.slot_begin[i] += image.slot_begin[i - 1];
  for (std::size_t i = 1; i < image.tile_begin.size(); ++i) image.tile_begin[i] += image.tile_begin[i - 1];

  // Fill, front to back.
  fit(image.entries, image.tile_begin.back());
  scratch.cursors.assign(image.tile_begin.begin(), image.tile_begin.end());
  for (const Key& key : scratch.keys) {
    for (std::uint32_t slot = image.slot_begin[key.record]; slot < image.slot_begin[key.record + 1]; ++slot) {
      const std::uint32_t entry = scratch.cursors[image.slots[slot]]++;
      image.entries[entry] = key.record;
      image.slots[slot] = entry;
    }
  }
}

}  // namespace limber::splat
