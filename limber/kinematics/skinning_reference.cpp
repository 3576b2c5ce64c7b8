// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/kinematics/skinning_reference.h"

#include <cmath>

namespace limber::kinematics {
namespace {

template <class T>
AffineT<T> scaled(T s, const AffineT<T>& a) {
  return {s * a.linear, s * a.translation};
}

template <class T>
void add(AffineT<T>& sum, const AffineT<T>& a) {
  sum.linear += a.linear;
  sum.translation += a.translation;
}

/// The influences of one point: (bone, weight), zero weights left out.
template <class T, class Body>
void for_each_influence(const rig::SkinWeights& weights, std::size_t point, const Body& body) {
  const auto stride = static_cast<std::size_t>(weights.stride);
  for (std::size_t k = point * stride; k < (point + 1) * stride; ++k) {
    if (weights.weights[k] != 0) body(std::size_t{weights.bones[k]}, static_cast<T>(weights.weights[k]));
  }
}

template <class T>
AffineT<T> blend(const SkinInputT<T>& input, std::size_t frame, std::size_t point) {
  AffineT<T> sum{Mat3T<T>{}, {}};
  for_each_influence<T>(*input.weights, point, [&](std::size_t bone, T weight) {
    add(sum, scaled(weight, input.bones[frame * static_cast<std::size_t>(input.bone_count) + bone]));
  });
  return sum;
}

/// Gradient on A of g . (cofactor(A) n): A's columns u, v, w enter as n.x (v x w) + n.y (w x u) + n.z (u x v).
template <class T>
Mat3T<T> cofactor_backward(const Mat3T<T>& a, Vec3T<T> n, Vec3T<T> g) {
  const Vec3T<T> u = a.column(0), v = a.column(1), w = a.column(2);
  return Mat3T<T>::from_columns(n.y * cross(g, w) + n.z * cross(v, g), n.z * cross(g, u) + n.x * cross(w, g),
                                n.x * cross(g, v) + n.y * cross(u, g));
}

}  // namespace

template <class T>
void skin_forward_reference(const SkinInputT<T>& input, const SkinOutputT<T>& output) {
  const std::size_t count = input.weights->points();
  for (std::size_t f = 0; f < static_cast<std::size_t>(input.frame_count); ++f) {
    for (std::size_t p = 0; p < count; ++p) {
      const AffineT<T> a = blend(input, f, p);
      if (!input.points.empty()) output.points[f * count + p] = a * input.points[p];
      if (!input.normals.empty()) {
        output.normals[f * count + p] = normalized(cofactor(a.linear) * input.normals[p], Vec3T<T>{});
      }
      if (!input.covariances.empty()) {
        output.covariances[f * count + p] =
            to_symmetric(a.linear * to_matrix(input.covariances[p]) * transposed(a.linear));
      }
    }
  }
}
template void skin_forward_reference(const SkinInputT<float>&, const SkinOutputT<float>&);
template void skin_forward_reference(const SkinInputT<double>&, const SkinOutputT<double>&);

template <class T>
void skin_backward_reference(const SkinInputT<T>& input, const SkinGradientT<T>& gradient,
                             const SkinInputGradientT<T>& result) {
  const std::size_t count = input.weights->points();
  for (std::size_t f = 0; f < static_cast<std::size_t>(input.frame_count); ++f) {
    for (std::size_t p = 0; p < count; ++p) {
      const AffineT<T> a = blend(input, f, p);
      AffineT<T> grad{Mat3T<T>{}, {}};
      if (!gradient.points.empty()) {
        const Vec3T<T> g = gradient.points[f * count + p];
        add(grad, AffineT<T>{outer(g, input.points[p]), g});
        if (!result.points.empty()) result.points[p] += transposed(a.linear) * g;
      }
      if (!gradient.normals.empty()) {
        const Vec3T<T> n = input.normals[p], m = cofactor(a.linear) * n, unit = normalized(m, Vec3T<T>{});
        const Vec3T<T> g = gradient.normals[f * count + p];
        const Vec3T<T> grad_m = norm(m) > 0 ? (g - dot(g, unit) * unit) / norm(m) : Vec3T<T>{};
        grad.linear += cofactor_backward(a.linear, n, grad_m);
        if (!result.normals.empty()) result.normals[p] += transposed(cofactor(a.linear)) * grad_m;
      }
      if (!gradient.covariances.empty()) {
        const Mat3T<T> v = unfold_gradient(gradient.covariances[f * count + p]);
        grad.linear += T(2) * (v * a.linear * to_matrix(input.covariances[p]));
        if (!result.covariances.empty()) {
          const SymmetricT<T> g = fold_gradient(transposed(a.linear) * v * a.linear);
          SymmetricT<T>& sum = result.covariances[p];
          sum = {sum.xx + g.xx, sum.xy + g.xy, sum.xz + g.xz, sum.yy + g.yy, sum.yz + g.yz, sum.zz + g.zz};
        }
      }
      if (result.bones.empty()) continue;
      for_each_influence<T>(*input.weights, p, [&](std::size_t bone, T weight) {
        add(result.bones[f * static_cast<std::size_t>(input.bone_count) + bone], scaled(weight, grad));
      });
    }
  }
}
template void skin_backward_reference(const SkinInputT<float>&, const SkinGradientT<float>&,
                                      const SkinInputGradientT<float>&);
template void skin_backward_reference(const SkinInputT<double>&, const SkinGradientT<double>&,
                                      const SkinInputGradientT<double>&);

}  // namespace limber::kinematics
