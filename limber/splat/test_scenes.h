// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "limber/base/rng.h"
#include "limber/splat/reference.h"
#include "limber/splat/shape.h"

/// Small random scenes for this module's tests.
namespace limber::splat {

struct TestScene {
  std::vector<Vec3> means, scales, colors;
  std::vector<Quat> rotations;
  std::vector<Symmetric> covariances;
  std::vector<float> opacities;
  Vec3 background;
  Camera camera;
  int influences = 0;
  std::vector<std::uint16_t> bones;
  std::vector<float> weights;
};

struct TestSceneSettings {
  int count = 60;
  int width = 48, height = 40;
  double size = 0.12;  ///< typical scale of a Gaussian; the cloud has about unit size
  double opacity_low = 0.1, opacity_high = 0.95;
  int bones = 0, influences = 0;
  std::uint64_t seed = 1;
};

inline TestScene make_test_scene(const TestSceneSettings& settings) {
  Rng rng(settings.seed);
  const auto uniform = [&](double low, double high) { return static_cast<float>(rng.uniform(low, high)); };
  TestScene scene;
  for (int i = 0; i < settings.count; ++i) {
    scene.means.push_back({uniform(-0.8, 0.8), uniform(-0.6, 0.6), uniform(-0.8, 0.8)});
    scene.colors.push_back({uniform(0, 1), uniform(0, 1), uniform(0, 1)});
    scene.rotations.push_back({static_cast<float>(rng.normal()), static_cast<float>(rng.normal()),
                               static_cast<float>(rng.normal()), static_cast<float>(rng.normal())});
    Vec3 scale;
    for (int k = 0; k < 3; ++k) scale[k] = static_cast<float>(settings.size * std::exp(0.5 * rng.normal()));
    scene.scales.push_back(scale);
    scene.opacities.push_back(uniform(settings.opacity_low, settings.opacity_high));
    float total = 0;
    for (int k = 0; k < settings.influences; ++k) {
      scene.bones.push_back(static_cast<std::uint16_t>(rng.below(static_cast<std::uint32_t>(settings.bones))));
      scene.weights.push_back(uniform(0.05, 1));
      total += scene.weights.back();
    }
    for (int k = 0; k < settings.influences; ++k) scene.weights[scene.weights.size() - 1 - std::size_t(k)] /= total;
  }
  scene.covariances.resize(scene.means.size());
  covariances_forward(scene.rotations, scene.scales, scene.covariances);
  scene.background = {0.2f, 0.5f, 0.7f};
  scene.influences = settings.influences;
  scene.camera = look_at({0.4f, 0.7f, 2.6f}, {0, 0, 0}, {0, 1, 0}, 0.8f, settings.width, settings.height);
  // Off centre and not square, so that no mistake hides behind symmetry.
  scene.camera.cx += 1.25f, scene.camera.cy -= 0.75f, scene.camera.fy *= 1.1f;
  return scene;
}

inline ReferenceGaussians to_reference(const TestScene& scene) {
  ReferenceGaussians gaussians;
  for (std::size_t i = 0; i < scene.means.size(); ++i) {
    gaussians.means.push_back(scene.means[i].cast<double>());
    gaussians.covariances.push_back(scene.covariances[i].cast<double>());
    gaussians.opacities.push_back(double(scene.opacities[i]));
    gaussians.colors.push_back(scene.colors[i].cast<double>());
  }
  gaussians.background = scene.background.cast<double>();
  return gaussians;
}

inline ReferenceSkin to_reference_skin(const TestScene& scene) {
  return {scene.influences, scene.bones, std::vector<double>(scene.weights.begin(), scene.weights.end())};
}

/// Bones that turn, stretch and shift a little, different in every frame.
inline std::vector<Affine> random_bones(int count, std::uint64_t seed) {
  Rng rng(seed, 5);
  std::vector<Affine> bones;
  for (int b = 0; b < count; ++b) {
    Affine bone;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) bone.linear(i, j) += static_cast<float>(0.15 * rng.normal());
      bone.translation[i] = static_cast<float>(0.1 * rng.normal());
    }
    bones.push_back(bone);
  }
  return bones;
}

/// Loss weights on every pixel's colour and alpha.
struct TestCotangent {
  std::vector<Vec3> image;
  std::vector<float> alpha;
};
inline TestCotangent random_cotangent(std::size_t pixels, std::uint64_t seed) {
  Rng rng(seed, 9);
  TestCotangent cotangent;
  const auto draw = [&] { return static_cast<float>(rng.normal()); };
  for (std::size_t i = 0; i < pixels; ++i) {
    const float r = draw(), g = draw(), b = draw();
    cotangent.image.push_back({r, g, b});
    cotangent.alpha.push_back(draw());
  }
  return cotangent;
}

}  // namespace limber::splat
