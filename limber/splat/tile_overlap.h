// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>

#include "limber/base/math.h"
#include "limber/splat/raster_kernels.h"

/// Which tiles an ellipse touches: for lists on the CPU and on the GPU.
namespace limber::splat {

/// A root that may be off in its last bit.
LIMBER_HOST_DEVICE inline float fast_root(float x) {
#if defined(__CUDA_ARCH__)
  float root;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(x));
  return root;
#else
  return std::sqrt(x);
#endif
}

/// Where the ellipse lies between two rows of pixels: its columns, with a little slack.
struct Columns {
  float low, high;
};
/// For several pairs of rows of one ellipse.
class EllipseRows {
 public:
  LIMBER_HOST_DEVICE explicit EllipseRows(const Record& r)
      : mean_x_(r.pixel_x + r.offset_x),
        mean_y_(r.pixel_y + r.offset_y),
        slope_(r.slope),
        reach_(r.reach),
        fall_(r.fall),
        top_(fast_root(r.reach / r.fall)),
        peak_(r.slope == 0 ? 0.0f : r.slope * fast_root(r.reach / (r.fall * (r.fall + r.slope * r.slope)))) {}

  LIMBER_HOST_DEVICE Columns between(float y_first, float y_last) const {
    const float dy_low = larger(mean_y_ - y_last, -top_), dy_high = smaller(mean_y_ - y_first, top_);
    const auto extreme = [&](float at, float sign) {
      const float dy = larger(dy_low, smaller(at, dy_high));
      return slope_ * dy + sign * fast_root(larger(0.0f, reach_ - fall_ * dy * dy));
    };
    return {mean_x_ - extreme(peak_, 1.0f) - 0.02f, mean_x_ - extreme(-peak_, -1.0f) + 0.02f};
  }

 private:
  LIMBER_HOST_DEVICE static float larger(float a, float b) { return a < b ? b : a; }
  LIMBER_HOST_DEVICE static float smaller(float a, float b) { return b < a ? b : a; }

  float mean_x_, mean_y_, slope_, reach_, fall_;
  float top_;   ///< half the height
  float peak_;  ///< where dx = slope dy + sqrt(reach - fall dy^2) is greatest
};

/// Which cells of a square of 4 x 4 cells of kCell x kCell pixels, whose first pixel is (x, y), the record may touch:
/// bit 4 row + column.
template <int kCell>
LIMBER_HOST_DEVICE inline std::uint32_t touched_cells(const Record& record, int x, int y) {
  const EllipseRows ellipse(record);
  std::uint32_t mask = 0;
  for (int row = 0; row < 4; ++row) {
    const int top = y + row * kCell, first = record.y0 > top ? record.y0 : top;
    const int end = record.y1 < top + kCell ? record.y1 : top + kCell;
    const Columns columns = ellipse.between(static_cast<float>(first), static_cast<float>(end - 1));
    for (int column = 0; column < 4; ++column) {
      const int left = x + column * kCell;
      const bool reached = first < end && static_cast<float>(left + kCell - 1) >= columns.low &&
                           static_cast<float>(left) <= columns.high;
      mask |= static_cast<std::uint32_t>(reached) << (4 * row + column);
    }
  }
  return mask;
}

/// Calls `body(tile)` for every tile of kWidth x kHeight pixels that the record may touch, row by row.
template <int kWidth, int kHeight, class Body>
LIMBER_HOST_DEVICE inline void for_each_tile(const Record& record, const Box& box, int tiles_x, const Body& body) {
  const int first_x = box.x0 / kWidth, last_x = (box.x1 - 1) / kWidth;
  const int first_y = box.y0 / kHeight, last_y = (box.y1 - 1) / kHeight;
  const bool exact = last_x > first_x && last_y > first_y;  // else the box is tight enough
  const EllipseRows ellipse(record);
  for (int ty = first_y; ty <= last_y; ++ty) {
    int begin = first_x, end = last_x;
    if (exact) {
      const int row = box.y0 > ty * kHeight ? box.y0 : ty * kHeight;
      const int next = box.y1 < (ty + 1) * kHeight ? box.y1 : (ty + 1) * kHeight;
      const Columns columns = ellipse.between(static_cast<float>(row), static_cast<float>(next - 1));
      // The comparisons also hold where the numbers do not fit an int.
      while (begin <= last_x && static_cast<float>((begin + 1) * kWidth - 1) < columns.low) ++begin;
      while (end >= begin && static_cast<float>(end * kWidth) > columns.high) --end;
    }
    for (int tx = begin; tx <= end; ++tx) body(static_cast<std::size_t>(ty * tiles_x + tx));
  }
}

}  // namespace limber::splat
