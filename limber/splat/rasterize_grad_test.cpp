// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "limber/splat/harmonics.h"
#include "limber/splat/rasterize.h"
#include "limber/splat/test_scenes.h"
#include "limber/testing/gradient_check.h"

namespace limber::splat {
namespace {

using testing::check_gradient;
using testing::GradientCheck;

/// Jumps so small that differences do not see them.
RasterSettings gentle_settings() {
  RasterSettings settings;
  settings.alpha_min = 1e-6;
  settings.min_transmittance = 1e-12;
  return settings;
}

constexpr int kBones = 3, kFrames = 2, kPixels = 24 * 20;

RasterInput posed_input(const TestScene& scene, const std::vector<Affine>& bones, const std::vector<Camera>& cameras) {
  RasterInput input;
  input.means = scene.means;
  input.covariances = scene.covariances;
  input.opacities = scene.opacities;
  input.colors = scene.colors;
  input.background = {&scene.background, 1};
  input.influences = scene.influences;
  input.bone_indices = scene.bones;
  input.bone_weights = scene.weights;
  input.bone_count = kBones;
  input.bones = bones;
  input.frame_count = kFrames;
  input.cameras = cameras;
  return input;
}

/// The gradient on the bone matrices where that on the images is `cotangent`.
std::vector<Affine> bone_gradient(const RasterInput& input, const TestCotangent& cotangent) {
  std::vector<Vec3> images(input.cameras.size() * kPixels);
  std::vector<float> alphas(images.size());
  std::vector<Affine> grad_bones(input.bones.size(), {Mat3{}, Vec3{}});
  RasterWorkspace workspace;
  rasterize_forward(input, {images, alphas}, workspace, gentle_settings());
  RasterGradient gradient;
  gradient.bones = grad_bones;
  rasterize_backward(input, {images, alphas}, {cotangent.image, cotangent.alpha}, gradient, workspace,
                     gentle_settings());
  return grad_bones;
}

/// Twelve numbers per matrix, row by row.
std::vector<double> flatten(const std::vector<Affine>& bones) {
  std::vector<double> numbers;
  for (const Affine& bone : bones) {
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) numbers.push_back(double(bone.linear(r, c)));
      numbers.push_back(double(bone.translation[r]));
    }
  }
  return numbers;
}
std::vector<Affined> bones_of_frame(std::span<const double> numbers, std::size_t frame) {
  std::vector<Affined> bones(kBones);
  const double* from = numbers.data() + frame * kBones * 12;
  for (Affined& bone : bones) {
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) bone.linear(r, c) = *from++;
      bone.translation[r] = *from++;
    }
  }
  return bones;
}

TEST(RasterizeGrad, ThePoseOnlyBackwardAgreesWithDifferencesOfBoneMatrices) {
  const TestScene scene =
      make_test_scene({.count = 15, .width = 24, .height = 20, .size = 0.15, .bones = kBones, .influences = 4});
  const std::vector<Affine> bones = random_bones(kBones * kFrames, 5);
  const std::vector<Camera> cameras(2 * kFrames, scene.camera);  // two views
  const TestCotangent cotangent = random_cotangent(cameras.size() * kPixels, 2);
  const std::vector<Affine> grad_bones = bone_gradient(posed_input(scene, bones, cameras), cotangent);

  // The loss by the double reference, as a function of all bone matrices.
  const ReferenceGaussians rest = to_reference(scene);
  const ReferenceSkin skin = to_reference_skin(scene);
  const auto loss = [&](std::span<const double> x) {
    double sum = 0;
    for (std::size_t i = 0; i < cameras.size(); ++i) {
      const ReferenceGaussians posed = reference_pose_forward(rest, skin, bones_of_frame(x, i % kFrames));
      const ReferenceImage image = reference_forward(posed, cameras[i], gentle_settings());
      for (std::size_t p = 0; p < kPixels; ++p) {
        sum += dot(image.color[p], cotangent.image[i * kPixels + p].cast<double>());
        sum += (1 - image.transmittance[p]) * double(cotangent.alpha[i * kPixels + p]);
      }
    }
    return sum;
  };
  const std::vector<double> x = flatten(bones);
  // Short steps, so that no two Gaussians change places in depth.
  const std::vector<double> steps(x.size(), 2e-6);
  const GradientCheck result = check_gradient(loss, x, flatten(grad_bones), {.steps = steps});
  EXPECT_LT(result.error, 1e-3) << result.summary();
}

TEST(HarmonicsGrad, CoefficientsAndDirectionsAgreeWithDifferences) {
  for (int degree = 0; degree <= kMaxHarmonicDegree; ++degree) {
    Rng rng(7);
    const auto draw = [&](double size) { return static_cast<float>(size * rng.normal()); };
    const std::size_t terms = static_cast<std::size_t>(harmonic_count(degree)), count = 5;
    const Vec3 eye{0.3f, 0.2f, 3};
    std::vector<Vec3> means, coefficients, weights;
    for (std::size_t i = 0; i < count; ++i) {
      means.push_back({draw(1), draw(1), draw(1)});
      weights.push_back({draw(1), draw(1), draw(1)});
      for (std::size_t k = 0; k < terms; ++k) coefficients.push_back({draw(0.4), draw(0.4), draw(0.4)});
    }
    std::vector<Vec3> grad_coefficients(coefficients.size()), grad_means(count);
    colors_backward(degree, coefficients, means, eye, weights, grad_coefficients, grad_means);

    std::vector<double> x, g;
    const auto add = [](std::vector<double>& to, const std::vector<Vec3>& from) {
      for (const Vec3& v : from) to.insert(to.end(), {double(v.x), double(v.y), double(v.z)});
    };
    add(x, means), add(x, coefficients);
    add(g, grad_means), add(g, grad_coefficients);
    const auto loss = [&](std::span<const double> y) {
      const auto vec = [&](std::size_t i) { return Vec3d{y[3 * i], y[3 * i + 1], y[3 * i + 2]}; };
      double sum = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const auto basis = harmonic_basis(degree, normalized(vec(i) - eye.cast<double>()));
        Vec3d color{0.5, 0.5, 0.5};
        for (std::size_t k = 0; k < terms; ++k) color += basis[k] * vec(count + i * terms + k);
        sum += dot(max(color, Vec3d{}), weights[i].cast<double>());
      }
      return sum;
    };
    const std::vector<double> steps(x.size(), 1e-4);
    const GradientCheck result = check_gradient(loss, x, g, {.steps = steps});
    EXPECT_LT(result.error, 1e-4) << "degree " << degree << ": " << result.summary();
  }
}

}  // namespace
}  // namespace limber::splat
