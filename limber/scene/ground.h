// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "limber/base/math.h"
#include "limber/splat/camera.h"

/// The ground y = 0 as a layer behind the body (AKD section 4.2): a checkerboard by ray casting, and sky above it.
namespace limber::scene {

struct GroundSettings {
  bool visible = true;
  float cell = 0.25f;  ///< side of a square, in heights of the body
  Vec3 light{0.82f, 0.82f, 0.80f}, dark{0.55f, 0.56f, 0.58f};
  Vec3 sky{0.90f, 0.93f, 0.97f};
  float fade = 6;  ///< distance from the camera's foot at which the squares have faded into their mean (no moire), in
                   ///< heights

  // Shadow, AKD appendix C: the ground's colour times 1 - shadow exp(-shadow_decay d), with d the height of the body's
  // lowest point above.
  float shadow = 0.5f;        ///< s_max; 0: none
  float shadow_decay = 4;     ///< beta, per height of the body
  float shadow_blur = 0.03f;  ///< width of the edge, in heights of the body
};

/// Colour of every pixel, rows of `camera`'s image, without shadow. Squares are averaged over the pixel's footprint.
void draw_ground(const splat::Camera& camera, const GroundSettings& settings, std::span<Vec3> pixels);

}  // namespace limber::scene
