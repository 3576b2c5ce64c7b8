// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "limber/splat/rasterize.h"
#include "limber/splat/shape.h"
#include "limber/splat/test_clips.h"
#include "limber/testing/shared_data.h"
#include "limber/testing/tensor_file.h"

/// Agreement with a public rasterizer, for tests on every device.
namespace limber::splat {

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
  std::map<std::string, testing::Tensor> tensors_;
};

inline std::vector<std::filesystem::path> parity_scenes() {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(testing::parity_dir() / "splats", error)) {
    if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Within 5e-6, but for a few values where the 1/255 cut fell the other way by rounding.
inline void expect_images_match(const std::vector<float>& actual, const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  std::size_t flipped = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double difference = std::abs(double(actual[i]) - double(expected[i]));
    ASSERT_LE(difference, 1.0 / 255) << "at " << i;
    if (difference > 5e-6) ++flipped;
  }
  EXPECT_LE(flipped, 3 + expected.size() / 10000);
}

inline void append(std::vector<float>& to, Vec3 v) { to.insert(to.end(), {v.x, v.y, v.z}); }

/// Gradients in the layout of the files.
struct ParityGradient {
  std::vector<float> means, rotations, scales, opacities, colors;

  void add_shape(const ShapeGradient<double>& shape) {
    append(scales, shape.scale.cast<float>());
    const Quat q = shape.rotation.cast<float>();
    rotations.insert(rotations.end(), {q.w, q.x, q.y, q.z});
  }
  void expect_matches(const ParityScene& scene) const {
    EXPECT_LE(testing::relative_error(means, scene.values("grad.means")), 3e-4);
    EXPECT_LE(testing::relative_error(rotations, scene.values("grad.quats_wxyz")), 3e-4);
    EXPECT_LE(testing::relative_error(scales, scene.values("grad.scales")), 3e-4);
    EXPECT_LE(testing::relative_error(opacities, scene.values("grad.opacities")), 3e-4);
    EXPECT_LE(testing::relative_error(colors, scene.values("grad.colors")), 3e-4);
  }
};

/// Images and gradients of the rasterizer against the file's.
inline void check_parity(const ParityScene& scene, const RasterSettings& settings) {
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
  rasterize_forward(input, {image, alpha}, workspace, settings);
  ASSERT_TRUE(workspace.status().ok()) << workspace.status().error().message();
  expect_images_match(flat(image), scene.values("image"));
  expect_images_match(alpha, scene.values("alpha"));

  std::vector<Vec3> grad_means(count), grad_colors(count), grad_scales(count);
  std::vector<Quat> grad_rotations(count, Quat{0, 0, 0, 0});
  std::vector<float> grad_opacities(count);
  rasterize_backward(input, {image, alpha}, {grad_image, scene.values("grad_alpha")},
                     {grad_means, grad_covariances, grad_opacities, grad_colors, {}, {}}, workspace, settings);
  covariances_backward(scene.rotations, scales, grad_covariances, grad_rotations, grad_scales);
  ParityGradient found;
  found.means = flat(grad_means);
  found.scales = flat(grad_scales);
  found.colors = flat(grad_colors);
  found.opacities = grad_opacities;
  for (const Quat& q : grad_rotations) found.rotations.insert(found.rotations.end(), {q.w, q.x, q.y, q.z});
  found.expect_matches(scene);
}

}  // namespace limber::splat
