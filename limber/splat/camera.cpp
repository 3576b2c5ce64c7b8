// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/splat/camera.h"

#include <cmath>

#include "limber/base/expect.h"

namespace limber::splat {

Camera look_at(Vec3 eye, Vec3 target, Vec3 up, float vertical_fov, int width, int height) {
  LIMBER_EXPECT(width > 0 && height > 0, std::to_string(width) + " x " + std::to_string(height));
  LIMBER_EXPECT(vertical_fov > 0 && vertical_fov < static_cast<float>(kPi), std::to_string(vertical_fov));
  const Vec3d forward = normalized((target - eye).cast<double>(), {0, 0, -1});
  // Looking along `up`, any direction to the right will do.
  Vec3d right = cross(forward, up.cast<double>());
  if (squared_norm(right) < 1e-12 * squared_norm(up.cast<double>())) right = cross(forward, Vec3d{0, 0, -1});
  if (squared_norm(right) == 0) right = {1, 0, 0};
  right = normalized(right);
  const Mat3d axes = transposed(Mat3d::from_columns(right, cross(forward, right), forward));

  Camera camera;
  camera.camera_from_world = Affined{axes, -(axes * eye.cast<double>())}.cast<float>();
  camera.fx = camera.fy = static_cast<float>(0.5 * height / std::tan(0.5 * double(vertical_fov)));
  camera.cx = 0.5f * static_cast<float>(width);
  camera.cy = 0.5f * static_cast<float>(height);
  camera.width = width;
  camera.height = height;
  return camera;
}

Vec3 camera_center(const Camera& camera) {
  return inverse(camera.camera_from_world.cast<double>()).translation.cast<float>();
}

}  // namespace limber::splat
