// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>

#include "limber/base/math.h"
#include "limber/base/symmetric.h"

/// Spatial algebra (Featherstone, "Rigid Body Dynamics Algorithms", 2008) with every vector along the world's axes and
/// about one common origin: moving from body to body then needs no transforms at all.
namespace limber::physics {

/// A motion (angular, linear velocity of the body at the origin) or a force (torque about the origin, force).
template <class T>
struct SpatialT {
  Vec3T<T> angular, linear;
  bool operator==(const SpatialT&) const = default;
};
using Spatial = SpatialT<double>;

template <class T>
constexpr SpatialT<T> operator+(const SpatialT<T>& a, const SpatialT<T>& b) {
  return {a.angular + b.angular, a.linear + b.linear};
}
template <class T>
constexpr SpatialT<T> operator-(const SpatialT<T>& a, const SpatialT<T>& b) {
  return {a.angular - b.angular, a.linear - b.linear};
}
template <class T>
constexpr SpatialT<T> operator*(T s, const SpatialT<T>& a) {
  return {s * a.angular, s * a.linear};
}
template <class T>
constexpr SpatialT<T>& operator+=(SpatialT<T>& a, const SpatialT<T>& b) {
  return a = a + b;
}
template <class T>
constexpr SpatialT<T>& operator-=(SpatialT<T>& a, const SpatialT<T>& b) {
  return a = a - b;
}
/// Power of a force in a motion.
template <class T>
constexpr T dot(const SpatialT<T>& a, const SpatialT<T>& b) {
  return dot(a.angular, b.angular) + dot(a.linear, b.linear);
}
/// How `motion` changes when it is carried along by `v`.
template <class T>
constexpr SpatialT<T> cross_motion(const SpatialT<T>& v, const SpatialT<T>& motion) {
  return {cross(v.angular, motion.angular), cross(v.angular, motion.linear) + cross(v.linear, motion.angular)};
}
/// How `force` changes when it is carried along by `v`. dot(cross_motion(v, m), f) == -dot(m, cross_force(v, f)).
template <class T>
constexpr SpatialT<T> cross_force(const SpatialT<T>& v, const SpatialT<T>& force) {
  return {cross(v.angular, force.angular) + cross(v.linear, force.linear), cross(v.angular, force.linear)};
}
/// The force `f` acting at point `x`.
template <class T>
constexpr SpatialT<T> force_at(Vec3T<T> x, Vec3T<T> f) {
  return {cross(x, f), f};
}
/// Velocity of the point `x` carried along by the motion `v`.
template <class T>
constexpr Vec3T<T> velocity_at(const SpatialT<T>& v, Vec3T<T> x) {
  return v.linear + cross(v.angular, x);
}

template <class T>
constexpr Vec3T<T> operator*(const SymmetricT<T>& s, Vec3T<T> v) {
  return {s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z,
          s.xz * v.x + s.yz * v.y + s.zz * v.z};
}
/// s += factor v v^T
template <class T>
constexpr void add_outer(SymmetricT<T>& s, T factor, Vec3T<T> v) {
  const Vec3T<T> f = factor * v;
  s.xx += f.x * v.x, s.xy += f.x * v.y, s.xz += f.x * v.z;
  s.yy += f.y * v.y, s.yz += f.y * v.z, s.zz += f.z * v.z;
}
/// R s R^T
template <class T>
constexpr SymmetricT<T> rotated(const Mat3T<T>& r, const SymmetricT<T>& s) {
  const Vec3T<T> x = s * r.row(0), y = s * r.row(1), z = s * r.row(2);
  return {dot(r.row(0), x), dot(r.row(0), y), dot(r.row(0), z), dot(r.row(1), y), dot(r.row(1), z), dot(r.row(2), z)};
}

/// Inertia of a rigid body about the origin: mass, mass times centre, and rotational inertia.
template <class T>
struct InertiaT {
  T mass{};
  Vec3T<T> moment;         ///< mass * centre
  SymmetricT<T> rotation;  ///< about the origin
};

/// From the inertia about the centre of mass at `centre`.
template <class T>
constexpr InertiaT<T> inertia_at(T mass, Vec3T<T> centre, SymmetricT<T> about_centre) {
  const T square = mass * squared_norm(centre);
  about_centre.xx += square, about_centre.yy += square, about_centre.zz += square;
  add_outer(about_centre, -mass, centre);
  return {mass, mass * centre, about_centre};
}
template <class T>
constexpr SpatialT<T> operator*(const InertiaT<T>& i, const SpatialT<T>& v) {
  return {i.rotation * v.angular + cross(i.moment, v.linear), i.mass * v.linear - cross(i.moment, v.angular)};
}

/// A symmetric 6x6 matrix in blocks: the inertia of everything that hangs on a joint.
template <class T>
struct ArticulatedT {
  SymmetricT<T> angular;  ///< torque from angular motion
  Mat3T<T> coupling;      ///< torque from linear motion; its transpose is force from angular motion
  SymmetricT<T> linear;   ///< force from linear motion
};

template <class T>
constexpr ArticulatedT<T> to_articulated(const InertiaT<T>& i) {
  ArticulatedT<T> a;
  a.angular = i.rotation;
  a.coupling.m[0] = {T(0), -i.moment.z, i.moment.y};
  a.coupling.m[1] = {i.moment.z, T(0), -i.moment.x};
  a.coupling.m[2] = {-i.moment.y, i.moment.x, T(0)};
  a.linear = {i.mass, T(0), T(0), i.mass, T(0), i.mass};
  return a;
}
template <class T>
constexpr SpatialT<T> operator*(const ArticulatedT<T>& a, const SpatialT<T>& v) {
  const auto& c = a.coupling.m;
  const Vec3T<T> w = v.angular;
  return {a.angular * w + a.coupling * v.linear,
          Vec3T<T>{c[0][0] * w.x + c[1][0] * w.y + c[2][0] * w.z, c[0][1] * w.x + c[1][1] * w.y + c[2][1] * w.z,
                   c[0][2] * w.x + c[1][2] * w.y + c[2][2] * w.z} +
              a.linear * v.linear};
}
template <class T>
constexpr ArticulatedT<T>& operator+=(ArticulatedT<T>& a, const ArticulatedT<T>& b) {
  a.angular += b.angular, a.linear += b.linear;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) a.coupling.m[i][j] += b.coupling.m[i][j];
  return a;
}
/// a += factor u u^T
template <class T>
constexpr void add_outer(ArticulatedT<T>& a, T factor, const SpatialT<T>& u) {
  add_outer(a.angular, factor, u.angular);
  add_outer(a.linear, factor, u.linear);
  for (int i = 0; i < 3; ++i) {
    const T f = factor * u.angular[i];
    a.coupling.m[i][0] += f * u.linear.x, a.coupling.m[i][1] += f * u.linear.y, a.coupling.m[i][2] += f * u.linear.z;
  }
}
/// Adds a mass of its own for each axis (`across` for x and z, `along` for y) at point `x`: J^T diag J.
template <class T>
constexpr void add_point_mass(ArticulatedT<T>& a, Vec3T<T> x, T across, T along) {
  a.linear.xx += across, a.linear.yy += along, a.linear.zz += across;
  auto& c = a.coupling.m;
  c[0][1] -= x.z * along, c[0][2] += x.y * across;
  c[1][0] += x.z * across, c[1][2] -= x.x * across;
  c[2][0] -= x.y * across, c[2][1] += x.x * along;
  a.angular.xx += x.z * x.z * along + x.y * x.y * across;
  a.angular.yy += (x.z * x.z + x.x * x.x) * across;
  a.angular.zz += x.y * x.y * across + x.x * x.x * along;
  a.angular.xy -= x.x * x.y * across, a.angular.xz -= x.x * x.z * along, a.angular.yz -= x.y * x.z * across;
}

/// Cholesky factor of a positive definite 6x6 matrix, with inverted diagonal.
template <class T>
struct Cholesky6 {
  std::array<std::array<T, 6>, 6> l{};
};
template <class T>
Cholesky6<T> factorize(const ArticulatedT<T>& a) {
  const Mat3T<T> top = to_matrix(a.angular), bottom = to_matrix(a.linear);
  Cholesky6<T> f;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j <= i; ++j) {
      T sum = i < 3 ? top(i, j) : (j < 3 ? a.coupling(j, i - 3) : bottom(i - 3, j - 3));
      for (int k = 0; k < j; ++k) sum -= f.l[i][k] * f.l[j][k];
      f.l[i][j] = i == j ? T(1) / std::sqrt(sum) : sum * f.l[j][j];
    }
  }
  return f;
}
template <class T>
SpatialT<T> solve(const Cholesky6<T>& f, const SpatialT<T>& b) {
  std::array<T, 6> x{b.angular.x, b.angular.y, b.angular.z, b.linear.x, b.linear.y, b.linear.z};
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < i; ++k) x[i] -= f.l[i][k] * x[k];
    x[i] *= f.l[i][i];
  }
  for (int i = 5; i >= 0; --i) {
    for (int k = i + 1; k < 6; ++k) x[i] -= f.l[k][i] * x[k];
    x[i] *= f.l[i][i];
  }
  return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}

}  // namespace limber::physics
