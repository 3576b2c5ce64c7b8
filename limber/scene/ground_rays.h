// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "limber/base/math.h"
#include "limber/splat/camera.h"

/// Where the rays of a camera's pixels meet the ground. Private to `scene`.
namespace limber::scene {

/// Rays of one camera: the one through the centre of pixel (i, j) has direction origin + i right + j down.
struct GroundRays {
  Vec3 eye, origin, right, down;
  float side = 1;            ///< of the ground on which the eye is: 1 above, -1 below, 0 on it
  float share_per_rise = 0;  ///< how fast the ground's share of a pixel falls as the ray rises

  explicit GroundRays(const splat::Camera& camera) {
    const Affined world_from_camera = inverse(camera.camera_from_world.cast<double>());
    const auto ray = [&](double x, double y, double z) { return world_from_camera.linear * Vec3d{x, y, z}; };
    const auto fx = double(camera.fx), fy = double(camera.fy);
    eye = world_from_camera.translation.cast<float>();
    origin = ray((0.5 - double(camera.cx)) / fx, (0.5 - double(camera.cy)) / fy, 1).cast<float>();
    right = ray(1 / fx, 0, 0).cast<float>();
    down = ray(0, 1 / fy, 0).cast<float>();
    side = eye.y > 0 ? 1.0f : (eye.y < 0 ? -1.0f : 0.0f);
    share_per_rise = 1 / std::max(std::abs(right.y) + std::abs(down.y), 1e-9f);
  }

  /// The ray through the first pixel of a row.
  LIMBER_HOST_DEVICE Vec3 row(int y) const { return origin + static_cast<float>(y) * down; }

  /// Share of a pixel below the horizon, whose ray rises by `rise` per unit of depth.
  LIMBER_HOST_DEVICE float share(float rise) const {
    return side * side * std::max(0.0f, std::min(1.0f, 0.5f - side * rise * share_per_rise));
  }
};

}  // namespace limber::scene
