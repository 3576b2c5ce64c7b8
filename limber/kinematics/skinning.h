// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "limber/base/math.h"
#include "limber/base/symmetric.h"
#include "limber/rig/rig.h"

/// Linear blend skinning (AKD eq. 2 and 5) of points, normals and covariances for all frames of a clip at once, with
/// vector-Jacobian products. Float: SIMD (SSE2, AVX2, AVX-512, chosen at run time, see base/simd.h) and threads, the
/// same bits for any number of threads. The plain version in skinning_reference.h, in double, is the yardstick.
namespace limber::kinematics {

using limber::Symmetric;
using limber::SymmetricT;

/// What is skinned. Empty spans are skipped; the others have one entry per row of `weights`.
template <class T>
struct SkinInputT {
  const rig::SkinWeights* weights = nullptr;
  std::span<const Vec3T<T>> points;
  std::span<const Vec3T<T>> normals;
  std::span<const SymmetricT<T>> covariances;
  int bone_count = 0;
  int frame_count = 0;
  std::span<const AffineT<T>> bones;  ///< frames x bones, posed_from_bind
};
using SkinInput = SkinInputT<float>;

/// Skinned geometry, frames x points; a span is empty exactly where the input's is. With w_b the weights of a point:
///   A = sum_b w_b L_b,  t = sum_b w_b t_b
///   point' = A point + t
///   normal' = cofactor(A) normal / |.|, zero where that has no direction
///   covariance' = A S A^T
template <class T>
struct SkinOutputT {
  std::span<Vec3T<T>> points;
  std::span<Vec3T<T>> normals;
  std::span<SymmetricT<T>> covariances;
};
using SkinOutput = SkinOutputT<float>;

void skin_forward(const SkinInput& input, const SkinOutput& output);

/// Gradients on the outputs, frames x points; empty spans count as zero. A symmetric gradient holds dL/d of each stored
/// number, so its off-diagonal entries count both halves.
template <class T>
struct SkinGradientT {
  std::span<const Vec3T<T>> points;
  std::span<const Vec3T<T>> normals;
  std::span<const SymmetricT<T>> covariances;
};
using SkinGradient = SkinGradientT<float>;

/// What the backward pass adds to; empty spans are skipped.
template <class T>
struct SkinInputGradientT {
  std::span<AffineT<T>> bones;           ///< frames x bones
  std::span<Vec3T<T>> points;            ///< bind points, summed over frames
  std::span<Vec3T<T>> normals;           ///< bind normals
  std::span<SymmetricT<T>> covariances;  ///< bind covariances
};
using SkinInputGradient = SkinInputGradientT<float>;

/// Vector-Jacobian product of `skin_forward`. Needs nothing that the forward pass made.
void skin_backward(const SkinInput& input, const SkinGradient& gradient, const SkinInputGradient& result);

}  // namespace limber::kinematics
