// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/splat_parity.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "limber/nn/safetensors.h"
#include "limber/splat/rasterize.h"
#include "limber/splat/shape.h"

namespace limber::bench {
namespace {

/// The numbers of a tensor of `count` floats; 0: as many as there are.
Result<std::vector<float>> floats(const nn::TensorArchive& archive, const std::string& name, std::size_t count = 0) {
  LIMBER_TRY(const nn::TensorView view, archive.find(name));
  std::vector<float> values(view.bytes.size() / sizeof(float));
  if (view.dtype != nn::Dtype::kF32 || (count > 0 && values.size() != count))
    return Error{"not " + std::to_string(count) + " floats", archive.where(name), ErrorKind::kInput};
  std::memcpy(values.data(), view.bytes.data(), values.size() * sizeof(float));
  return values;
}

Result<std::vector<Vec3>> vectors(const nn::TensorArchive& archive, const std::string& name, std::size_t count = 0) {
  LIMBER_TRY(const std::vector<float> v, floats(archive, name, 3 * count));
  std::vector<Vec3> result(v.size() / 3);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = {v[3 * i], v[3 * i + 1], v[3 * i + 2]};
  return result;
}

Result<splat::Camera> camera_of(const nn::TensorArchive& archive) {
  LIMBER_TRY(const std::vector<float> view, floats(archive, "viewmat", 16));
  LIMBER_TRY(const std::vector<float> k, floats(archive, "K", 9));
  LIMBER_TRY(const nn::TensorView image, archive.find("image"));
  if (image.shape.size() != 3) return Error{"not a picture", archive.where("image"), ErrorKind::kInput};
  splat::Camera camera;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) camera.camera_from_world.linear(r, c) = view[static_cast<std::size_t>(4 * r + c)];
    camera.camera_from_world.translation[r] = view[static_cast<std::size_t>(4 * r + 3)];
  }
  camera.fx = k[0], camera.cx = k[2], camera.fy = k[4], camera.cy = k[5];
  camera.height = static_cast<int>(image.shape[0]), camera.width = static_cast<int>(image.shape[1]);
  return camera;
}

double length(const Vec3& v) { return std::sqrt(double(dot(v, v))); }
double length(float v) { return std::abs(double(v)); }

/// |ours - theirs| / |theirs|
template <typename T>
double relative_error(const std::vector<T>& ours, const std::vector<T>& theirs) {
  double error = 0, size = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    error += std::pow(length(ours[i] - theirs[i]), 2), size += std::pow(length(theirs[i]), 2);
  }
  return std::sqrt(error / size);
}

}  // namespace

Result<SplatParity> measure_splat_parity(const std::filesystem::path& file) {
  LIMBER_TRY(const nn::TensorArchive archive, nn::TensorArchive::open(file));
  LIMBER_TRY(const splat::Camera camera, camera_of(archive));
  const std::size_t pixels = static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height);
  LIMBER_TRY(const std::vector<Vec3> means, vectors(archive, "means"));
  const std::size_t count = means.size();
  LIMBER_TRY(const std::vector<Vec3> scales, vectors(archive, "scales", count));
  LIMBER_TRY(const std::vector<Vec3> colors, vectors(archive, "colors", count));
  LIMBER_TRY(const std::vector<float> opacities, floats(archive, "opacities", count));
  LIMBER_TRY(const std::vector<float> q, floats(archive, "quats_wxyz", 4 * count));
  LIMBER_TRY(const std::vector<Vec3> background, vectors(archive, "background", 1));
  std::vector<Quat> rotations;
  for (std::size_t i = 0; i < q.size(); i += 4) rotations.push_back({q[i + 1], q[i + 2], q[i + 3], q[i]});
  std::vector<Symmetric> covariances(count), grad_covariances(count);
  splat::covariances_forward(rotations, scales, covariances);
  splat::RasterInput input;
  input.means = means, input.covariances = covariances, input.opacities = opacities, input.colors = colors;
  input.background = background, input.cameras = {&camera, 1};
  std::vector<Vec3> image(pixels), grad_means(count), grad_colors(count);
  std::vector<float> alpha(pixels), grad_opacities(count);
  splat::RasterWorkspace workspace;
  splat::rasterize_forward(input, {image, alpha}, workspace);

  LIMBER_TRY(const std::vector<Vec3> grad_image, vectors(archive, "grad_image", pixels));
  LIMBER_TRY(const std::vector<float> grad_alpha, floats(archive, "grad_alpha", pixels));
  splat::rasterize_backward(input, {image, alpha}, {grad_image, grad_alpha},
                            {grad_means, grad_covariances, grad_opacities, grad_colors, {}, {}}, workspace);
  LIMBER_TRY(const std::vector<Vec3> their_image, vectors(archive, "image", pixels));
  LIMBER_TRY(const std::vector<Vec3> their_means, vectors(archive, "grad.means", count));
  LIMBER_TRY(const std::vector<Vec3> their_colors, vectors(archive, "grad.colors", count));
  LIMBER_TRY(const std::vector<float> their_opacities, floats(archive, "grad.opacities", count));
  SplatParity parity;
  for (std::size_t i = 0; i < pixels; ++i) {
    for (int c = 0; c < 3; ++c)
      parity.image_error += std::abs(double(image[i][c] - their_image[i][c])) / (3 * double(pixels));
  }
  parity.gradient_error = std::max({relative_error(grad_means, their_means), relative_error(grad_colors, their_colors),
                                    relative_error(grad_opacities, their_opacities)});
  return parity;
}

}  // namespace limber::bench
