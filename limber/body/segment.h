// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "limber/base/math.h"

namespace limber::body {

struct Segment {
  Vec3d from, to;
};

/// The point of a segment nearest to `p`.
inline Vec3d closest_on_segment(Vec3d p, const Segment& segment) {
  const Vec3d along = segment.to - segment.from;
  const double squared = squared_norm(along);
  const double t = squared > 0 ? std::clamp(dot(p - segment.from, along) / squared, 0.0, 1.0) : 0.0;
  return segment.from + t * along;
}

}  // namespace limber::body
