// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

/// Where a video token stands: position tables of the public transformers, rows in the order frame, row, column.
namespace limber::prior {

/// A grid of video tokens.
struct TokenGrid {
  int frames = 0, rows = 0, columns = 0;
  int count() const { return frames * rows * columns; }
  bool operator==(const TokenGrid&) const = default;
};

/// Cosines and sines of a rotary embedding, [tokens, head_dim / 2]: one angle turns each adjacent pair of channels.
struct RotaryTable {
  std::vector<float> cosines, sines;
};

/// CogVideoX-5B. `base_rows` and `base_columns` are the training grid: other grids are fitted into it, keeping their
/// aspect, so that positions are never out of range.
RotaryTable cogvideox_rotary(int head_dim, const TokenGrid& grid, int base_rows, int base_columns);

/// Wan: whole positions, angles in double.
RotaryTable wan_rotary(int head_dim, const TokenGrid& grid);

/// CogVideoX-2B's additive table, [tokens, width]; width is a multiple of 16.
std::vector<float> sincos_positions(int width, const TokenGrid& grid, double spatial_scale, double temporal_scale);

}  // namespace limber::prior
