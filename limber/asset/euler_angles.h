// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>

#include "limber/base/math.h"

/// Rotations as three angles in degrees, as BVH and FBX have them. Private to the module.
namespace limber::asset {

using Angles = std::array<double, 3>;

/// The same rotation with angles as near to `last` as can be: programs that read the file interpolate them. For any
/// order of three different axes.
inline Angles nearest(const Angles& angles, const Angles& last) {
  Angles candidates[2] = {angles, {angles[0] + 180, 180 - angles[1], angles[2] + 180}};
  double distance[2] = {0, 0};
  for (int c = 0; c < 2; ++c) {
    for (std::size_t i = 0; i < 3; ++i) {
      candidates[c][i] = last[i] + std::remainder(candidates[c][i] - last[i], 360.0);
      distance[c] += std::abs(candidates[c][i] - last[i]);
    }
  }
  return candidates[distance[1] < distance[0] ? 1 : 0];
}

}  // namespace limber::asset
