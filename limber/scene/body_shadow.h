// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "limber/scene/cameras.h"
#include "limber/scene/ground.h"
#include "limber/scene/shadow.h"
#include "limber/splat/gaussians.h"
#include "limber/splat/heights.h"
#include "limber/splat/rasterize.h"

/// How much a body of Gaussians darkens the ground below it (AKD appendix C). Private to `scene`.
///
/// AKD's d(P) is the height of the lowest point above P: what a camera far below would see first. So the body is drawn
/// from there by the rasterizer itself, each Gaussian with exp(-decay height) as its colour, blurred by `shadow_blur`,
/// on a coarse grid that moves with the body in whole cells. That is smooth in the pose, and the rasterizer's backward
/// pass gives its gradient. A shadow is blurred anyway, so a few hundred Gaussians stand for all.
namespace limber::scene {

class BodyShadow {
 public:
  /// The most Gaussians that cast the shadow: more are represented by every n-th of them.
  static constexpr std::size_t kMaxCasters = 600;

  BodyShadow(const splat::Gaussians& gaussians, const GroundSettings& ground, const splat::RasterSettings& raster,
             float hide_depth);

  /// Gaussians that cast the shadow; their opacities are those of the drawing from below.
  const splat::Gaussians& casters() const { return casters_; }
  /// Of the drawing from below.
  const splat::RasterSettings& raster_settings() const { return raster_; }

  /// Makes the grids of the next calls large enough for every frame of a clip, so that they are the same for any part
  /// of it. `bones` are frames x bone_count.
  void fit(std::span<const Affine> bones, int bone_count);

  /// For drawing a whole clip elsewhere than here: `fit`, and the first step of `forward`, which puts grids below the
  /// body.
  void fit_and_place(std::span<const Affine> bones, int bone_count);
  const std::vector<Symmetric>& covariances() const { return covariances_; }
  const std::vector<Camera>& cameras() const { return cameras_; }  ///< from below, per frame
  const std::vector<ShadowGrid>& grids() const { return grids_; }

  /// For placing grids there, too, while motions change: how large they are, and what a frame of that size needs. None
  /// where cells are wider than the blur: then they depend on the motion.
  struct Placing {
    ShadowGrid grid;  ///< its place is still open
    Camera camera;    ///< from below, of such a grid
    float margin = 0;
  };
  std::optional<Placing> placing(int least_rows, int least_columns) const;
  static constexpr int kSideStep = 16, kMaxSide = 192;

  /// Shadows of frames; `bones` are frames x bone_count.
  void forward(std::span<const Affine> bones, int bone_count);

  const ShadowGrid& grid(std::size_t frame) const { return grids_[frame]; }
  std::span<const float> values(std::size_t frame) const { return std::span(values_).subspan(frame * cells_, cells_); }
  /// To be filled before `backward`.
  std::span<float> grad_values(std::size_t frame) { return std::span(grad_values_).subspan(frame * cells_, cells_); }

  /// With the bones of the last forward; adds to `grad_bones`.
  void backward(std::span<const Affine> bones, int bone_count, std::span<Affine> grad_bones);

  std::size_t bytes() const;

 private:
  void find_boxes(std::span<const Affine> bones, int bone_count);
  void place_grids();
  splat::RasterInput raster_input(std::span<const Affine> bones, int bone_count) const;

  float decay_, hide_depth_, blur_, margin_ = 0;
  splat::RasterSettings raster_;
  splat::Gaussians casters_;
  std::vector<Symmetric> covariances_;
  Vec3 clip_size_;                 ///< at least, of the boxes
  std::vector<Box> boxes_;         ///< per frame
  std::vector<ShadowGrid> grids_;  ///< per frame
  std::vector<Camera> cameras_;    ///< per frame
  std::size_t cells_ = 0;
  std::vector<float> values_, grad_values_, alphas_;  ///< frames x cells
  std::vector<Vec3> images_, grad_images_;            ///< frames x cells
  std::vector<float> heights_, opacities_;            ///< frames x casters
  std::vector<float> grad_heights_, grad_opacities_;  ///< frames x casters
  std::vector<Vec3> colors_, grad_colors_;            ///< frames x casters
  std::vector<Affined> grad_frame_bones_;             ///< frames x bones
  splat::RasterWorkspace workspace_;
};

}  // namespace limber::scene
