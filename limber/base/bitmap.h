// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace limber {

/// A picture of 8 bits per channel: rows from the top, channels side by side, colours as displays show them (sRGB),
/// alpha not multiplied in.
struct Bitmap {
  int width = 0, height = 0;
  int channels = 3;  ///< 1 grey, 2 grey and alpha, 3 colour, 4 colour and alpha
  std::vector<std::uint8_t> pixels;

  Bitmap() = default;
  Bitmap(int columns, int rows, int channel_count)  ///< black, transparent
      : width(columns),
        height(rows),
        channels(channel_count),
        pixels(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows) *
               static_cast<std::size_t>(channel_count)) {}

  std::uint8_t* at(int x, int y) {
    return pixels.data() +
           (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)) *
               static_cast<std::size_t>(channels);
  }
  const std::uint8_t* at(int x, int y) const { return const_cast<Bitmap*>(this)->at(x, y); }
  bool operator==(const Bitmap&) const = default;
};

}  // namespace limber
