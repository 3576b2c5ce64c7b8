// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "limber/base/math.h"
#include "limber/base/symmetric.h"

/// Shapes of Gaussians: covariances from rotations and scales, with gradients.
namespace limber::splat {

/// R diag(scale)^2 R^T, with R the matrix of `rotation`, which is normalised first (zero counts as the identity).
template <class T>
SymmetricT<T> covariance_forward(QuatT<T> rotation, Vec3T<T> scale) {
  const Mat3T<T> m = to_matrix(normalized(rotation)) * Mat3T<T>::diagonal(scale);
  return to_symmetric(m * transposed(m));
}

/// Gradients on rotation (x, y, z, w) and scale.
template <class T>
struct ShapeGradient {
  QuatT<T> rotation{T(0), T(0), T(0), T(0)};
  Vec3T<T> scale;
};

/// The vector-Jacobian product of `covariance_forward`. The gradient on the rotation is at right angles to it; a zero
/// rotation gets none.
template <class T>
ShapeGradient<T> covariance_backward(QuatT<T> rotation, Vec3T<T> scale, const SymmetricT<T>& grad_covariance) {
  const QuatT<T> q = normalized(rotation);
  const Mat3T<T> r = to_matrix(q);
  const Mat3T<T> grad_m = T(2) * (unfold_gradient(grad_covariance) * (r * Mat3T<T>::diagonal(scale)));
  ShapeGradient<T> grad;
  for (int k = 0; k < 3; ++k) grad.scale[k] = dot(r.column(k), grad_m.column(k));

  using std::sqrt;
  const T length = sqrt(dot(rotation, rotation));
  if (!(length > T(0))) return grad;
  // d to_matrix(q) / dq, contracted with the gradient on the matrix.
  const Mat3T<T> g = grad_m * Mat3T<T>::diagonal(scale);
  const T two = 2, four = 4;
  const QuatT<T> v{two * (q.y * (g(0, 1) + g(1, 0)) + q.z * (g(0, 2) + g(2, 0)) + q.w * (g(2, 1) - g(1, 2))) -
                       four * q.x * (g(1, 1) + g(2, 2)),
                   two * (q.x * (g(0, 1) + g(1, 0)) + q.z * (g(1, 2) + g(2, 1)) + q.w * (g(0, 2) - g(2, 0))) -
                       four * q.y * (g(0, 0) + g(2, 2)),
                   two * (q.x * (g(0, 2) + g(2, 0)) + q.y * (g(1, 2) + g(2, 1)) + q.w * (g(1, 0) - g(0, 1))) -
                       four * q.z * (g(0, 0) + g(1, 1)),
                   two * (q.x * (g(2, 1) - g(1, 2)) + q.y * (g(0, 2) - g(2, 0)) + q.z * (g(1, 0) - g(0, 1)))};
  // Through the normalisation: the part along q has no effect.
  const T along = dot(v, q);
  for (int k = 0; k < 4; ++k) grad.rotation[k] = (v[k] - along * q[k]) / length;
  return grad;
}

/// The same for many Gaussians, computed in double; all spans have one entry per Gaussian.
void covariances_forward(std::span<const Quat> rotations, std::span<const Vec3> scales,
                         std::span<Symmetric> covariances);
/// Adds to `grad_rotations` and `grad_scales`; either may be empty.
void covariances_backward(std::span<const Quat> rotations, std::span<const Vec3> scales,
                          std::span<const Symmetric> grad_covariances, std::span<Quat> grad_rotations,
                          std::span<Vec3> grad_scales);

}  // namespace limber::splat
