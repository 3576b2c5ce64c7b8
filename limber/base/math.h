// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>

/// Small fixed-size maths for hosts and CUDA kernels. Right-handed, +Y up, quaternions (x, y, z, w), matrices act on
/// column vectors. Every type is a template over its scalar; `Vec3` is float, `Vec3d` is double.

#if defined(__CUDACC__)
#define LIMBER_HOST_DEVICE __host__ __device__
#else
#define LIMBER_HOST_DEVICE
#endif

namespace limber {

inline constexpr double kPi = 3.14159265358979323846;

template <class T>
struct Vec2T {
  T x{}, y{};
  bool operator==(const Vec2T&) const = default;
};

template <class T>
struct Vec3T {
  T x{}, y{}, z{};

  LIMBER_HOST_DEVICE constexpr T& operator[](int i) { return i == 0 ? x : (i == 1 ? y : z); }
  LIMBER_HOST_DEVICE constexpr const T& operator[](int i) const { return i == 0 ? x : (i == 1 ? y : z); }
  bool operator==(const Vec3T&) const = default;

  template <class U>
  LIMBER_HOST_DEVICE constexpr Vec3T<U> cast() const {
    return {static_cast<U>(x), static_cast<U>(y), static_cast<U>(z)};
  }
};

template <class T>
struct Vec4T {
  T x{}, y{}, z{}, w{};

  LIMBER_HOST_DEVICE constexpr T& operator[](int i) { return i == 0 ? x : (i == 1 ? y : (i == 2 ? z : w)); }
  LIMBER_HOST_DEVICE constexpr const T& operator[](int i) const { return i == 0 ? x : (i == 1 ? y : (i == 2 ? z : w)); }
  bool operator==(const Vec4T&) const = default;
};

// --- Vec3 -----------------------------------------------------------------------------------------------------------

template <class T>
LIMBER_HOST_DEVICE constexpr Vec3T<T> operator+(Vec3T<T> a, Vec3T<T> b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
LIMBER_HOST_DEVICE constexpr Vec3T<T> operator-(Vec3T<T> a, Vec3T<T> b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
LIMBER_HOST_DEVICE constexpr Vec3T<T> operator-(Vec3T<T> a) {
  return {-a.x, -a.y, -a.z};
}
template <class T>
LIMBER_HOST_DEVICE constexpr Vec3T<T> operator*(T s, Vec3T<T> a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class T>
LIMBER_HOST_DEVICE constexpr Vec3T<T> operator*(Vec3T<T> a, T s) {
  return s * a;
}
template <class T>
LIMBER_HOST_DEVICE constexpr Vec3T<T> operator/(Vec3T<T> a, T s) {
  return {a.x / s, a.y / s, a.z / s};
}
template <class T>
LIMBER_HOST_DEVICE constexpr Vec3T<T>& operator+=(Vec3T<T>& a, Vec3T<T> b) {
  return a = a + b;
}
template <class T>
LIMBER_HOST_DEVICE constexpr Vec3T<T>& operator-=(Vec3T<T>& a, Vec3T<T> b) {
  return a = a - b;
}
template <class T>
LIMBER_HOST_DEVICE constexpr Vec3T<T>& operator*=(Vec3T<T>& a, T s) {
  return a = s * a;
}
/// Component by component.
template <class T>
LIMBER_HOST_DEVICE constexpr Vec3T<T> scaled(Vec3T<T> a, Vec3T<T> b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
template <class T>
LIMBER_HOST_DEVICE constexpr T dot(Vec3T<T> a, Vec3T<T> b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
LIMBER_HOST_DEVICE constexpr Vec3T<T> cross(Vec3T<T> a, Vec3T<T> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
LIMBER_HOST_DEVICE constexpr T squared_norm(Vec3T<T> a) {
  return dot(a, a);
}
template <class T>
LIMBER_HOST_DEVICE T norm(Vec3T<T> a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}
/// Unit vector along `a`; `fallback` where `a` has no direction.
template <class T>
LIMBER_HOST_DEVICE Vec3T<T> normalized(Vec3T<T> a, Vec3T<T> fallback = {T(0), T(1), T(0)}) {
  const T length = norm(a);
  return length > T(0) ? a / length : fallback;
}
template <class T>
LIMBER_HOST_DEVICE constexpr Vec3T<T> min(Vec3T<T> a, Vec3T<T> b) {
  return {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}
template <class T>
LIMBER_HOST_DEVICE constexpr Vec3T<T> max(Vec3T<T> a, Vec3T<T> b) {
  return {a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z};
}
template <class T>
LIMBER_HOST_DEVICE constexpr Vec3T<T> lerp(Vec3T<T> a, Vec3T<T> b, T t) {
  return (T(1) - t) * a + t * b;
}
template <class T>
bool is_finite(Vec3T<T> a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

// --- Mat3: row-major storage, m[row][column]
// --------------------------------------------------------------------------

template <class T>
struct Mat3T {
  std::array<std::array<T, 3>, 3> m{};

  LIMBER_HOST_DEVICE static constexpr Mat3T identity() { return diagonal({T(1), T(1), T(1)}); }
  LIMBER_HOST_DEVICE static constexpr Mat3T diagonal(Vec3T<T> d) {
    Mat3T r;
    r.m[0][0] = d.x, r.m[1][1] = d.y, r.m[2][2] = d.z;
    return r;
  }
  LIMBER_HOST_DEVICE static constexpr Mat3T from_columns(Vec3T<T> a, Vec3T<T> b, Vec3T<T> c) {
    Mat3T r;
    for (int i = 0; i < 3; ++i) r.m[i][0] = a[i], r.m[i][1] = b[i], r.m[i][2] = c[i];
    return r;
  }
  LIMBER_HOST_DEVICE constexpr T& operator()(int row, int column) { return m[row][column]; }
  LIMBER_HOST_DEVICE constexpr const T& operator()(int row, int column) const { return m[row][column]; }
  LIMBER_HOST_DEVICE constexpr Vec3T<T> column(int c) const { return {m[0][c], m[1][c], m[2][c]}; }
  LIMBER_HOST_DEVICE constexpr Vec3T<T> row(int r) const { return {m[r][0], m[r][1], m[r][2]}; }
  bool operator==(const Mat3T&) const = default;

  template <class U>
  LIMBER_HOST_DEVICE constexpr Mat3T<U> cast() const {
    Mat3T<U> r;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) r.m[i][j] = static_cast<U>(m[i][j]);
    return r;
  }
};

template <class T>
LIMBER_HOST_DEVICE constexpr Mat3T<T> operator*(const Mat3T<T>& a, const Mat3T<T>& b) {
  Mat3T<T> r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
  return r;
}
template <class T>
LIMBER_HOST_DEVICE constexpr Vec3T<T> operator*(const Mat3T<T>& a, Vec3T<T> v) {
  return {dot(a.row(0), v), dot(a.row(1), v), dot(a.row(2), v)};
}
template <class T>
LIMBER_HOST_DEVICE constexpr Mat3T<T> operator*(T s, const Mat3T<T>& a) {
  Mat3T<T> r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r.m[i][j] = s * a.m[i][j];
  return r;
}
template <class T>
LIMBER_HOST_DEVICE constexpr Mat3T<T> operator+(const Mat3T<T>& a, const Mat3T<T>& b) {
  Mat3T<T> r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r.m[i][j] = a.m[i][j] + b.m[i][j];
  return r;
}
template <class T>
LIMBER_HOST_DEVICE constexpr Mat3T<T>& operator+=(Mat3T<T>& a, const Mat3T<T>& b) {
  return a = a + b;
}
template <class T>
LIMBER_HOST_DEVICE constexpr Mat3T<T> transposed(const Mat3T<T>& a) {
  return Mat3T<T>::from_columns(a.row(0), a.row(1), a.row(2));
}
/// a b^T
template <class T>
LIMBER_HOST_DEVICE constexpr Mat3T<T> outer(Vec3T<T> a, Vec3T<T> b) {
  return Mat3T<T>::from_columns(b.x * a, b.y * a, b.z * a);
}
template <class T>
LIMBER_HOST_DEVICE constexpr T determinant(const Mat3T<T>& a) {
  return dot(a.row(0), cross(a.row(1), a.row(2)));
}
/// Cofactor matrix: det(a) * transpose(inverse(a)), defined for singular `a` too. Transforms normals.
template <class T>
LIMBER_HOST_DEVICE constexpr Mat3T<T> cofactor(const Mat3T<T>& a) {
  const Vec3T<T> u = a.column(0), v = a.column(1), w = a.column(2);
  return Mat3T<T>::from_columns(cross(v, w), cross(w, u), cross(u, v));
}
/// The inverse; zero where the determinant is zero.
template <class T>
LIMBER_HOST_DEVICE constexpr Mat3T<T> inverse(const Mat3T<T>& a) {
  const T det = determinant(a);
  return det == T(0) ? Mat3T<T>{} : (T(1) / det) * transposed(cofactor(a));
}

// --- Quat
// -------------------------------------------------------------------------------------------------------------

/// Rotation as a unit quaternion, (x, y, z, w) as in glTF.
template <class T>
struct QuatT {
  T x{}, y{}, z{}, w{1};

  LIMBER_HOST_DEVICE constexpr T& operator[](int i) { return i == 0 ? x : (i == 1 ? y : (i == 2 ? z : w)); }
  LIMBER_HOST_DEVICE constexpr const T& operator[](int i) const { return i == 0 ? x : (i == 1 ? y : (i == 2 ? z : w)); }
  bool operator==(const QuatT&) const = default;

  template <class U>
  LIMBER_HOST_DEVICE constexpr QuatT<U> cast() const {
    return {static_cast<U>(x), static_cast<U>(y), static_cast<U>(z), static_cast<U>(w)};
  }
};

template <class T>
LIMBER_HOST_DEVICE constexpr T dot(QuatT<T> a, QuatT<T> b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
template <class T>
LIMBER_HOST_DEVICE constexpr QuatT<T> conjugate(QuatT<T> q) {
  return {-q.x, -q.y, -q.z, q.w};
}
template <class T>
LIMBER_HOST_DEVICE constexpr QuatT<T> operator*(QuatT<T> a, QuatT<T> b) {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
/// Unit quaternion; the identity where `q` has no length.
template <class T>
LIMBER_HOST_DEVICE QuatT<T> normalized(QuatT<T> q) {
  using std::sqrt;
  const T length = sqrt(dot(q, q));
  if (!(length > T(0))) return {};
  return {q.x / length, q.y / length, q.z / length, q.w / length};
}
/// Rotates `v` by the unit quaternion `q`.
template <class T>
LIMBER_HOST_DEVICE constexpr Vec3T<T> rotate(QuatT<T> q, Vec3T<T> v) {
  const Vec3T<T> u{q.x, q.y, q.z};
  const Vec3T<T> t = T(2) * cross(u, v);
  return v + q.w * t + cross(u, t);
}
/// Rotation by `angle` radians about the unit `axis`.
template <class T>
LIMBER_HOST_DEVICE QuatT<T> axis_angle(Vec3T<T> axis, T angle) {
  using std::cos;
  using std::sin;
  const T s = sin(angle / T(2));
  return {s * axis.x, s * axis.y, s * axis.z, cos(angle / T(2))};
}
template <class T>
LIMBER_HOST_DEVICE constexpr Mat3T<T> to_matrix(QuatT<T> q) {
  Mat3T<T> r;
  r.m[0] = {1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y - q.w * q.z), 2 * (q.x * q.z + q.w * q.y)};
  r.m[1] = {2 * (q.x * q.y + q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z - q.w * q.x)};
  r.m[2] = {2 * (q.x * q.z - q.w * q.y), 2 * (q.y * q.z + q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)};
  return r;
}
/// Quaternion of a rotation matrix (Shepperd's method: stable for every angle).
template <class T>
LIMBER_HOST_DEVICE QuatT<T> to_quat(const Mat3T<T>& r) {
  using std::sqrt;
  const T trace = r.m[0][0] + r.m[1][1] + r.m[2][2];
  QuatT<T> q;
  if (trace > T(0)) {
    q = {r.m[2][1] - r.m[1][2], r.m[0][2] - r.m[2][0], r.m[1][0] - r.m[0][1], T(1) + trace};
  } else {
    int i = r.m[1][1] > r.m[0][0] ? 1 : 0;
    if (r.m[2][2] > r.m[i][i]) i = 2;
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    q[i] = T(1) + r.m[i][i] - r.m[j][j] - r.m[k][k];
    q[j] = r.m[j][i] + r.m[i][j];
    q[k] = r.m[k][i] + r.m[i][k];
    q.w = r.m[k][j] - r.m[j][k];
  }
  return normalized(q);
}
/// The shortest rotation that takes direction `from` to direction `to` (both unit vectors).
template <class T>
LIMBER_HOST_DEVICE QuatT<T> rotation_between(Vec3T<T> from, Vec3T<T> to) {
  const T cosine = dot(from, to);
  if (cosine < T(-0.999999)) {
    // Opposite directions: any axis at right angles will do.
    Vec3T<T> axis = cross(Vec3T<T>{T(1), T(0), T(0)}, from);
    if (squared_norm(axis) < T(1e-6)) axis = cross(Vec3T<T>{T(0), T(1), T(0)}, from);
    axis = normalized(axis);
    return {axis.x, axis.y, axis.z, T(0)};
  }
  const Vec3T<T> axis = cross(from, to);
  return normalized(QuatT<T>{axis.x, axis.y, axis.z, T(1) + cosine});
}
/// Spherical interpolation along the shorter arc.
template <class T>
LIMBER_HOST_DEVICE QuatT<T> slerp(QuatT<T> a, QuatT<T> b, T t) {
  using std::acos;
  using std::sin;
  T cosine = dot(a, b);
  if (cosine < T(0)) b = {-b.x, -b.y, -b.z, -b.w}, cosine = -cosine;
  T wa = T(1) - t, wb = t;
  if (cosine < T(0.9995)) {
    const T angle = acos(cosine), sine = sin(angle);
    wa = sin(wa * angle) / sine, wb = sin(wb * angle) / sine;
  }
  return normalized(QuatT<T>{wa * a.x + wb * b.x, wa * a.y + wb * b.y, wa * a.z + wb * b.z, wa * a.w + wb * b.w});
}
/// Angle of the rotation that takes `a` to `b`, in radians, 0 to pi. Accurate for small angles.
template <class T>
LIMBER_HOST_DEVICE T angle_between(QuatT<T> a, QuatT<T> b) {
  using std::atan2;
  using std::fabs;
  const QuatT<T> d = conjugate(a) * b;
  return T(2) * atan2(norm(Vec3T<T>{d.x, d.y, d.z}), T(fabs(d.w)));
}

// --- Transform and Affine
// ---------------------------------------------------------------------------------------------

/// Scale, then rotate, then translate: a glTF node's TRS.
template <class T>
struct TransformT {
  Vec3T<T> translation;
  QuatT<T> rotation;
  Vec3T<T> scale{T(1), T(1), T(1)};
  bool operator==(const TransformT&) const = default;

  template <class U>
  LIMBER_HOST_DEVICE constexpr TransformT<U> cast() const {
    return {translation.template cast<U>(), rotation.template cast<U>(), scale.template cast<U>()};
  }
};

/// x -> linear x + translation. Named `a_from_b`: `world_from_tip = world_from_root * root_from_tip`.
template <class T>
struct AffineT {
  Mat3T<T> linear = Mat3T<T>::identity();
  Vec3T<T> translation;
  bool operator==(const AffineT&) const = default;

  template <class U>
  LIMBER_HOST_DEVICE constexpr AffineT<U> cast() const {
    return {linear.template cast<U>(), translation.template cast<U>()};
  }
};

template <class T>
LIMBER_HOST_DEVICE constexpr AffineT<T> operator*(const AffineT<T>& a, const AffineT<T>& b) {
  return {a.linear * b.linear, a.linear * b.translation + a.translation};
}
template <class T>
LIMBER_HOST_DEVICE constexpr Vec3T<T> operator*(const AffineT<T>& a, Vec3T<T> point) {
  return a.linear * point + a.translation;
}
template <class T>
LIMBER_HOST_DEVICE constexpr AffineT<T> to_affine(const TransformT<T>& t) {
  return {to_matrix(t.rotation) * Mat3T<T>::diagonal(t.scale), t.translation};
}
template <class T>
LIMBER_HOST_DEVICE constexpr AffineT<T> inverse(const AffineT<T>& a) {
  const Mat3T<T> linear = inverse(a.linear);
  return {linear, -(linear * a.translation)};
}
template <class T>
LIMBER_HOST_DEVICE constexpr AffineT<T> translation(Vec3T<T> t) {
  return {Mat3T<T>::identity(), t};
}
/// The translation, rotation and scale nearest to `a`: exact unless `a` shears. A mirroring `a` gets a negative x
/// scale.
template <class T>
LIMBER_HOST_DEVICE TransformT<T> decompose(const AffineT<T>& a) {
  Vec3T<T> scale{norm(a.linear.column(0)), norm(a.linear.column(1)), norm(a.linear.column(2))};
  if (determinant(a.linear) < T(0)) scale.x = -scale.x;
  // Gram-Schmidt, so that a sheared or flattened matrix still gives a rotation.
  const Vec3T<T> x = normalized(scale.x < T(0) ? -a.linear.column(0) : a.linear.column(0), {T(1), T(0), T(0)});
  Vec3T<T> y = a.linear.column(1) - dot(x, a.linear.column(1)) * x;
  if (squared_norm(y) < T(1e-12) * squared_norm(a.linear.column(1)) || squared_norm(y) == T(0)) {
    const Vec3T<T> other = x.y * x.y < T(0.5) ? Vec3T<T>{T(0), T(1), T(0)} : Vec3T<T>{T(0), T(0), T(1)};
    y = other - dot(x, other) * x;
  }
  y = normalized(y);
  return {a.translation, to_quat(Mat3T<T>::from_columns(x, y, cross(x, y))), scale};
}
template <class T>
bool is_finite(const AffineT<T>& a) {
  return is_finite(a.linear.row(0)) && is_finite(a.linear.row(1)) && is_finite(a.linear.row(2)) &&
         is_finite(a.translation);
}

using Vec2 = Vec2T<float>;
using Vec3 = Vec3T<float>;
using Vec4 = Vec4T<float>;
using Quat = QuatT<float>;
using Mat3 = Mat3T<float>;
using Transform = TransformT<float>;
using Affine = AffineT<float>;
using Vec3d = Vec3T<double>;
using Quatd = QuatT<double>;
using Mat3d = Mat3T<double>;
using Transformd = TransformT<double>;
using Affined = AffineT<double>;

}  // namespace limber
