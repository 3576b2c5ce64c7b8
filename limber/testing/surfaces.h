// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "limber/base/math.h"
#include "limber/body/weld.h"

/// Surfaces for tests that study bodies.
namespace limber::testing {

struct TestSurface {
  std::vector<Vec3> points;
  std::vector<body::Triangle> triangles;

  void add(const TestSurface& other) {
    const auto first = static_cast<std::uint32_t>(points.size());
    points.insert(points.end(), other.points.begin(), other.points.end());
    for (const body::Triangle& t : other.triangles) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
};

/// A closed capsule from `a` to `b`, its radius going from `ra` to `rb`; a sphere where the ends are one.
inline TestSurface capsule(Vec3d a, Vec3d b, double ra, double rb, int sides = 16) {
  TestSurface surface;
  const Vec3d axis = normalized(b - a);
  const Vec3d u = normalized(cross(std::abs(axis.x) < 0.7 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0}, axis));
  const Vec3d v = cross(axis, u);
  const int rings = sides / 2, along = squared_norm(b - a) > 0 ? 8 : 0;
  struct Ring {
    Vec3d centre;
    double radius;
  };
  std::vector<Ring> list;
  for (int r = 1; r <= rings / 2; ++r) {
    const double angle = -kPi / 2 + kPi * r / rings;
    list.push_back({a + ra * std::sin(angle) * axis, ra * std::cos(angle)});
  }
  for (int r = 1; r < along; ++r) {
    list.push_back({lerp(a, b, static_cast<double>(r) / along), ra + (rb - ra) * r / along});
  }
  for (int r = along > 0 ? 0 : 1; r < rings - rings / 2; ++r) {
    const double angle = kPi * r / rings;
    list.push_back({b + rb * std::sin(angle) * axis, rb * std::cos(angle)});
  }
  surface.points.push_back((a - ra * axis).cast<float>());
  for (const Ring& ring : list) {
    for (int s = 0; s < sides; ++s) {
      const double angle = 2 * kPi * s / sides;
      surface.points.push_back((ring.centre + ring.radius * (std::cos(angle) * u + std::sin(angle) * v)).cast<float>());
    }
  }
  surface.points.push_back((b + rb * axis).cast<float>());
  const auto last = static_cast<std::uint32_t>(surface.points.size() - 1);
  const auto n = static_cast<std::uint32_t>(sides);
  for (std::uint32_t s = 0; s < n; ++s) {
    const std::uint32_t next = (s + 1) % n;
    surface.triangles.push_back({0, 1 + next, 1 + s});
    for (std::uint32_t r = 0; r + 1 < list.size(); ++r) {
      const std::uint32_t i = 1 + r * n;
      surface.triangles.push_back({i + s, i + next, i + n + next});
      surface.triangles.push_back({i + s, i + n + next, i + n + s});
    }
    surface.triangles.push_back({last - n + s, last - n + next, last});
  }
  return surface;
}

inline TestSurface ball(Vec3d centre, double radius, int sides = 24) {
  return capsule(centre, centre, radius, radius, sides);
}

/// A plain dog: faces +Z, +Y up.
inline TestSurface dog() {
  TestSurface body = capsule({0, 0.55, -0.3}, {0, 0.55, 0.25}, 0.12, 0.13);
  body.add(capsule({0, 0.57, 0.25}, {0, 0.75, 0.42}, 0.07, 0.06));
  body.add(capsule({0, 0.76, 0.42}, {0, 0.72, 0.62}, 0.09, 0.05));
  body.add(capsule({0, 0.6, -0.38}, {0, 0.5, -0.75}, 0.035, 0.02));
  for (const double side : {-1.0, 1.0}) {
    for (const double z : {-0.32, 0.22}) {
      body.add(capsule({side * 0.1, 0.5, z}, {side * 0.11, 0.06, z}, 0.06, 0.035));
      body.add(capsule({side * 0.11, 0.04, z}, {side * 0.11, 0.03, z + 0.1}, 0.035, 0.03));
    }
  }
  return body;
}

}  // namespace limber::testing
