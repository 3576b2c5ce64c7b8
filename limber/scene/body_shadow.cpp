// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/body_shadow.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "limber/base/threads.h"

namespace limber::scene {
namespace {

constexpr float kFarBelow = 1024;  // heights: rays are parallel to 1 part in 1000
constexpr float kCellsPerBlur = 1.25f;
constexpr float kMargin = 4;       // blurs around the body, beyond which there is no shadow
constexpr float kLargest = 0.25f;  // heights: larger Gaussians may be cut off
constexpr int kMaxSide = 192, kSideStep = 16;
constexpr float kContact = 0.02f;  // heights: how softly heights end at the ground
constexpr double kCover = 3;       // how thoroughly a surface covers what is behind it

/// A height that softly ends at zero, and its derivative.
struct SoftHeight {
  float value, slope;
};
SoftHeight soft_height(float y) {
  if (!std::isfinite(y)) return {0, 0};  // not drawn
  const float root = std::sqrt(y * y + kContact * kContact);
  return {0.5f * (y + root), 0.5f * (1 + y / root)};
}

/// Blurring spreads a Gaussian over more ground; its opacity falls so that a surface covers as much as before, and
/// silhouettes do not grow.
float blurred_opacity(const splat::Gaussians& gaussians, std::size_t i, float blur) {
  const Vec3d s = gaussians.scales[i].cast<double>();
  const double smallest = std::min({s.x, s.y, s.z}), largest = std::max({s.x, s.y, s.z});
  const double middle = s.x + s.y + s.z - smallest - largest, b = double(blur) * double(blur);
  const double cover = largest * middle / (2 * std::sqrt((largest * largest + b) * (middle * middle + b)));
  const double opacity = double(gaussians.opacities[i]) * (1 - std::exp(-kCover * cover));
  return std::isfinite(opacity) ? static_cast<float>(std::clamp(opacity, 0.0, 0.99)) : 0.0f;
}

int grid_side(float extent, float cell) {
  const int points = static_cast<int>(extent / cell) + 2;
  return std::min((points + kSideStep - 1) / kSideStep * kSideStep, kMaxSide + kSideStep);
}

/// A camera far below the grid that looks straight up; pixel centres are grid points, x downwards and z to the right.
Camera camera_below(const ShadowGrid& grid) {
  const float middle_row = 0.5f * static_cast<float>(grid.rows),
              middle_column = 0.5f * static_cast<float>(grid.columns);
  Camera camera;
  camera.camera_from_world.linear = transposed(Mat3::from_columns({0, 0, 1}, {1, 0, 0}, {0, 1, 0}));
  camera.camera_from_world.translation = {-(grid.z0 + grid.cell * middle_column), -(grid.x0 + grid.cell * middle_row),
                                          kFarBelow};
  camera.fx = camera.fy = kFarBelow / grid.cell;
  camera.cx = middle_column + 0.5f;
  camera.cy = middle_row + 0.5f;
  camera.width = grid.columns;
  camera.height = grid.rows;
  return camera;
}

template <class T>
std::size_t held(const std::vector<T>& v) {
  return v.capacity() * sizeof(T);
}

}  // namespace

BodyShadow::BodyShadow(const splat::Gaussians& gaussians, const GroundSettings& ground,
                       const splat::RasterSettings& raster)
    : decay_(ground.shadow_decay), blur_(std::max(ground.shadow_blur, 1e-4f)), margin_(0), raster_(raster) {
  raster_.near = 0.01, raster_.far = 1e10;
  raster_.alpha_min = std::min(raster.alpha_min, 1e-3);  // faint parts add up to the shadow's soft edge
  float largest = 0;
  for (std::size_t i = 0; i < gaussians.size(); ++i) {
    opacities_.push_back(blurred_opacity(gaussians, i, blur_));
    const Vec3 s = gaussians.scales[i];
    largest = std::max(largest, std::min(kLargest, std::max({s.x, s.y, s.z})));
  }
  margin_ = kMargin * std::hypot(blur_, largest);
}

void BodyShadow::place_grids(std::span<const Box> boxes) {
  Vec3 size;
  for (const Box& box : boxes) {
    if (!box.empty()) size = max(size, box.size());
  }
  const float margin = 2 * margin_;
  const float longest = std::min(std::max(size.x, size.z) + margin, 1e6f);
  ShadowGrid grid;
  grid.cell = std::max(blur_ / kCellsPerBlur, longest / static_cast<float>(kMaxSide));
  grid.rows = grid_side(std::min(size.x + margin, 1e6f), grid.cell);
  grid.columns = grid_side(std::min(size.z + margin, 1e6f), grid.cell);
  cells_ = static_cast<std::size_t>(grid.rows) * static_cast<std::size_t>(grid.columns);
  raster_.eps2d = std::max(double(blur_ / grid.cell) * double(blur_ / grid.cell), 0.3);
  grids_.assign(boxes.size(), grid);
  cameras_.resize(boxes.size());
  for (std::size_t f = 0; f < boxes.size(); ++f) {
    const Vec3 middle = boxes[f].empty() ? Vec3{} : boxes[f].center();
    // In whole cells, so that the points of the ground at which shadows are known stay the same.
    const auto first = [&](float center, int side) {
      return grid.cell * std::round(center / grid.cell - 0.5f * static_cast<float>(side));
    };
    grids_[f].x0 = first(middle.x, grid.rows);
    grids_[f].z0 = first(middle.z, grid.columns);
    cameras_[f] = camera_below(grids_[f]);
  }
}

splat::RasterInput BodyShadow::raster_input(const Body& body) const {
  splat::RasterInput input = body.input;
  input.opacities = body.shown.empty() ? opacities_ : shown_opacities_;
  input.colors = colors_;
  input.background = {};
  input.cameras = cameras_;
  return input;
}

void BodyShadow::forward(const Body& body) {
  const std::size_t frames = body.boxes.size(), count = opacities_.size();
  place_grids(body.boxes);
  colors_.resize(frames * count);
  shown_opacities_.resize(body.shown.size());
  images_.resize(frames * cells_), alphas_.resize(frames * cells_);
  values_.resize(frames * cells_), grad_values_.resize(frames * cells_);
  const auto prepare = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin * count; i < end * count; ++i) {
      colors_[i] = {std::exp(-decay_ * soft_height(body.heights[i]).value), 0, 0};
      if (!body.shown.empty()) shown_opacities_[i] = body.shown[i] * opacities_[i % count];
    }
  };
  parallel_for(frames, 1, std::ref(prepare));
  splat::rasterize_forward(raster_input(body), {images_, alphas_}, workspace_, raster_);
  for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = images_[i].x;
}

void BodyShadow::backward(const Body& body, std::span<Affine> grad_bones, std::span<float> grad_heights,
                          std::span<float> grad_shown) {
  const std::size_t frames = body.boxes.size(), count = opacities_.size();
  grad_images_.resize(values_.size());
  for (std::size_t i = 0; i < values_.size(); ++i) grad_images_[i] = {grad_values_[i], 0, 0};
  grad_colors_.assign(frames * count, {});
  grad_opacities_.assign(grad_shown.size(), 0.0f);
  splat::RasterGradient gradient;
  gradient.bones = grad_bones;
  gradient.colors = grad_colors_;
  gradient.opacities = grad_opacities_;
  splat::rasterize_backward(raster_input(body), {images_, alphas_}, {grad_images_, {}}, gradient, workspace_, raster_);
  const auto finish = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin * count; i < end * count; ++i) {
      grad_heights[i] += grad_colors_[i].x * -decay_ * colors_[i].x * soft_height(body.heights[i]).slope;
      if (!grad_shown.empty()) grad_shown[i] += grad_opacities_[i] * opacities_[i % count];
    }
  };
  parallel_for(frames, 1, std::ref(finish));
}

std::size_t BodyShadow::bytes() const {
  return held(opacities_) + held(grids_) + held(values_) + held(grad_values_) + held(cameras_) + held(colors_) +
         held(grad_colors_) + held(shown_opacities_) + held(grad_opacities_) + held(images_) + held(grad_images_) +
         held(alphas_) + workspace_.bytes();
}

}  // namespace limber::scene
