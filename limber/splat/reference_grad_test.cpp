// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "limber/splat/harmonics.h"
#include "limber/splat/reference.h"
#include "limber/splat/test_scenes.h"
#include "limber/testing/gradient_check.h"

// Differences of the double reference. The 1/255 cut and the transmittance stop are jumps, so most tests switch them
// off; one keeps them and looks only at pixels where nothing is near a jump (splat.md section 8).

namespace limber::splat {
namespace {

using testing::check_gradient;
using testing::GradientCheck;

RasterSettings smooth_settings() {
  RasterSettings settings;
  settings.alpha_min = 0;
  settings.min_transmittance = 0;
  return settings;
}

/// A scene with double inputs that can be written as one flat list of parameters.
struct Problem {
  ReferenceGaussians gaussians;
  ReferenceCamera camera;
  RasterSettings settings = smooth_settings();
  std::vector<Vec3d> grad_color;
  std::vector<double> grad_alpha;

  explicit Problem(const TestScene& scene, std::uint64_t seed = 3)
      : gaussians(to_reference(scene)), camera(scene.camera) {
    const TestCotangent cotangent = random_cotangent(std::size_t(camera.width * camera.height), seed);
    for (const Vec3& g : cotangent.image) grad_color.push_back(g.cast<double>());
    grad_alpha.assign(cotangent.alpha.begin(), cotangent.alpha.end());
  }

  double loss(const ReferenceGaussians& g) const {
    const ReferenceImage image = reference_forward(g, camera, settings);
    double sum = 0;
    for (std::size_t i = 0; i < grad_color.size(); ++i) {
      sum += dot(image.color[i], grad_color[i]) + (1 - image.transmittance[i]) * grad_alpha[i];
    }
    return sum;
  }
  ReferenceGradient gradient() const {
    const ReferenceImage image = reference_forward(gaussians, camera, settings);
    return reference_backward(gaussians, camera, image, grad_color, grad_alpha, settings);
  }
};

constexpr std::size_t kNumbers = 13;  // per Gaussian: mean 3, covariance 6, opacity 1, colour 3

template <class Source>
std::vector<double> flatten(const Source& g) {
  std::vector<double> x;
  for (std::size_t i = 0; i < g.means.size(); ++i) {
    const Symmetricd& s = g.covariances[i];
    for (int k = 0; k < 3; ++k) x.push_back(g.means[i][k]);
    x.insert(x.end(), {s.xx, s.xy, s.xz, s.yy, s.yz, s.zz, g.opacities[i]});
    for (int k = 0; k < 3; ++k) x.push_back(g.colors[i][k]);
  }
  for (int k = 0; k < 3; ++k) x.push_back(g.background[k]);
  return x;
}

ReferenceGaussians unflatten(std::span<const double> x) {
  ReferenceGaussians g;
  std::size_t at = 0;
  for (; at + kNumbers < x.size(); at += kNumbers) {
    const double* v = x.data() + at;
    g.means.push_back({v[0], v[1], v[2]});
    g.covariances.push_back({v[3], v[4], v[5], v[6], v[7], v[8]});
    g.opacities.push_back(v[9]);
    g.colors.push_back({v[10], v[11], v[12]});
  }
  g.background = {x[at], x[at + 1], x[at + 2]};
  return g;
}

/// Small against a covariance of size 0.01, large against rounding.
std::vector<double> steps_for(const std::vector<double>& x) {
  std::vector<double> steps(x.size(), 1e-4);
  for (std::size_t i = 0; i + kNumbers < x.size(); i += kNumbers) {
    for (std::size_t k = 3; k < 9; ++k) steps[i + k] = 1e-5;
  }
  return steps;
}

GradientCheck check(const Problem& problem) {
  const std::vector<double> x = flatten(problem.gaussians), steps = steps_for(x);
  return check_gradient([&](std::span<const double> y) { return problem.loss(unflatten(y)); }, x,
                        flatten(problem.gradient()), {.steps = steps});
}

TEST(SplatReferenceGrad, EveryInputAgreesWithDifferences) {
  const Problem problem(make_test_scene({.count = 12, .width = 20, .height = 16}));
  const GradientCheck result = check(problem);
  EXPECT_LT(result.error, 1e-5) << result.summary();
}

TEST(SplatReferenceGrad, GaussiansOutsideTheGuardedFieldAgreeWithDifferences) {
  TestScene scene = make_test_scene({.count = 6, .width = 16, .height = 16, .size = 0.9, .seed = 4});
  // Far out on all four sides, and large enough to be seen.
  const float far_out[6][2] = {{3, 0}, {-3, 0.2f}, {0, 3}, {0.1f, -3}, {3, 3}, {-3, -3}};
  for (std::size_t i = 0; i < 6; ++i) scene.means[i].x = far_out[i][0], scene.means[i].y = far_out[i][1];
  const GradientCheck result = check(Problem(scene));
  EXPECT_LT(result.error, 1e-5) << result.summary();
}

TEST(SplatReferenceGrad, ClampedAlphaPassesNoGradientToOpacityAndShape) {
  TestScene scene = make_test_scene({.count = 1, .width = 9, .height = 9, .size = 3, .seed = 2});
  scene.means[0] = {0, 0, 0};
  scene.opacities[0] = 50;
  const ReferenceGradient grad = Problem(scene).gradient();
  EXPECT_EQ(grad.opacities[0], 0);
  EXPECT_EQ(grad.means[0], Vec3d{});
  EXPECT_EQ(grad.covariances[0], Symmetricd{});
  EXPECT_NE(grad.colors[0], Vec3d{});
}

TEST(SplatReferenceGrad, WithTheCutsPixelsAwayFromAnyJumpAgreeWithDifferences) {
  const TestScene scene = make_test_scene({.count = 40, .width = 32, .height = 24, .seed = 6});
  Problem problem(scene);
  problem.settings = RasterSettings{};
  // A pixel counts if the cut and the stop can move to both sides without changing it.
  std::vector<ReferenceImage> variants;
  for (const double factor : {0.97, 1.0, 1.03}) {
    RasterSettings moved = problem.settings;
    moved.alpha_min *= factor;
    moved.min_transmittance *= factor;
    variants.push_back(reference_forward(problem.gaussians, problem.camera, moved));
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < problem.grad_color.size(); ++i) {
    if (variants[0].color[i] == variants[1].color[i] && variants[1].color[i] == variants[2].color[i]) {
      ++kept;
    } else {
      problem.grad_color[i] = {};
      problem.grad_alpha[i] = 0;
    }
  }
  ASSERT_GT(kept, problem.grad_color.size() / 4);
  const std::vector<double> x = flatten(problem.gaussians);
  std::vector<double> steps = steps_for(x);
  for (double& step : steps) step *= 0.03;
  const GradientCheck result = check_gradient([&](std::span<const double> y) { return problem.loss(unflatten(y)); }, x,
                                              flatten(problem.gradient()), {.steps = steps});
  EXPECT_LT(result.error, 1e-4) << result.summary();
}

TEST(SplatReferenceGrad, RotationsAndScalesAgreeWithDifferences) {
  const TestScene scene = make_test_scene({.count = 3, .width = 16, .height = 12});
  const Problem problem(scene);
  std::vector<double> x, gradient;
  for (std::size_t i = 0; i < scene.means.size(); ++i) {
    const Quatd q = scene.rotations[i].cast<double>();
    const Vec3d s = scene.scales[i].cast<double>();
    x.insert(x.end(), {q.x, q.y, q.z, q.w, s.x, s.y, s.z});
  }
  const auto posed = [&](std::span<const double> y) {
    ReferenceGaussians g = problem.gaussians;
    for (std::size_t i = 0; i < g.means.size(); ++i) {
      const double* v = y.data() + 7 * i;
      g.covariances[i] = covariance_forward(Quatd{v[0], v[1], v[2], v[3]}, Vec3d{v[4], v[5], v[6]});
    }
    return g;
  };
  // The scene's covariances are rounded to float: take the gradient at the exact ones.
  Problem exact = problem;
  exact.gaussians = posed(x);
  const ReferenceGradient exact_grad = exact.gradient();
  for (std::size_t i = 0; i < scene.means.size(); ++i) {
    const auto shape = covariance_backward(scene.rotations[i].cast<double>(), scene.scales[i].cast<double>(),
                                           exact_grad.covariances[i]);
    for (int k = 0; k < 4; ++k) gradient.push_back(shape.rotation[k]);
    for (int k = 0; k < 3; ++k) gradient.push_back(shape.scale[k]);
  }
  const GradientCheck result = check_gradient([&](std::span<const double> y) { return exact.loss(posed(y)); }, x,
                                              gradient, {.steps = std::vector<double>(x.size(), 1e-4)});
  EXPECT_LT(result.error, 1e-5) << result.summary();
}

TEST(SplatReferenceGrad, BoneMatricesAndRestGaussiansAgreeWithDifferences) {
  const TestScene scene = make_test_scene({.count = 8, .width = 16, .height = 12, .bones = 3, .influences = 4});
  const ReferenceSkin skin = to_reference_skin(scene);
  Problem rest(scene);
  std::vector<Affined> bones;
  for (const Affine& bone : random_bones(3, 7)) bones.push_back(bone.cast<double>());

  Problem posed = rest;
  posed.gaussians = reference_pose_forward(rest.gaussians, skin, bones);
  const ReferencePoseGradient grad = reference_pose_backward(rest.gaussians, skin, bones, posed.gradient());

  std::vector<double> x, gradient, steps;
  const auto add = [&](const Affined& value, const Affined& g) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) x.push_back(value.linear(i, j)), gradient.push_back(g.linear(i, j));
      x.push_back(value.translation[i]), gradient.push_back(g.translation[i]);
    }
  };
  for (std::size_t b = 0; b < bones.size(); ++b) add(bones[b], grad.bones[b]);
  steps.assign(x.size(), 1e-4);
  for (std::size_t i = 0; i < scene.means.size(); ++i) {
    const Symmetricd s = rest.gaussians.covariances[i], g = grad.covariances[i];
    for (int k = 0; k < 3; ++k) x.push_back(rest.gaussians.means[i][k]), gradient.push_back(grad.means[i][k]);
    x.insert(x.end(), {s.xx, s.xy, s.xz, s.yy, s.yz, s.zz});
    gradient.insert(gradient.end(), {g.xx, g.xy, g.xz, g.yy, g.yz, g.zz});
    steps.insert(steps.end(), {1e-4, 1e-4, 1e-4, 1e-5, 1e-5, 1e-5, 1e-5, 1e-5, 1e-5});
  }
  const auto loss = [&](std::span<const double> y) {
    std::vector<Affined> moved = bones;
    std::size_t at = 0;
    for (Affined& bone : moved) {
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) bone.linear(i, j) = y[at++];
        bone.translation[i] = y[at++];
      }
    }
    ReferenceGaussians changed = rest.gaussians;
    for (std::size_t i = 0; i < changed.means.size(); ++i, at += 9) {
      changed.means[i] = {y[at], y[at + 1], y[at + 2]};
      changed.covariances[i] = {y[at + 3], y[at + 4], y[at + 5], y[at + 6], y[at + 7], y[at + 8]};
    }
    return rest.loss(reference_pose_forward(changed, skin, moved));
  };
  const GradientCheck result = check_gradient(loss, x, gradient, {.steps = steps});
  EXPECT_LT(result.error, 1e-5) << result.summary();
}

}  // namespace
}  // namespace limber::splat
