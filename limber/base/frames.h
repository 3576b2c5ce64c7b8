// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace limber {

/// Videos as numbers: [views, frames, 3, height, width] row by row, display values in [0, 1]. Gradients use the same
/// shape. What scenes draw and priors judge.
struct Frames {
  int views = 1, frames = 0, height = 0, width = 0;
  std::vector<float> values;

  Frames() = default;
  Frames(int view_count, int frame_count, int rows, int columns)  ///< black
      : views(view_count), frames(frame_count), height(rows), width(columns), values(size()) {}

  /// Numbers that the shape calls for.
  std::size_t size() const {
    return static_cast<std::size_t>(views) * static_cast<std::size_t>(frames) * 3 * static_cast<std::size_t>(height) *
           static_cast<std::size_t>(width);
  }
};

/// How much of the surroundings pictures of a whole body show.
enum class Framing : std::uint8_t {
  kRest,   ///< room for the longest side of the body at rest
  kReach,  ///< room for what is seen of it from the side, and for what sticks out sideways to swing up, down and along
};

}  // namespace limber
