// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/winding_number.h"

#include <cmath>

namespace limber::body {

double winding_number(std::span<const Vec3> points, std::span<const std::array<std::uint32_t, 3>> triangles,
                      Vec3d point) {
  double sum = 0;
  for (const auto& t : triangles) {
    const Vec3d a = points[t[0]].cast<double>() - point, b = points[t[1]].cast<double>() - point,
                c = points[t[2]].cast<double>() - point;
    const double la = norm(a), lb = norm(b), lc = norm(c);
    sum += 2 * std::atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return sum / (4 * kPi);
}

}  // namespace limber::body
