// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>

#include "limber/base/simd.h"
#include "limber/splat/rasterize.h"
#include "limber/splat/reference.h"
#include "limber/splat/shape.h"
#include "limber/testing/shared_data.h"
#include "limber/testing/tensor_file.h"

namespace limber::splat {
namespace {

using testing::relative_error;
using testing::Tensor;

/// A scene with what a public rasterizer made of it; names as in the files.
class ParityScene {
 public:
  explicit ParityScene(const std::filesystem::path& file) : tensors_(testing::read_tensors(file)) {
    const std::vector<float>& view = values("viewmat");
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) camera.camera_from_world.linear(r, c) = view[static_cast<std::size_t>(4 * r + c)];
      camera.camera_from_world.translation[r] = view[static_cast<std::size_t>(4 * r + 3)];
    }
    const std::vector<float>& k = values("K");
    camera.fx = k[0], camera.cx = k[2], camera.fy = k[4], camera.cy = k[5];
    camera.height = static_cast<int>(tensors_.at("image").shape.at(0));
    camera.width = static_cast<int>(tensors_.at("image").shape.at(1));
    const std::vector<float>& q = values("quats_wxyz");
    for (std::size_t i = 0; i < q.size(); i += 4) rotations.push_back({q[i + 1], q[i + 2], q[i + 3], q[i]});
  }

  const std::vector<float>& values(const std::string& name) const { return tensors_.at(name).values; }
  std::vector<Vec3> vectors(const std::string& name) const {
    std::vector<Vec3> result;
    const std::vector<float>& v = values(name);
    for (std::size_t i = 0; i + 2 < v.size(); i += 3) result.push_back({v[i], v[i + 1], v[i + 2]});
    return result;
  }

  Camera camera;
  std::vector<Quat> rotations;

 private:
  std::map<std::string, Tensor> tensors_;
};

std::vector<std::filesystem::path> parity_scenes() {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(testing::parity_dir() / "splats", error)) {
    if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Within 5e-6, but for a few values where the 1/255 cut fell the other way by rounding.
void expect_images_match(const std::vector<float>& actual, const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  std::size_t flipped = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double difference = std::abs(double(actual[i]) - double(expected[i]));
    ASSERT_LE(difference, 1.0 / 255) << "at " << i;
    if (difference > 5e-6) ++flipped;
  }
  EXPECT_LE(flipped, 3 + expected.size() / 10000);
}

void append(std::vector<float>& to, Vec3 v) { to.insert(to.end(), {v.x, v.y, v.z}); }

/// Gradients in the layout of the files.
struct ParityGradient {
  std::vector<float> means, rotations, scales, opacities, colors;

  void add_shape(const ShapeGradient<double>& shape) {
    append(scales, shape.scale.cast<float>());
    const Quat q = shape.rotation.cast<float>();
    rotations.insert(rotations.end(), {q.w, q.x, q.y, q.z});
  }
  void expect_matches(const ParityScene& scene) const {
    EXPECT_LE(relative_error(means, scene.values("grad.means")), 3e-4);
    EXPECT_LE(relative_error(rotations, scene.values("grad.quats_wxyz")), 3e-4);
    EXPECT_LE(relative_error(scales, scene.values("grad.scales")), 3e-4);
    EXPECT_LE(relative_error(opacities, scene.values("grad.opacities")), 3e-4);
    EXPECT_LE(relative_error(colors, scene.values("grad.colors")), 3e-4);
  }
};

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

std::vector<float> flat(const std::vector<Vec3>& vectors) {
  std::vector<float> values;
  for (const Vec3& v : vectors) append(values, v);
  return values;
}

void check_rasterizer(const ParityScene& scene) {
  const std::vector<Vec3> means = scene.vectors("means"), scales = scene.vectors("scales");
  const std::vector<Vec3> colors = scene.vectors("colors"), background = scene.vectors("background");
  const std::vector<Vec3> grad_image = scene.vectors("grad_image");
  const std::size_t count = means.size();
  std::vector<Symmetric> covariances(count), grad_covariances(count);
  covariances_forward(scene.rotations, scales, covariances);
  RasterInput input;
  input.means = means;
  input.covariances = covariances;
  input.opacities = scene.values("opacities");
  input.colors = colors;
  input.background = background;
  input.cameras = {&scene.camera, 1};
  std::vector<Vec3> image(grad_image.size());
  std::vector<float> alpha(grad_image.size());
  RasterWorkspace workspace;
  rasterize_forward(input, {image, alpha}, workspace);
  expect_images_match(flat(image), scene.values("image"));
  expect_images_match(alpha, scene.values("alpha"));

  std::vector<Vec3> grad_means(count), grad_colors(count), grad_scales(count);
  std::vector<Quat> grad_rotations(count, Quat{0, 0, 0, 0});
  std::vector<float> grad_opacities(count);
  rasterize_backward(input, {image, alpha}, {grad_image, scene.values("grad_alpha")},
                     {grad_means, grad_covariances, grad_opacities, grad_colors, {}, {}}, workspace);
  covariances_backward(scene.rotations, scales, grad_covariances, grad_rotations, grad_scales);
  ParityGradient found;
  found.means = flat(grad_means);
  found.scales = flat(grad_scales);
  found.colors = flat(grad_colors);
  found.opacities = grad_opacities;
  for (const Quat& q : grad_rotations) found.rotations.insert(found.rotations.end(), {q.w, q.x, q.y, q.z});
  found.expect_matches(scene);
}

TEST(SplatParity, TheFastPathGivesThemAtEverySimdLevel) {
  const SimdLevel initial = simd_level();
  for (const std::filesystem::path& file : parity_scenes()) {
    for (const SimdLevel level : available_simd_levels()) {
      SCOPED_TRACE(file.filename().string() + ", " + std::string(simd_level_name(level)));
      set_simd_level(level);
      check_rasterizer(ParityScene(file));
    }
  }
  set_simd_level(initial);
}

}  // namespace
}  // namespace limber::splat
