// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "limber/scene/mesh_raster.h"

/// The inner loops of the mesh rasterizer: one tile, compiled for several instruction sets. Private to `scene`.
namespace limber::scene {

inline constexpr int kTileSide = 32;
inline constexpr int kSamples = 8;
inline constexpr std::uint32_t kNoTriangle = 0xffffffffu;

/// The samples of a tile: what is nearest so far.
struct alignas(64) TileSamples {
  std::array<float, kTileSide * kTileSide * kSamples> nearness;          ///< 1 / z, 0 for nothing
  std::array<std::uint32_t, kTileSide * kTileSide * kSamples> triangle;  ///< kNoTriangle for nothing
};

/// A triangle as a tile sees it: linear functions of the position from the centre of the tile's first pixel. Per edge,
/// a x + b y + c > threshold inside; neighbours see the same numbers negated, so that each sample on their common edge
/// belongs to exactly one of them.
struct alignas(32) TileTriangle {
  float edge_offset[3][kSamples], nearness_offset[kSamples];  ///< what the samples add to their pixel's centre
  float a[3], b[3], c[3], threshold[3];
  float nearness, nearness_dx, nearness_dy, nearest, farthest;
  int first_column, last_column, first_row, last_row;  ///< pixels that it may touch
  std::uint32_t id;
};

/// A pixel of the tile that a triangle touches, before anything nearer; bit s for sample s.
struct TouchedPixel {
  std::uint16_t pixel;
  std::uint8_t samples;
};

struct TileKernels {
  /// Enters an opaque triangle.
  void (*fill)(const TileTriangle& triangle, TileSamples& samples);
  /// Lists the pixels in which the triangle is seen, without entering it, and returns their number.
  int (*probe)(const TileTriangle& triangle, const TileSamples& samples, TouchedPixel* touched);
};

const TileKernels& portable_tile_kernels();
const TileKernels& avx2_tile_kernels();  ///< x86-64 only

}  // namespace limber::scene
