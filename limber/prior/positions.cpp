// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/positions.h"

#include <cmath>
#include <string>

#include "limber/base/expect.h"

namespace limber::prior {
namespace {

/// w_i = 10000^(-i / half), i = 0 .. half - 1.
std::vector<double> frequencies(int half) {
  std::vector<double> result(static_cast<std::size_t>(half));
  for (int i = 0; i < half; ++i)
    result[static_cast<std::size_t>(i)] = std::pow(10000.0, -static_cast<double>(i) / half);
  return result;
}

/// n points from `first` to `last` in float, counted from the nearer end, as the reference does.
std::vector<float> linspace(float first, float last, int n) {
  std::vector<float> result(static_cast<std::size_t>(n), first);
  if (n < 2) return result;
  const float step = (last - first) / static_cast<float>(n - 1);
  for (int i = 0; i < n; ++i) {
    result[static_cast<std::size_t>(i)] =
        i < n / 2 ? first + step * static_cast<float>(i) : last - step * static_cast<float>(n - 1 - i);
  }
  return result;
}

/// One axis of a rotary table: its positions and how many channel pairs it turns.
struct Axis {
  std::vector<float> positions;
  int pairs = 0;
};

RotaryTable rotary(const TokenGrid& grid, const Axis& time, const Axis& row, const Axis& column, bool exact_angles) {
  RotaryTable table;
  const auto size =
      static_cast<std::size_t>(grid.count()) * static_cast<std::size_t>(time.pairs + row.pairs + column.pairs);
  table.cosines.reserve(size), table.sines.reserve(size);
  const std::vector<double> of_time = frequencies(time.pairs), of_row = frequencies(row.pairs),
                            of_column = frequencies(column.pairs);
  const auto append = [&](float position, const std::vector<double>& all) {
    for (const double frequency : all) {
      // CogVideoX multiplies in float, Wan in double.
      const double angle =
          exact_angles ? position * frequency : static_cast<double>(position * static_cast<float>(frequency));
      table.cosines.push_back(static_cast<float>(std::cos(angle)));
      table.sines.push_back(static_cast<float>(std::sin(angle)));
    }
  };
  for (const float t : time.positions) {
    for (const float y : row.positions) {
      for (const float x : column.positions) {
        append(t, of_time), append(y, of_row), append(x, of_column);
      }
    }
  }
  return table;
}

int rounded(double x) { return static_cast<int>(std::nearbyint(x)); }

Axis counted(int n, int pairs) { return {linspace(0, static_cast<float>(n - 1), n), pairs}; }

}  // namespace

RotaryTable cogvideox_rotary(int head_dim, const TokenGrid& grid, int base_rows, int base_columns) {
  LIMBER_EXPECT(head_dim % 16 == 0, std::to_string(head_dim));
  // Fit the grid into the training grid, as large as its aspect allows, centred.
  int rows = base_rows, columns = base_columns;
  const double aspect = static_cast<double>(grid.rows) / grid.columns;
  if (aspect > static_cast<double>(base_rows) / base_columns) {
    columns = rounded(static_cast<double>(base_rows) / grid.rows * grid.columns);
  } else {
    rows = rounded(static_cast<double>(base_columns) / grid.columns * grid.rows);
  }
  const int top = rounded((base_rows - rows) / 2.0), left = rounded((base_columns - columns) / 2.0);
  const auto axis = [&](int start, int extent, int n, int pairs) {
    const double stop = static_cast<double>(start + extent) * (n - 1) / n;
    return Axis{linspace(static_cast<float>(start), static_cast<float>(stop), n), pairs};
  };
  return rotary(grid, counted(grid.frames, head_dim / 8), axis(top, rows, grid.rows, head_dim / 16 * 3),
                axis(left, columns, grid.columns, head_dim / 16 * 3), false);
}

RotaryTable wan_rotary(int head_dim, const TokenGrid& grid) {
  LIMBER_EXPECT(head_dim % 2 == 0 && head_dim >= 6, std::to_string(head_dim));
  const int space = head_dim / 6, time = head_dim / 2 - 2 * space;
  return rotary(grid, counted(grid.frames, time), counted(grid.rows, space), counted(grid.columns, space), true);
}

std::vector<float> sincos_positions(int width, const TokenGrid& grid, double spatial_scale, double temporal_scale) {
  LIMBER_EXPECT(width % 16 == 0, std::to_string(width));
  std::vector<float> table;
  table.reserve(static_cast<std::size_t>(grid.count()) * static_cast<std::size_t>(width));
  const std::vector<double> of_time = frequencies(width / 8), of_space = frequencies(width / 16 * 3);
  const auto append = [&](double position, const std::vector<double>& all) {
    for (const double frequency : all) table.push_back(static_cast<float>(std::sin(position * frequency)));
    for (const double frequency : all) table.push_back(static_cast<float>(std::cos(position * frequency)));
  };
  for (int t = 0; t < grid.frames; ++t) {
    for (int y = 0; y < grid.rows; ++y) {
      for (int x = 0; x < grid.columns; ++x) {
        // The column comes before the row.
        append(t / temporal_scale, of_time), append(x / spatial_scale, of_space), append(y / spatial_scale, of_space);
      }
    }
  }
  return table;
}

}  // namespace limber::prior
