// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>

#include "limber/base/math.h"
#include "limber/splat/raster_kernels.h"

/// Which tiles an ellipse touches: for lists on the CPU and on the GPU.
namespace limber::splat {

/// Where the ellipse lies between two rows of pixels: its columns, with a little slack.
struct Columns {
  float low, high;
};
LIMBER_HOST_DEVICE inline Columns columns_between(const Record& r, float y_first, float y_last) {
  const auto larger = [](float a, float b) { return a < b ? b : a; };
  const auto smaller = [](float a, float b) { return b < a ? b : a; };
  const float mean_x = r.pixel_x + r.offset_x, mean_y = r.pixel_y + r.offset_y;
  const float top = std::sqrt(r.reach / r.fall);
  const float dy_low = larger(mean_y - y_last, -top), dy_high = smaller(mean_y - y_first, top);
  // dx = slope dy + sqrt(reach - fall dy^2) is greatest here.
  const float peak = r.slope == 0 ? 0.0f : r.slope * std::sqrt(r.reach / (r.fall * (r.fall + r.slope * r.slope)));
  const auto extreme = [&](float at, float sign) {
    const float dy = larger(dy_low, smaller(at, dy_high));
    return r.slope * dy + sign * std::sqrt(larger(0.0f, r.reach - r.fall * dy * dy));
  };
  return {mean_x - extreme(peak, 1.0f) - 0.02f, mean_x - extreme(-peak, -1.0f) + 0.02f};
}

/// Calls `body(tile)` for every tile of kWidth x kHeight pixels that the record may touch, row by row.
template <int kWidth, int kHeight, class Body>
LIMBER_HOST_DEVICE inline void for_each_tile(const Record& record, const Box& box, int tiles_x, const Body& body) {
  const int first_x = box.x0 / kWidth, last_x = (box.x1 - 1) / kWidth;
  const int first_y = box.y0 / kHeight, last_y = (box.y1 - 1) / kHeight;
  const bool exact = last_x > first_x && last_y > first_y;  // else the box is tight enough
  for (int ty = first_y; ty <= last_y; ++ty) {
    int begin = first_x, end = last_x;
    if (exact) {
      const int row = box.y0 > ty * kHeight ? box.y0 : ty * kHeight;
      const int next = box.y1 < (ty + 1) * kHeight ? box.y1 : (ty + 1) * kHeight;
      const Columns columns = columns_between(record, static_cast<float>(row), static_cast<float>(next - 1));
      // The comparisons also hold where the numbers do not fit an int.
      while (begin <= last_x && static_cast<float>((begin + 1) * kWidth - 1) < columns.low) ++begin;
      while (end >= begin && static_cast<float>(end * kWidth) > columns.high) --end;
    }
    for (int tx = begin; tx <= end; ++tx) body(static_cast<std::size_t>(ty * tiles_x + tx));
  }
}

}  // namespace limber::splat
