// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "limber/base/math.h"

/// Rotations as vectors (axis times angle), to integrate them and to differentiate that. Private to `physics`.
namespace limber::physics {

/// sin(x)/x, (1 - cos(x))/x^2 and (x - sin(x))/x^3 of the angle x, accurate near zero.
template <class T>
struct SincTerms {
  T a, b, c;
  explicit SincTerms(T angle) {
    const T square = angle * angle;
    if (square < T(1e-3)) {
      a = T(1) - square / T(6) * (T(1) - square / T(20) * (T(1) - square / T(42)));
      b = T(0.5) - square / T(24) * (T(1) - square / T(30) * (T(1) - square / T(56)));
      c = T(1) / T(6) - square / T(120) * (T(1) - square / T(42) * (T(1) - square / T(72)));
    } else {
      const T s = std::sin(angle);
      a = s / angle;
      b = (T(1) - std::cos(angle)) / square;
      c = (angle - s) / (square * angle);
    }
  }
};

/// The unit quaternion of the rotation vector `v`.
template <class T>
QuatT<T> rotation_quat(Vec3T<T> v) {
  const T angle = norm(v);
  const T s = T(0.5) * SincTerms<T>(angle / T(2)).a;
  return {s * v.x, s * v.y, s * v.z, std::cos(angle / T(2))};
}

/// The rotation vector of a unit quaternion, at most pi long.
template <class T>
Vec3T<T> rotation_vector(QuatT<T> q) {
  if (q.w < T(0)) q = {-q.x, -q.y, -q.z, -q.w};
  const Vec3T<T> u{q.x, q.y, q.z};
  const T s = norm(u);
  if (s < T(1e-6)) return (T(2) / q.w) * u;
  return (T(2) * std::atan2(s, q.w) / s) * u;
}

/// The columns made orthonormal, a mirror kept.
inline Mat3d orthonormal(const Mat3d& m) {
  const Vec3d x = normalized(m.column(0), {1, 0, 0});
  const Vec3d y =
      normalized(m.column(1) - dot(x, m.column(1)) * x, rotate(rotation_between(Vec3d{1, 0, 0}, x), Vec3d{0, 1, 0}));
  const Vec3d z = cross(x, y);
  return Mat3d::from_columns(x, y, determinant(m) < 0 ? -z : z);
}

/// The orthonormal `m` without its mirror.
inline Mat3d proper(const Mat3d& m) { return determinant(m) < 0 ? -1.0 * m : m; }

/// The transposed left Jacobian of the exponential map at `v`, times `g`: a change d of v turns exp(v) by J d.
template <class T>
Vec3T<T> left_jacobian_transposed(Vec3T<T> v, Vec3T<T> g) {
  const SincTerms<T> terms(norm(v));
  const Vec3T<T> once = cross(v, g);
  return g - terms.b * once + terms.c * cross(v, once);
}

}  // namespace limber::physics
