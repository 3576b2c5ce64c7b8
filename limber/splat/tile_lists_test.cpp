// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/splat/tile_lists.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "limber/base/rng.h"
#include "limber/splat/tile_overlap.h"

namespace limber::splat {
namespace {

constexpr int kTilesX = 5, kTilesY = 4, kWidth = kTilesX * kTileWidth, kHeight = kTilesY * kTileHeight;

/// Upright ellipses in two chunks with gaps, some of equal depth.
ImageLists random_image(std::uint64_t seed) {
  ImageLists image;
  image.resize(2 * kChunk, kTilesX * kTilesY);
  image.chunk_counts = {700, 300};
  Rng rng(seed);
  const auto edge = [](double at, int size) { return static_cast<std::uint16_t>(std::clamp(at, 0.0, double(size))); };
  for (std::size_t chunk = 0; chunk < 2; ++chunk) {
    for (std::size_t k = chunk * kChunk; k < chunk * kChunk + image.chunk_counts[chunk]; ++k) {
      const auto x = static_cast<double>(rng.below(kWidth)), y = static_cast<double>(rng.below(kHeight));
      const double half_x = rng.uniform(0.6, 40), half_y = rng.uniform(0.6, 40);
      Record& record = image.records[k];
      record = {};
      record.pixel_x = static_cast<float>(x), record.pixel_y = static_cast<float>(y);
      record.reach = static_cast<float>(half_x * half_x);
      record.fall = static_cast<float>(half_x * half_x / (half_y * half_y));
      image.boxes[k] = {edge(std::ceil(x - half_x), kWidth), edge(std::floor(x + half_x) + 1, kWidth),
                        edge(std::ceil(y - half_y), kHeight), edge(std::floor(y + half_y) + 1, kHeight)};
      image.depths[k] = 1 + static_cast<double>(rng.below(50)) / 10;
      image.indices[k] = static_cast<std::uint32_t>(k);
    }
  }
  return image;
}

std::vector<std::uint32_t> visible_records(const ImageLists& image) {
  std::vector<std::uint32_t> records;
  for (std::size_t chunk = 0; chunk < image.chunk_counts.size(); ++chunk) {
    for (std::uint32_t k = 0; k < image.chunk_counts[chunk]; ++k) {
      records.push_back(static_cast<std::uint32_t>(chunk * kChunk) + k);
    }
  }
  return records;
}

struct Touch {
  bool box = false, ellipse = false;
};

/// Whether a record's box, and whether a pixel inside its ellipse, lies in a tile.
Touch touch(const ImageLists& image, std::uint32_t index, int tile) {
  const Record& record = image.records[index];
  const Box& box = image.boxes[index];
  const int x0 = std::max<int>(box.x0, tile % kTilesX * kTileWidth),
            x1 = std::min<int>(box.x1, (tile % kTilesX + 1) * kTileWidth);
  const int y0 = std::max<int>(box.y0, tile / kTilesX * kTileHeight),
            y1 = std::min<int>(box.y1, (tile / kTilesX + 1) * kTileHeight);
  Touch found{x0 < x1 && y0 < y1, false};
  for (int y = y0; y < y1; ++y) {
    for (int x = x0; x < x1; ++x) {
      const float dx = static_cast<float>(x) - record.pixel_x, dy = static_cast<float>(y) - record.pixel_y;
      found.ellipse = found.ellipse || dx * dx <= record.reach - record.fall * dy * dy;
    }
  }
  return found;
}

TEST(TileLists, HoldEveryRecordThatTouchesATileFrontToBack) {
  ImageLists image = random_image(3);
  SortScratch scratch;
  make_tile_lists(image, kTilesX, scratch);
  std::vector<std::uint32_t> by_depth = visible_records(image);
  std::stable_sort(by_depth.begin(), by_depth.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return image.depths[a] < image.depths[b]; });
  std::size_t in_boxes = 0;
  for (int tile = 0; tile < kTilesX * kTilesY; ++tile) {
    const auto end = image.entries.begin() + image.tile_begin[std::size_t(tile) + 1];
    auto next = image.entries.begin() + image.tile_begin[std::size_t(tile)];
    for (const std::uint32_t record : by_depth) {
      const Touch touches = touch(image, record, tile);
      const bool listed = next != end && *next == record;
      if (listed) ++next;
      in_boxes += touches.box ? 1 : 0;
      EXPECT_TRUE(listed || !touches.ellipse) << tile << " " << record;
      EXPECT_TRUE(touches.box || !listed) << tile << " " << record;
    }
    EXPECT_EQ(next, end) << tile;  // nothing is out of order
  }
  // Corners of boxes that the ellipse does not reach are left out.
  EXPECT_LT(image.entries.size(), 0.97 * static_cast<double>(in_boxes));
}

TEST(TileLists, SlotsLeadFromARecordToItsEntriesInTileOrder) {
  ImageLists image = random_image(4);
  SortScratch scratch;
  make_tile_lists(image, kTilesX, scratch);
  std::size_t slots = 0;
  for (const std::uint32_t record : visible_records(image)) {
    for (std::uint32_t k = image.slot_begin[record]; k < image.slot_begin[record + 1]; ++k, ++slots) {
      EXPECT_EQ(image.entries[image.slots[k]], record);
      if (k > image.slot_begin[record]) {
        EXPECT_LT(image.slots[k - 1], image.slots[k]);
      }
    }
  }
  EXPECT_EQ(slots, image.entries.size());
}

TEST(TileOverlap, FindsTheCellsWithPixelsOfAnEllipse) {
  Rng rng(4);
  std::size_t cells = 0, more = 0;
  for (int run = 0; run < 2000; ++run) {
    Record r{};
    r.pixel_x = static_cast<float>(rng.below(60)), r.pixel_y = static_cast<float>(rng.below(60));
    r.offset_x = static_cast<float>(rng.uniform(-0.5, 0.5)), r.offset_y = static_cast<float>(rng.uniform(-0.5, 0.5));
    r.slope = run % 4 == 0 ? 0 : static_cast<float>(rng.uniform(-2, 2));
    r.reach = static_cast<float>(rng.uniform(0.3, 200)), r.fall = static_cast<float>(rng.uniform(0.1, 3));
    const float middle = r.pixel_y + r.offset_y, half = std::sqrt(r.reach / r.fall);
    r.y0 = static_cast<std::uint16_t>(std::max(0.0f, std::ceil(middle - half)));
    r.y1 = static_cast<std::uint16_t>(std::floor(middle + half) + 1);
    const std::uint32_t mask = touched_cells<4>(r, 16, 32);
    std::uint32_t expected = 0;
    for (int y = 32; y < 48; ++y) {
      for (int x = 16; x < 32; ++x) {
        const float dx = (r.pixel_x - static_cast<float>(x)) + r.offset_x;
        const float dy = (r.pixel_y - static_cast<float>(y)) + r.offset_y, side = dx - r.slope * dy;
        if (side * side <= r.reach - r.fall * dy * dy) expected |= 1u << ((y - 32) / 4 * 4 + (x - 16) / 4);
      }
    }
    ASSERT_EQ(expected & ~mask, 0u) << "run " << run;
    cells += static_cast<std::size_t>(std::popcount(expected)), more += static_cast<std::size_t>(std::popcount(mask));
  }
  EXPECT_LE(more, cells + cells / 10);
}

TEST(TileLists, AreEmptyWhereNothingIsVisible) {
  ImageLists image;
  image.resize(10, kTilesX * kTilesY);
  image.chunk_counts = {0};
  SortScratch scratch;
  make_tile_lists(image, kTilesX, scratch);
  EXPECT_TRUE(image.entries.empty());
  EXPECT_EQ(image.tile_begin, std::vector<std::uint32_t>(kTilesX * kTilesY + 1, 0));
}

}  // namespace
}  // namespace limber::splat
