// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/base/math.h"

namespace limber {

/// A symmetric 3x3 matrix by its six different entries. As a gradient it holds dL/d of each stored number, so its
/// off-diagonal entries count both halves of the matrix.
template <class T>
struct SymmetricT {
  T xx{}, xy{}, xz{}, yy{}, yz{}, zz{};
  bool operator==(const SymmetricT&) const = default;

  template <class U>
  LIMBER_HOST_DEVICE constexpr SymmetricT<U> cast() const {
    return {static_cast<U>(xx), static_cast<U>(xy), static_cast<U>(xz),
            static_cast<U>(yy), static_cast<U>(yz), static_cast<U>(zz)};
  }
};
using Symmetric = SymmetricT<float>;
using Symmetricd = SymmetricT<double>;

template <class T>
LIMBER_HOST_DEVICE constexpr SymmetricT<T>& operator+=(SymmetricT<T>& a, const SymmetricT<T>& b) {
  return a = {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}
template <class T>
LIMBER_HOST_DEVICE constexpr Mat3T<T> to_matrix(const SymmetricT<T>& s) {
  Mat3T<T> m;
  m.m[0] = {s.xx, s.xy, s.xz};
  m.m[1] = {s.xy, s.yy, s.yz};
  m.m[2] = {s.xz, s.yz, s.zz};
  return m;
}
/// The entries on and above the diagonal of `m`, which should be symmetric.
template <class T>
LIMBER_HOST_DEVICE constexpr SymmetricT<T> to_symmetric(const Mat3T<T>& m) {
  return {m(0, 0), m(0, 1), m(0, 2), m(1, 1), m(1, 2), m(2, 2)};
}
/// The gradient on six stored numbers from that on nine matrix entries.
template <class T>
LIMBER_HOST_DEVICE constexpr SymmetricT<T> fold_gradient(const Mat3T<T>& m) {
  return {m(0, 0), m(0, 1) + m(1, 0), m(0, 2) + m(2, 0), m(1, 1), m(1, 2) + m(2, 1), m(2, 2)};
}
/// The symmetric nine-entry gradient from that on six stored numbers: the inverse of `fold_gradient`.
template <class T>
LIMBER_HOST_DEVICE constexpr Mat3T<T> unfold_gradient(const SymmetricT<T>& s) {
  return to_matrix(SymmetricT<T>{s.xx, s.xy / T(2), s.xz / T(2), s.yy, s.yz / T(2), s.zz});
}

}  // namespace limber
