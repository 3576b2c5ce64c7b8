// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "limber/splat/raster_kernels.h"

/// Depth order and tile lists of one projected image.
namespace limber::splat {

/// Gaussians are projected in runs of this many; each run's visible records start at a multiple of it.
inline constexpr std::size_t kChunk = 1024;

/// One image's visible Gaussians, and which of them touch which tile. Records keep their place; lists hold places.
struct ImageLists {
  std::vector<Record> records;              ///< chunk by chunk, with gaps
  std::vector<Box> boxes;                   ///< of the records
  std::vector<double> depths;               ///< of the records
  std::vector<std::uint32_t> indices;       ///< of the records: which Gaussian
  std::vector<std::uint32_t> chunk_counts;  ///< visible records of each chunk

  std::vector<std::uint32_t> tile_begin;  ///< per tile, its first entry; one more at the end
  std::vector<std::uint32_t> entries;     ///< records front to back, tile by tile
  std::vector<std::uint32_t> slot_begin;  ///< per record, its first slot; one more at the end
  std::vector<std::uint32_t> slots;       ///< the numbers of a record's entries, in tile order

  void resize(std::size_t gaussians, std::size_t tiles);
  std::size_t bytes() const;
};

/// Buffers of one thread.
struct SortScratch {
  struct Key {
    std::uint32_t key, record;
  };
  std::vector<Key> keys, swapped;
  std::vector<std::uint32_t> cursors;
  /// So that it does not matter later which thread sorts which image.
  void reserve(std::size_t gaussians, std::size_t tiles);
  std::size_t bytes() const;
};

/// Fills the lists from records, boxes, depths and chunk_counts: by depth, equal depths by index. Throws ContractError
/// where Gaussians and tiles meet more than two billion times.
void make_tile_lists(ImageLists& image, int tiles_x, SortScratch& scratch);

}  // namespace limber::splat
