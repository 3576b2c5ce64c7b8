// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "limber/splat/rasterize.h"
#include "limber/splat/test_scenes.h"

/// Clips of test scenes, for tests of the rasterizer on every device.
namespace limber::splat {

/// A clip of a test scene: what goes in, what comes out, and gradients of everything.
struct Clip {
  TestScene scene;
  std::vector<Affine> bones;
  std::vector<Camera> cameras;
  RasterInput input;
  RasterSettings settings;
  std::vector<Vec3> images, background;
  std::vector<float> alphas;
  TestCotangent cotangent;

  std::vector<Vec3> grad_means, grad_colors, grad_background;
  std::vector<Symmetric> grad_covariances;
  std::vector<float> grad_opacities;
  std::vector<Affine> grad_bones;

  explicit Clip(TestScene test_scene, int frames = 1, int views = 1, int bone_count = 0)
      : scene(std::move(test_scene)), background{scene.background} {
    for (int f = 0; f < frames; ++f) {
      for (const Affine& bone : random_bones(bone_count, static_cast<std::uint64_t>(f) + 1)) bones.push_back(bone);
    }
    for (int i = 0; i < frames * views; ++i) {
      Camera camera = scene.camera;
      camera.camera_from_world.translation.x += 0.05f * static_cast<float>(i);
      cameras.push_back(camera);
    }
    bind(frames, bone_count);
    const std::size_t pixels = cameras.size() * static_cast<std::size_t>(scene.camera.width * scene.camera.height);
    images.resize(pixels);
    alphas.resize(pixels);
    cotangent = random_cotangent(pixels, 11);
  }

  void bind(int frames, int bone_count) {
    input = {.means = scene.means,
             .covariances = scene.covariances,
             .opacities = scene.opacities,
             .colors = scene.colors,
             .background = background,
             .influences = scene.influences,
             .bone_indices = scene.bones,
             .bone_weights = scene.weights,
             .bone_count = bone_count,
             .bones = bones,
             .frame_count = frames,
             .cameras = cameras};
  }

  void forward(RasterWorkspace& workspace) { rasterize_forward(input, {images, alphas}, workspace, settings); }
  void backward(RasterWorkspace& workspace) {
    const std::size_t count = scene.means.size();
    grad_means.assign(count, {});
    grad_covariances.assign(count, {});
    grad_opacities.assign(input.opacities.size(), 0);
    grad_colors.assign(input.colors.size(), {});
    grad_background.assign(background.size(), {});
    grad_bones.assign(bones.size(), {Mat3{}, Vec3{}});
    rasterize_backward(input, {images, alphas}, {cotangent.image, cotangent.alpha},
                       {grad_means, grad_covariances, grad_opacities, grad_colors, grad_background, grad_bones},
                       workspace, settings);
  }
  void backward_pose(RasterWorkspace& workspace) {
    grad_bones.assign(bones.size(), {Mat3{}, Vec3{}});
    RasterGradient gradient;
    gradient.bones = grad_bones;
    rasterize_backward(input, {images, alphas}, {cotangent.image, cotangent.alpha}, gradient, workspace, settings);
  }
};

inline std::vector<float> flat(const std::vector<Vec3>& v) {
  std::vector<float> result;
  for (const Vec3& x : v) result.insert(result.end(), {x.x, x.y, x.z});
  return result;
}
inline std::vector<float> flat(const std::vector<Symmetric>& v) {
  std::vector<float> result;
  for (const Symmetric& s : v) result.insert(result.end(), {s.xx, s.xy, s.xz, s.yy, s.yz, s.zz});
  return result;
}
inline std::vector<float> flat(const std::vector<Affine>& v) {
  std::vector<float> result;
  for (const Affine& a : v) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) result.push_back(a.linear(i, j));
      result.push_back(a.translation[i]);
    }
  }
  return result;
}

}  // namespace limber::splat
