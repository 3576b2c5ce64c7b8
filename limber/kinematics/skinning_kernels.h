// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// What skinning.cpp and its kernels share. The kernels are compiled once per instruction set, so this header and
/// whatever they include must not hold inline functions that another file could end up calling: plain data only.
///
/// Lanes are frames, not points: a point has the same weights and bones in every frame, so with bone matrices stored
/// entry by entry for a group of frames (`bones` x 12 x width), blending is contiguous loads and FMAs without a gather,
/// and the scatter of bone gradients has no conflicts.
namespace limber::kinematics {

/// Up to `width` frames, and a run of points. Absent arrays are null.
struct SkinJob {
  const float* weights;
  const std::uint16_t* bone_indices;
  int stride;                ///< weights per point
  std::size_t begin, end;    ///< the run of points
  std::size_t point_count;   ///< of all points: the distance between two frames in the arrays below
  int frames;                ///< 1 .. width
  const float* bones;        ///< bones x 12 x width: rows of the linear part, then the translation
  const float* points;       ///< bind space, from point 0: x, y, z
  const float* normals;      ///< x, y, z
  const float* covariances;  ///< six numbers
};

/// Skinned geometry, from the group's first frame, point 0.
struct SkinTargets {
  float* points;
  float* normals;
  float* covariances;
};

/// Gradients on skinned geometry, likewise.
struct SkinSources {
  const float* points;
  const float* normals;
  const float* covariances;
};

/// One instruction set's kernels.
struct SkinKernels {
  int width;  ///< frames in a group
  void (*forward)(const SkinJob& job, const SkinTargets& out);
  /// Adds to `grad_bones`, bones x 12 x width.
  void (*backward_bones)(const SkinJob& job, const SkinSources& grad, float* grad_bones);
  /// Adds to gradients on bind geometry, from point 0.
  void (*backward_bind)(const SkinJob& job, const SkinSources& grad, const SkinTargets& grad_bind);
};

const SkinKernels& portable_skin_kernels();
const SkinKernels& avx2_skin_kernels();
const SkinKernels& avx512_skin_kernels();

}  // namespace limber::kinematics
