// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>

#include "limber/base/math.h"

namespace limber {

/// A triangle by its corners.
using Corners = std::array<Vec3d, 3>;

/// Whether the segment from a to b passes through a triangle, not merely touching it.
inline bool pierces(Vec3d a, Vec3d b, const Corners& t) {
  const Vec3d normal = cross(t[1] - t[0], t[2] - t[0]), along = b - a;
  const double facing = dot(normal, along);
  if (std::abs(facing) < 1e-18) return false;
  const double place = dot(normal, t[0] - a) / facing;
  if (place <= 0 || place >= 1) return false;
  const Vec3d hit = a + place * along;
  const auto inside = [&](Vec3d from, Vec3d to) { return dot(normal, cross(to - from, hit - from)) > 0; };
  return inside(t[0], t[1]) && inside(t[1], t[2]) && inside(t[2], t[0]);
}

/// Whether two triangles pass through each other.
inline bool cross_each_other(const Corners& s, const Corners& t) {
  const auto edges_pierce = [](const Corners& of, const Corners& other) {
    return pierces(of[0], of[1], other) || pierces(of[1], of[2], other) || pierces(of[2], of[0], other);
  };
  return edges_pierce(s, t) || edges_pierce(t, s);
}

}  // namespace limber
