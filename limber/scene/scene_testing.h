// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "limber/base/rng.h"
#include "limber/scene/body_shadow.h"
#include "limber/scene/scene.h"
#include "limber/scene/skinned_cloud.h"
#include "limber/splat/harmonics.h"
#include "limber/splat/reference.h"
#include "limber/splat/shape.h"
#include "limber/testing/toy_rigs.h"

/// Scenes for this module's tests, and the whole chain from angles to pixels once more in plain double.
namespace limber::scene {

/// What a test draws.
struct TestStage {
  rig::Rig rig;
  splat::Gaussians gaussians;
  kinematics::Motion motion;
  std::vector<Camera> cameras;  ///< views x frames
  SceneSettings settings;

  std::size_t frames() const { return motion.root_translations.size(); }
};

/// Jumps so small that differences do not see them.
inline splat::RasterSettings gentle_settings() {
  splat::RasterSettings settings;
  settings.alpha_min = 1e-6;
  settings.min_transmittance = 1e-12;
  return settings;
}

/// Gaussians at random around the origin, with random skin.
inline splat::Gaussians random_gaussians(std::size_t count, int bones, int degree, std::uint64_t seed) {
  Rng rng(seed, 3);
  const auto uniform = [&](double low, double high) { return static_cast<float>(rng.uniform(low, high)); };
  splat::Gaussians cloud;
  cloud.degree = degree;
  const auto terms = static_cast<std::size_t>(splat::harmonic_count(degree));
  for (std::size_t i = 0; i < count; ++i) {
    const float x = uniform(-0.6, 0.6), y = uniform(-0.5, 0.7), z = uniform(-0.6, 0.6);
    cloud.means.push_back({x, y, z});
    cloud.rotations.push_back(testing::random_rotation(rng));
    const float a = uniform(0.03, 0.15), b = uniform(0.03, 0.15), c = uniform(0.01, 0.1);
    cloud.scales.push_back({a, b, c});
    cloud.opacities.push_back(uniform(0.2, 0.9));
    const float red = uniform(0.1, 0.9), green = uniform(0.1, 0.9), blue = uniform(0.1, 0.9);
    cloud.harmonics.push_back(splat::harmonic_from_color({red, green, blue}));
    for (std::size_t k = 1; k < terms; ++k) cloud.harmonics.push_back(testing::random_vector(rng, 0.15));
  }
  const rig::SkinWeights skin = testing::toy_weights(count, bones, 4, seed);
  cloud.influences = skin.stride, cloud.bones = skin.bones, cloud.weights = skin.weights;
  return cloud;
}

inline kinematics::Motion random_motion(const rig::Rig& rig, int frames, double size, std::uint64_t seed) {
  Rng rng(seed, 4);
  kinematics::Motion motion = kinematics::rest_motion(rig, frames, 24);
  for (Vec3& angles : motion.angles) angles = testing::random_vector(rng, size);
  for (Vec3& translation : motion.root_translations) translation = testing::random_vector(rng, 0.3 * size);
  return motion;
}

/// Cameras around the origin, different in every view and frame.
inline std::vector<Camera> test_cameras(int views, int frames, int width, int height, Vec3 target = {0, 0.2f, 0}) {
  std::vector<Camera> cameras;
  for (int v = 0; v < views; ++v) {
    for (int f = 0; f < frames; ++f) {
      const float angle = 0.6f + 2.6f * static_cast<float>(v) + 0.1f * static_cast<float>(f);
      const Vec3 eye = target + Vec3{2.6f * std::sin(angle), 0.9f, 2.6f * std::cos(angle)};
      Camera camera = splat::look_at(eye, target, {0, 1, 0}, 0.8f, width, height);
      camera.cx += 1.25f, camera.fy *= 1.1f;  // so that no mistake hides behind symmetry
      cameras.push_back(camera);
    }
  }
  return cameras;
}

inline TestStage toy_stage(int gaussians, int views, int frames, int degree = 0, std::uint64_t seed = 1) {
  rig::Rig rig =
      testing::toy_rig({.joints = 6, .scales = true, .axes = true, .frames = true, .extra_bones = 3, .seed = seed});
  splat::Gaussians cloud = random_gaussians(static_cast<std::size_t>(gaussians), rig.bone_count(), degree, seed);
  kinematics::Motion motion = random_motion(rig, frames, 0.3, seed);
  return {std::move(rig), std::move(cloud), std::move(motion), test_cameras(views, frames, 36, 28), {}};
}

/// The chain from a frame's angles and root to the pixels of all its views, in double and without tricks. Ground
/// colours and shadow grids are constants, as they are in Scene.
class ReferenceScene {
 public:
  /// `raster`: the settings to draw with, where not the stage's own.
  explicit ReferenceScene(const TestStage& stage) : ReferenceScene(stage, stage.settings.raster) {}
  ReferenceScene(const TestStage& stage, const splat::RasterSettings& raster) : stage_(stage), raster_(raster) {
    const splat::Gaussians& cloud = stage.gaussians;
    const std::vector<Symmetric> covariances = splat::covariances(cloud);
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      rest_.means.push_back(cloud.means[i].cast<double>());
      rest_.covariances.push_back(covariances[i].cast<double>());
      rest_.opacities.push_back(double(cloud.opacities[i]));
      rest_.colors.push_back({});
    }
    skin_ = {cloud.influences, cloud.bones, {cloud.weights.begin(), cloud.weights.end()}};
    if (stage.settings.ground.visible && stage.settings.ground.shadow > 0) place_grids();
  }

  /// One frame, seen from all views: pixels of view after view.
  std::vector<Vec3d> draw(std::size_t frame_index, const kinematics::FrameT<double>& frame) const {
    std::vector<Affined> joints(stage_.rig.joints().size()), bones(stage_.rig.bones().size());
    kinematics::joints_forward<double>(stage_.rig, frame, joints);
    kinematics::bones_forward<double>(stage_.rig, joints, bones);
    splat::ReferenceGaussians posed = splat::reference_pose_forward(rest_, skin_, bones);
    for (std::size_t i = 0; i < posed.means.size(); ++i) posed.opacities[i] *= shown_at_height(posed.means[i].y);
    const std::vector<double> shadow = shadow_values(frame_index, bones);
    std::vector<Vec3d> result;
    for (std::size_t c = frame_index; c < stage_.cameras.size(); c += stage_.frames()) {
      set_colors(posed, bones, stage_.cameras[c]);
      const splat::ReferenceImage image = splat::reference_forward(posed, stage_.cameras[c], raster_);
      const std::vector<Vec3d> background = background_of(stage_.cameras[c], frame_index, shadow);
      for (std::size_t p = 0; p < background.size(); ++p) {
        result.push_back(image.color[p] + image.transmittance[p] * background[p]);
      }
    }
    return result;
  }

 private:
  void place_grids() {
    BodyShadow shadow(stage_.gaussians, stage_.settings.ground, stage_.settings.raster, stage_.settings.hide_depth);
    shadow.forward(kinematics::bone_matrices(stage_.rig, stage_.motion), stage_.rig.bone_count());
    for (std::size_t f = 0; f < stage_.frames(); ++f) grids_.push_back(shadow.grid(f));
    eps2d_ = shadow.raster_settings().eps2d;
    const splat::Gaussians& cloud = shadow.casters();
    const std::vector<Symmetric> covariances = splat::covariances(cloud);
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      casters_.means.push_back(cloud.means[i].cast<double>());
      casters_.covariances.push_back(covariances[i].cast<double>());
      casters_.opacities.push_back(double(cloud.opacities[i]));
      casters_.colors.push_back({});
    }
    caster_skin_ = {cloud.influences, cloud.bones, {cloud.weights.begin(), cloud.weights.end()}};
  }

  /// Share of its opacity that a Gaussian keeps.
  double shown_at_height(double y) const {
    const auto depth = double(stage_.settings.hide_depth);
    if (depth < 0 || y >= 0) return 1;
    const double t = depth > 0 ? std::max(0.0, 1 + y / depth) : 0.0;
    return t * t * (3 - 2 * t);
  }

  void set_colors(splat::ReferenceGaussians& posed, std::span<const Affined> bones, const Camera& camera) const {
    const splat::Gaussians& cloud = stage_.gaussians;
    const Vec3d eye = inverse(camera.camera_from_world.cast<double>()).translation;
    const auto terms = static_cast<std::size_t>(splat::harmonic_count(cloud.degree));
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      Mat3d blend;
      for (std::size_t k = i * 4; k < i * 4 + 4; ++k) blend += double(cloud.weights[k]) * bones[cloud.bones[k]].linear;
      const auto basis = splat::harmonic_basis(cloud.degree, normalized(transposed(blend) * (posed.means[i] - eye)));
      Vec3d color{0.5, 0.5, 0.5};
      for (std::size_t k = 0; k < terms; ++k) color += basis[k] * cloud.harmonics[i * terms + k].cast<double>();
      posed.colors[i] = max(color, Vec3d{});
    }
  }

  std::vector<double> shadow_values(std::size_t frame, std::span<const Affined> bones) const {
    if (grids_.empty()) return {};
    const ShadowGrid& grid = grids_[frame];
    const auto cell = double(grid.cell);
    splat::ReferenceGaussians posed = splat::reference_pose_forward(casters_, caster_skin_, bones);
    for (std::size_t i = 0; i < posed.means.size(); ++i) {
      const double y = posed.means[i].y, height = 0.5 * (y + std::sqrt(y * y + 0.02 * 0.02));
      posed.colors[i] = {std::exp(-double(stage_.settings.ground.shadow_decay) * height), 0, 0};
      posed.opacities[i] *= shown_at_height(y);
    }
    splat::RasterSettings settings = raster_;
    settings.near = 0.01, settings.eps2d = eps2d_;
    splat::ReferenceCamera below;
    below.width = grid.columns, below.height = grid.rows;
    below.camera_from_world.linear = transposed(Mat3d::from_columns({0, 0, 1}, {1, 0, 0}, {0, 1, 0}));
    below.camera_from_world.translation = {-(double(grid.z0) + 0.5 * cell * grid.columns),
                                           -(double(grid.x0) + 0.5 * cell * grid.rows), 1024};
    below.fx = below.fy = 1024 / cell;
    below.cx = 0.5 * grid.columns + 0.5, below.cy = 0.5 * grid.rows + 0.5;
    std::vector<double> values;
    for (const Vec3d& pixel : splat::reference_forward(posed, below, settings).color) values.push_back(pixel.x);
    return values;
  }

  std::vector<Vec3d> background_of(const Camera& camera, std::size_t frame, const std::vector<double>& shadow) const {
    const GroundSettings& ground = stage_.settings.ground;
    std::vector<Vec3> plain(static_cast<std::size_t>(camera.width * camera.height));
    draw_ground(camera, ground, plain);
    std::vector<Vec3d> result;
    const Affined world_from_camera = inverse(camera.camera_from_world.cast<double>());
    for (int y = 0; y < camera.height; ++y) {
      for (int x = 0; x < camera.width; ++x) {
        const Vec3d color = plain[result.size()].cast<double>();
        const Vec3d eye = world_from_camera.translation;
        const Vec3d ray = world_from_camera.linear * Vec3d{(x + 0.5 - double(camera.cx)) / double(camera.fx),
                                                           (y + 0.5 - double(camera.cy)) / double(camera.fy), 1};
        double value = 0;
        if (!shadow.empty() && -eye.y / ray.y > 0)
          value = looked_up(shadow, grids_[frame], eye - (eye.y / ray.y) * ray);
        result.push_back((1 - double(ground.shadow) * value) * color);
      }
    }
    return result;
  }

  static double looked_up(const std::vector<double>& values, const ShadowGrid& grid, Vec3d point) {
    const double row = (point.x - double(grid.x0)) / double(grid.cell),
                 column = (point.z - double(grid.z0)) / double(grid.cell);
    if (!(row >= 0 && row < grid.rows - 1 && column >= 0 && column < grid.columns - 1)) return 0;
    const double u = row - std::floor(row), v = column - std::floor(column);
    const double* low = values.data() + static_cast<std::ptrdiff_t>(row) * grid.columns + static_cast<int>(column);
    const double* high = low + grid.columns;
    return (1 - u) * ((1 - v) * low[0] + v * low[1]) + u * ((1 - v) * high[0] + v * high[1]);
  }

  const TestStage& stage_;
  const splat::RasterSettings raster_;
  splat::ReferenceGaussians rest_;
  splat::ReferenceSkin skin_;
  // Of the shadow.
  splat::ReferenceGaussians casters_;
  splat::ReferenceSkin caster_skin_;
  std::vector<ShadowGrid> grids_;
  double eps2d_ = 0;
};

}  // namespace limber::scene
