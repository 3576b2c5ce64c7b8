// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "limber/base/simd.h"
#include "limber/splat/parity_testing.h"
#include "limber/splat/reference.h"

namespace limber::splat {
namespace {

ReferenceGaussians reference_gaussians(const ParityScene& scene) {
  ReferenceGaussians gaussians;
  const std::vector<Vec3> scales = scene.vectors("scales"), means = scene.vectors("means");
  const std::vector<Vec3> colors = scene.vectors("colors");
  for (std::size_t i = 0; i < means.size(); ++i) {
    gaussians.means.push_back(means[i].cast<double>());
    gaussians.colors.push_back(colors[i].cast<double>());
    gaussians.opacities.push_back(double(scene.values("opacities")[i]));
    gaussians.covariances.push_back(covariance_forward(scene.rotations[i].cast<double>(), scales[i].cast<double>()));
  }
  gaussians.background = scene.vectors("background")[0].cast<double>();
  return gaussians;
}

TEST(SplatParity, TheReferenceGivesTheImagesAndGradientsOfThePublicRasterizer) {
  const std::vector<std::filesystem::path> files = parity_scenes();
  ASSERT_FALSE(files.empty()) << "no scenes below " << testing::parity_dir();
  for (const std::filesystem::path& file : files) {
    SCOPED_TRACE(file.filename().string());
    const ParityScene scene(file);
    const ReferenceGaussians gaussians = reference_gaussians(scene);
    const ReferenceImage image = reference_forward(gaussians, scene.camera);
    std::vector<float> color, alpha;
    for (std::size_t i = 0; i < image.color.size(); ++i) {
      append(color, image.color[i].cast<float>());
      alpha.push_back(static_cast<float>(1 - image.transmittance[i]));
    }
    expect_images_match(color, scene.values("image"));
    expect_images_match(alpha, scene.values("alpha"));

    std::vector<Vec3d> grad_color;
    for (const Vec3& g : scene.vectors("grad_image")) grad_color.push_back(g.cast<double>());
    const std::vector<double> grad_alpha(scene.values("grad_alpha").begin(), scene.values("grad_alpha").end());
    const ReferenceGradient grad = reference_backward(gaussians, scene.camera, image, grad_color, grad_alpha);
    const std::vector<Vec3> scales = scene.vectors("scales");
    ParityGradient found;
    for (std::size_t i = 0; i < gaussians.means.size(); ++i) {
      append(found.means, grad.means[i].cast<float>());
      append(found.colors, grad.colors[i].cast<float>());
      found.opacities.push_back(static_cast<float>(grad.opacities[i]));
      found.add_shape(
          covariance_backward(scene.rotations[i].cast<double>(), scales[i].cast<double>(), grad.covariances[i]));
    }
    found.expect_matches(scene);
  }
}

TEST(SplatParity, TheFastPathGivesThemAtEverySimdLevel) {
  const SimdLevel initial = simd_level();
  for (const std::filesystem::path& file : parity_scenes()) {
    for (const SimdLevel level : available_simd_levels()) {
      SCOPED_TRACE(file.filename().string() + ", " + std::string(simd_level_name(level)));
      set_simd_level(level);
      check_parity(ParityScene(file), {});
    }
  }
  set_simd_level(initial);
}

}  // namespace
}  // namespace limber::splat
