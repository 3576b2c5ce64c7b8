// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "limber/scene/cameras.h"
#include "limber/scene/ground.h"
#include "limber/scene/shadow.h"
#include "limber/splat/gaussians.h"
#include "limber/splat/rasterize.h"

/// How much a body of Gaussians darkens the ground below it (AKD appendix C). Private to `scene`.
///
/// AKD's d(P) is the height of the lowest point above P: what a camera far below would see first. So the body is drawn
/// from there by the rasterizer itself, each Gaussian with exp(-decay height) as its colour, blurred by `shadow_blur`,
/// on a coarse grid that moves with the body in whole cells. That is smooth in the pose, and the rasterizer's backward
/// pass gives its gradient.
namespace limber::scene {

class BodyShadow {
 public:
  BodyShadow(const splat::Gaussians& gaussians, const GroundSettings& ground, const splat::RasterSettings& raster);

  /// The body of some frames: `input` tells means, covariances, skin and bones, its other fields are not used.
  /// `heights` and `shown` (the share of its opacity that a Gaussian keeps; empty: all of it) are frames x Gaussians.
  struct Body {
    const splat::RasterInput& input;
    std::span<const Box> boxes;  ///< per frame
    std::span<const float> heights, shown;
  };
  void forward(const Body& body);

  const ShadowGrid& grid(std::size_t frame) const { return grids_[frame]; }
  std::span<const float> values(std::size_t frame) const { return std::span(values_).subspan(frame * cells_, cells_); }
  /// To be filled before `backward`.
  std::span<float> grad_values(std::size_t frame) { return std::span(grad_values_).subspan(frame * cells_, cells_); }

  /// Adds to all three; `grad_shown` is empty where `shown` is or its gradient is not wanted.
  void backward(const Body& body, std::span<Affine> grad_bones, std::span<float> grad_heights,
                std::span<float> grad_shown);

  std::size_t bytes() const;

 private:
  void place_grids(std::span<const Box> boxes);
  splat::RasterInput raster_input(const Body& body) const;

  float decay_, blur_, margin_;
  splat::RasterSettings raster_;
  std::vector<float> opacities_;  ///< per Gaussian, if it is shown entirely
  std::vector<ShadowGrid> grids_;
  std::size_t cells_ = 0;
  std::vector<float> values_, grad_values_;  ///< frames x cells
  std::vector<Camera> cameras_;              ///< per frame
  std::vector<Vec3> colors_, grad_colors_;   ///< frames x Gaussians
  std::vector<float> shown_opacities_, grad_opacities_;
  std::vector<Vec3> images_, grad_images_;  ///< frames x cells
  std::vector<float> alphas_;
  splat::RasterWorkspace workspace_;
};

}  // namespace limber::scene
