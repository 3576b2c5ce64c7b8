// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "limber/base/math.h"
#include "limber/base/result.h"
#include "limber/base/symmetric.h"
#include "limber/splat/camera.h"
#include "limber/splat/settings.h"

/// The rasterizer: all frames of a clip, from all views, in one call, with gradients. Gaussians are skinned and
/// projected in double, four at a time, and blended in float tile by tile with SIMD (portable, AVX2, AVX-512: see
/// base/simd.h) on all threads. Results have the same bits for any number of threads.
///
/// What is drawn is defined by reference.h: by increasing camera depth, equal depths by index; Gaussians whose
/// projection or colour is not finite are left out.
namespace limber::splat {

/// One cloud of Gaussians, how it moves, and who looks at it. Image number i shows frame i % frame_count, so the images
/// of a view follow each other.
struct RasterInput {
  std::span<const Vec3> means;             ///< at rest
  std::span<const Symmetric> covariances;  ///< at rest; any symmetric positive semidefinite matrix
  std::span<const float> opacities;        ///< one per Gaussian, or frames x Gaussians
  std::span<const Vec3> colors;            ///< one per Gaussian, or images x Gaussians
  std::span<const Vec3> background;        ///< one, or one per image, or images x pixels; empty: black

  /// Linear blend skinning: x' = A x + t, S' = A S A^T with A = sum w L, t = sum w t. No influences: nothing moves.
  int influences = 0;                           ///< per Gaussian
  std::span<const std::uint16_t> bone_indices;  ///< Gaussians x influences
  std::span<const float> bone_weights;          ///< Gaussians x influences; zeros are skipped
  int bone_count = 0;
  std::span<const Affine> bones;  ///< frames x bones, posed_from_rest

  int frame_count = 1;
  std::span<const Camera> cameras;  ///< views x frames, all of one size, at most 16384 pixels wide and high
};

/// What forward writes: rows of pixels, one image after the other.
struct RasterOutput {
  std::span<Vec3> images;   ///< background included, not clamped
  std::span<float> alphas;  ///< 1 - transmittance
};

/// dL/d of the output; an empty span counts as zero.
struct RasterCotangent {
  std::span<const Vec3> images;
  std::span<const float> alphas;
};

/// What backward adds to, shaped like the input; empty spans are skipped. With `bones` alone (the pose-only backward)
/// neither colours nor opacities are differentiated, which is faster.
struct RasterGradient {
  std::span<Vec3> means;
  std::span<Symmetric> covariances;
  std::span<float> opacities;
  std::span<Vec3> colors;
  std::span<Vec3> background;
  std::span<Affine> bones;  ///< frames x bones, summed over views
};

/// Buffers that calls reuse: after the first call nothing is allocated as long as sizes stay as they were. One call at
/// a time may use a workspace.
class RasterWorkspace {
 public:
  /// Projected Gaussians of earlier images are kept for the backward pass up to `keep_bytes`; those of others are
  /// computed again.
  explicit RasterWorkspace(std::size_t keep_bytes = std::size_t{128} << 20);
  ~RasterWorkspace();
  RasterWorkspace(RasterWorkspace&&) noexcept;
  RasterWorkspace& operator=(RasterWorkspace&&) noexcept;

  /// Bytes held, not counting a GPU's.
  std::size_t bytes() const;

  /// What went wrong in the last call: nothing on the CPU. On a GPU (`RasterSettings::device`) the device may be
  /// missing, out of memory (kOutOfMemory, with sizes) or failing; pictures are black then, and gradients stay as they
  /// were.
  const Status& status() const;

  struct State;

 private:
  friend void rasterize_forward(const RasterInput&, const RasterOutput&, RasterWorkspace&, const RasterSettings&);
  friend void rasterize_backward(const RasterInput&, const RasterOutput&, const RasterCotangent&, const RasterGradient&,
                                 RasterWorkspace&, const RasterSettings&);
  std::unique_ptr<State> state_;
};

void rasterize_forward(const RasterInput& input, const RasterOutput& output, RasterWorkspace& workspace,
                       const RasterSettings& settings = {});

/// Input, output and settings are those of the last forward with this workspace, unchanged.
void rasterize_backward(const RasterInput& input, const RasterOutput& output, const RasterCotangent& cotangent,
                        const RasterGradient& gradient, RasterWorkspace& workspace,
                        const RasterSettings& settings = {});

}  // namespace limber::splat
