// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "limber/base/math.h"
#include "limber/rig/rig.h"

/// Linear blend skinning (AKD eq. 2 and 5) of points, normals and covariances for all frames of a clip at once, with
/// vector-Jacobian products. Float: SIMD (SSE2, AVX2, AVX-512, chosen at run time) and threads, the same bits for any
/// number of threads. The plain double version in skinning_reference.h is the yardstick.
namespace limber::kinematics {

/// A symmetric 3x3 matrix: xx, xy, xz, yy, yz, zz.
template <class T>
struct SymmetricT {
  T xx{}, xy{}, xz{}, yy{}, yz{}, zz{};
  bool operator==(const SymmetricT&) const = default;
};
using Symmetric = SymmetricT<float>;

/// What is skinned. Empty spans are skipped; the others have one entry per row of `weights`.
struct SkinInput {
  const rig::SkinWeights* weights = nullptr;
  std::span<const Vec3> points;
  std::span<const Vec3> normals;
  std::span<const Symmetric> covariances;
  int bone_count = 0;
  int frame_count = 0;
  std::span<const Affine> bones;  ///< frames x bones, posed_from_bind
};

/// Skinned geometry, frames x points; a span is empty exactly where the input's is.
///   A = sum_b w_b L_b, t = sum_b w_b t_b;  point' = A point + t;  normal' = cofactor(A) normal / |.|;  covariance' = A
///   S A^T
struct SkinOutput {
  std::span<Vec3> points;
  std::span<Vec3> normals;
  std::span<Symmetric> covariances;
};
void skin_forward(const SkinInput& input, const SkinOutput& output);

/// Gradients on the outputs, frames x points; empty spans count as zero. A symmetric gradient holds dL/d of each stored
/// number, so its off-diagonal entries count both halves.
struct SkinGradient {
  std::span<const Vec3> points;
  std::span<const Vec3> normals;
  std::span<const Symmetric> covariances;
};
/// What the backward pass adds to; empty spans are skipped.
struct SkinInputGradient {
  std::span<Affine> bones;           ///< frames x bones
  std::span<Vec3> points;            ///< bind points, summed over frames
  std::span<Vec3> normals;           ///< bind normals
  std::span<Symmetric> covariances;  ///< bind covariances
};
void skin_backward(const SkinInput& input, const SkinGradient& gradient, const SkinInputGradient& result);

}  // namespace limber::kinematics
