// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "limber/base/math.h"

/// Curves as lists of points. Private to `body` and `skeleton`.
namespace limber::body {

inline double polyline_length(std::span<const Vec3d> line) {
  double length = 0;
  for (std::size_t k = 1; k < line.size(); ++k) length += norm(line[k] - line[k - 1]);
  return length;
}

/// `pieces` + 1 points at equal distances along `line`, which has one point at least.
inline std::vector<Vec3d> resample(std::span<const Vec3d> line, int pieces) {
  std::vector<Vec3d> result;
  result.reserve(static_cast<std::size_t>(pieces) + 1);
  const double total = polyline_length(line);
  std::size_t k = 0;
  double before = 0;
  for (int s = 0; s <= pieces; ++s) {
    const double at = total * s / pieces;
    while (k + 2 < line.size() && before + norm(line[k + 1] - line[k]) < at) before += norm(line[k + 1] - line[k]), ++k;
    if (k + 1 >= line.size()) {
      result.push_back(line.back());
      continue;
    }
    const double length = norm(line[k + 1] - line[k]);
    result.push_back(lerp(line[k], line[k + 1], length > 0 ? std::clamp((at - before) / length, 0.0, 1.0) : 0.0));
  }
  return result;
}

/// The point a fraction of the way along.
inline Vec3d point_along(std::span<const Vec3d> line, double fraction) {
  const double at = fraction * polyline_length(line);
  double before = 0;
  for (std::size_t k = 1; k < line.size(); ++k) {
    const double length = norm(line[k] - line[k - 1]);
    if (before + length >= at && length > 0) return lerp(line[k - 1], line[k], (at - before) / length);
    before += length;
  }
  return line.back();
}

/// Draws every point between its neighbours, keeping the ends.
inline void smooth(std::vector<Vec3d>& line, int rounds) {
  for (int r = 0; r < rounds; ++r) {
    Vec3d before = line.front();
    for (std::size_t k = 1; k + 1 < line.size(); ++k) {
      const Vec3d here = line[k];
      line[k] = 0.5 * here + 0.25 * (before + line[k + 1]);
      before = here;
    }
  }
}

}  // namespace limber::body
