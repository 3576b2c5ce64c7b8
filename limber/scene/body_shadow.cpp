// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/body_shadow.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "limber/base/threads.h"
#include "limber/scene/skinned_cloud.h"

namespace limber::scene {
namespace {

constexpr float kFarBelow = 1024;  // heights: rays are parallel to 1 part in 1000
constexpr float kMargin = 4;       // blurs and sizes around the body's means, beyond which there is no shadow
constexpr float kLargest = 0.25f;  // heights: larger Gaussians may be cut off
constexpr int kMaxSide = BodyShadow::kMaxSide, kSideStep = BodyShadow::kSideStep;
constexpr double kCover = 3;  // how thoroughly a surface covers what is behind it

/// The two larger scales.
std::pair<double, double> extents(Vec3 scales) {
  const Vec3d s = scales.cast<double>();
  const double smallest = std::min({s.x, s.y, s.z}), largest = std::max({s.x, s.y, s.z});
  return {largest, s.x + s.y + s.z - smallest - largest};
}

/// Surface that a Gaussian stands for.
double area(Vec3 scales) {
  const auto [a, b] = extents(scales);
  return std::isfinite(a * b) ? kPi * a * b : 0.0;
}

/// Every n-th Gaussian.
splat::Gaussians thinned(const splat::Gaussians& gaussians, std::size_t count) {
  splat::Gaussians result;
  const auto stride = static_cast<std::size_t>(gaussians.influences);
  result.influences = gaussians.influences;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = k * gaussians.size() / count;
    result.means.push_back(gaussians.means[i]);
    result.rotations.push_back(gaussians.rotations[i]);
    result.scales.push_back(gaussians.scales[i]);
    result.opacities.push_back(gaussians.opacities[i]);
    for (std::size_t j = i * stride; j < (i + 1) * stride; ++j) {
      result.bones.push_back(gaussians.bones[j]);
      result.weights.push_back(gaussians.weights[j]);
    }
  }
  return result;
}

/// Blurring spreads a Gaussian over more ground; its opacity changes so that a surface covers as much as before, and
/// silhouettes do not grow. `represented`: how many Gaussians like it there are.
float blurred_opacity(float opacity, Vec3 scales, double blur, double represented) {
  const auto [a, b] = extents(scales);
  const double spread = 2 * kPi * std::sqrt((a * a + blur * blur) * (b * b + blur * blur));
  const double result = double(opacity) * (1 - std::exp(-kCover * represented * area(scales) / spread));
  return std::isfinite(result) ? static_cast<float>(std::clamp(result, 0.0, 0.99)) : 0.0f;
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
                       const splat::RasterSettings& raster, float hide_depth)
    : decay_(ground.shadow_decay),
      hide_depth_(hide_depth),
      raster_(raster),
      casters_(thinned(gaussians, std::min(gaussians.size(), kMaxCasters))),
      covariances_(splat::covariances(casters_)) {
  raster_.near = 0.01, raster_.far = 1e10;
  double all = 0, chosen = 0;
  for (const Vec3& scales : gaussians.scales) all += area(scales);
  for (const Vec3& scales : casters_.scales) chosen += area(scales);
  // Casters that stand for others are blurred until they touch.
  const double count = static_cast<double>(std::max<std::size_t>(casters_.size(), 1));
  const double apart = casters_.size() < gaussians.size() ? 0.4 * std::sqrt(all / count) : 0.0;
  blur_ = static_cast<float>(std::hypot(std::max(double(ground.shadow_blur), 1e-4), apart));
  float largest = 0;
  for (std::size_t i = 0; i < casters_.size(); ++i) {
    const Vec3 s = casters_.scales[i];
    casters_.opacities[i] = blurred_opacity(casters_.opacities[i], s, double(blur_), chosen > 0 ? all / chosen : 1.0);
    largest = std::max(largest, std::min(kLargest, std::max({s.x, s.y, s.z})));
  }
  margin_ = kMargin * std::hypot(blur_, largest);
}

/// Heights and boxes of the casters.
void BodyShadow::find_boxes(std::span<const Affine> bones, int bone_count) {
  const auto each = static_cast<std::size_t>(bone_count);
  const std::size_t frames = bones.size() / each, count = casters_.size();
  boxes_.resize(frames);
  heights_.resize(frames * count);
  const auto pose = [&](std::size_t begin, std::size_t end) {
    for (std::size_t f = begin; f < end; ++f) {
      boxes_[f] = posed_box(casters_, bones.subspan(f * each, each), std::span(heights_).subspan(f * count, count));
    }
  };
  parallel_for(frames, 1, std::ref(pose));
}

void BodyShadow::fit(std::span<const Affine> bones, int bone_count) {
  find_boxes(bones, bone_count);
  clip_size_ = {};
  for (const Box& box : boxes_) {
    if (!box.empty()) clip_size_ = max(clip_size_, box.size());
  }
}

void BodyShadow::place_grids() {
  Vec3 size = clip_size_;
  for (const Box& box : boxes_) {
    if (!box.empty()) size = max(size, box.size());
  }
  const auto side = [&](float extent) { return std::min(extent + 2 * margin_, 1e6f); };
  ShadowGrid grid;
  grid.cell = std::max(blur_, std::max(side(size.x), side(size.z)) / static_cast<float>(kMaxSide));
  grid.rows = grid_side(side(size.x), grid.cell);
  grid.columns = grid_side(side(size.z), grid.cell);
  cells_ = static_cast<std::size_t>(grid.rows) * static_cast<std::size_t>(grid.columns);
  raster_.eps2d = std::max(double(blur_ / grid.cell) * double(blur_ / grid.cell), 0.3);
  grids_.assign(boxes_.size(), grid);
  cameras_.resize(boxes_.size());
  for (std::size_t f = 0; f < boxes_.size(); ++f) {
    const Vec3 middle = boxes_[f].empty() ? Vec3{} : 0.5f * (boxes_[f].low + boxes_[f].high);
    // In whole cells, so that the points of the ground at which shadows are known stay the same.
    const auto first = [&](float center, int points) {
      return grid.cell * std::round(center / grid.cell - 0.5f * static_cast<float>(points));
    };
    grids_[f].x0 = first(middle.x, grid.rows);
    grids_[f].z0 = first(middle.z, grid.columns);
    cameras_[f] = camera_below(grids_[f]);
  }
}

splat::RasterInput BodyShadow::raster_input(std::span<const Affine> bones, int bone_count) const {
  splat::RasterInput input;
  input.means = casters_.means;
  input.covariances = covariances_;
  input.opacities = opacities_;
  input.colors = colors_;
  input.influences = casters_.influences;
  input.bone_indices = casters_.bones;
  input.bone_weights = casters_.weights;
  input.bone_count = bone_count;
  input.bones = bones;
  input.frame_count = static_cast<int>(boxes_.size());
  input.cameras = cameras_;
  return input;
}

void BodyShadow::fit_and_place(std::span<const Affine> bones, int bone_count) {
  fit(bones, bone_count);
  place_grids();
}

std::optional<BodyShadow::Placing> BodyShadow::placing(int least_rows, int least_columns) const {
  if (grids_.empty() || grids_.front().cell > blur_) return std::nullopt;
  // Grid points stay where they are when grids grow by whole steps. Whoever asks for more gets some to spare.
  const auto grown = [](int side, int least) {
    const int roomy = (least + kSideStep / 2 + kSideStep - 1) / kSideStep * kSideStep;
    return least > side ? std::min(roomy, kMaxSide + kSideStep) : side;
  };
  Placing placing{grids_.front(), {}, margin_};
  placing.grid.x0 = placing.grid.z0 = 0;
  placing.grid.rows = grown(placing.grid.rows, least_rows);
  placing.grid.columns = grown(placing.grid.columns, least_columns);
  placing.camera = camera_below(placing.grid);
  return placing;
}

void BodyShadow::forward(std::span<const Affine> bones, int bone_count) {
  find_boxes(bones, bone_count);
  place_grids();
  const std::size_t frames = boxes_.size(), count = casters_.size();
  opacities_.resize(frames * count), colors_.resize(frames * count);
  const auto shade = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin * count; i < end * count; ++i) {
      colors_[i] = {std::exp(-decay_ * splat::soft_height(heights_[i]).value), 0, 0};
      opacities_[i] = splat::shown_at(heights_[i], hide_depth_).share * casters_.opacities[i % count];
    }
  };
  parallel_for(frames, 1, std::ref(shade));
  images_.resize(frames * cells_), alphas_.resize(frames * cells_);
  values_.resize(frames * cells_), grad_values_.resize(frames * cells_);
  splat::rasterize_forward(raster_input(bones, bone_count), {images_, alphas_}, workspace_, raster_);
  for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = images_[i].x;
}

void BodyShadow::backward(std::span<const Affine> bones, int bone_count, std::span<Affine> grad_bones) {
  const auto each = static_cast<std::size_t>(bone_count);
  const std::size_t frames = boxes_.size(), count = casters_.size();
  grad_images_.resize(values_.size());
  for (std::size_t i = 0; i < values_.size(); ++i) grad_images_[i] = {grad_values_[i], 0, 0};
  grad_colors_.assign(frames * count, {});
  grad_opacities_.assign(frames * count, 0.0f);
  splat::RasterGradient gradient;
  gradient.bones = grad_bones;
  gradient.colors = grad_colors_;
  gradient.opacities = grad_opacities_;
  splat::rasterize_backward(raster_input(bones, bone_count), {images_, alphas_}, {grad_images_, {}}, gradient,
                            workspace_, raster_);
  // By their heights casters change colour and sink into the ground.
  grad_heights_.resize(frames * count);
  grad_frame_bones_.assign(bones.size(), {Mat3d{}, {}});
  const auto pose = [&](std::size_t begin, std::size_t end) {
    for (std::size_t f = begin; f < end; ++f) {
      for (std::size_t i = f * count; i < (f + 1) * count; ++i) {
        grad_heights_[i] =
            grad_colors_[i].x * -decay_ * colors_[i].x * splat::soft_height(heights_[i]).slope +
            grad_opacities_[i] * casters_.opacities[i % count] * splat::shown_at(heights_[i], hide_depth_).slope;
      }
      posed_heights_backward(casters_, std::span(grad_heights_).subspan(f * count, count),
                             std::span(grad_frame_bones_).subspan(f * each, each));
      add_rounded(std::span(grad_frame_bones_).subspan(f * each, each), grad_bones.subspan(f * each, each));
    }
  };
  parallel_for(frames, 1, std::ref(pose));
}

std::size_t BodyShadow::bytes() const {
  return held(covariances_) + held(boxes_) + held(grids_) + held(cameras_) + held(values_) + held(grad_values_) +
         held(alphas_) + held(images_) + held(grad_images_) + held(heights_) + held(opacities_) + held(grad_heights_) +
         held(grad_opacities_) + held(colors_) + held(grad_colors_) + held(grad_frame_bones_) + workspace_.bytes();
}

}  // namespace limber::scene
