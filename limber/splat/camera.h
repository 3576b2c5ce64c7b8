// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/base/math.h"

namespace limber::splat {

/// A pinhole camera: x right, y down, z forward, intrinsics in pixels. A point projects to (fx x/z + cx, fy y/z + cy);
/// the centre of pixel (i, j) is (i + 0.5, j + 0.5).
struct Camera {
  Affine camera_from_world;
  float fx = 1, fy = 1, cx = 0, cy = 0;
  int width = 0, height = 0;
  bool operator==(const Camera&) const = default;
};

/// A camera at `eye` that looks at `target`, the principal point in the image's centre. `vertical_fov` in radians.
Camera look_at(Vec3 eye, Vec3 target, Vec3 up, float vertical_fov, int width, int height);

/// Where the camera is in the world.
Vec3 camera_center(const Camera& camera);

}  // namespace limber::splat
