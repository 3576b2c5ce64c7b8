// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/base/symmetric.h"
#include "limber/splat/camera.h"
#include "limber/splat/settings.h"

/// The rasterizer in plain double arithmetic, one image, one thread: what the fast one is measured against. Gaussians
/// are drawn one after the other, each over the pixels that it can reach.
namespace limber::splat {

/// Gaussians in world space.
struct ReferenceGaussians {
  std::vector<Vec3d> means;
  std::vector<Symmetricd> covariances;
  std::vector<double> opacities;
  std::vector<Vec3d> colors;
  Vec3d background;
};

/// `Camera` in double, so that tests can take differences.
struct ReferenceCamera {
  Affined camera_from_world;
  double fx = 1, fy = 1, cx = 0, cy = 0;
  int width = 0, height = 0;

  ReferenceCamera() = default;
  ReferenceCamera(const Camera& camera);
};

struct ReferenceImage {
  std::vector<Vec3d> color;           ///< rows of pixels, background included
  std::vector<double> transmittance;  ///< what of the background shows; alpha = 1 - transmittance
  std::vector<int> stop;              ///< per pixel, how many Gaussians in depth order were looked at before it closed
};

/// Gaussians are drawn by increasing camera depth, equal depths by index. Those whose projection or colour is not
/// finite are not drawn.
ReferenceImage reference_forward(const ReferenceGaussians& gaussians, const ReferenceCamera& camera,
                                 const RasterSettings& settings = {});

/// dL/d of every input of `reference_forward`.
struct ReferenceGradient {
  std::vector<Vec3d> means;
  std::vector<Symmetricd> covariances;
  std::vector<double> opacities;
  std::vector<Vec3d> colors;
  Vec3d background;
};

/// From dL/dcolor and dL/dalpha per pixel; an empty span counts as zero.
ReferenceGradient reference_backward(const ReferenceGaussians& gaussians, const ReferenceCamera& camera,
                                     const ReferenceImage& image, std::span<const Vec3d> grad_color,
                                     std::span<const double> grad_alpha, const RasterSettings& settings = {});

/// Linear blend skinning (AKD eq. 2 and 5): x' = A x + t, S' = A S A^T with A = sum w L, t = sum w t.
struct ReferenceSkin {
  int influences = 0;                ///< per Gaussian
  std::vector<std::uint16_t> bones;  ///< Gaussians x influences
  std::vector<double> weights;
};
ReferenceGaussians reference_pose_forward(const ReferenceGaussians& rest, const ReferenceSkin& skin,
                                          std::span<const Affined> bones);

/// Gradients on the bones' matrices and on the rest means and covariances, from those on the posed Gaussians.
struct ReferencePoseGradient {
  std::vector<Affined> bones;
  std::vector<Vec3d> means;
  std::vector<Symmetricd> covariances;
};
ReferencePoseGradient reference_pose_backward(const ReferenceGaussians& rest, const ReferenceSkin& skin,
                                              std::span<const Affined> bones, const ReferenceGradient& grad_posed);

}  // namespace limber::splat
