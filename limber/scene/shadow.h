// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "limber/base/math.h"
#include "limber/splat/camera.h"

/// Shadows on the ground (AKD appendix C), looked up on a grid of ground points, with gradients.
namespace limber::scene {

/// exp(-decay d) at points of the ground, 0 where nothing is above, 1 where something touches it. Row r, column c is at
/// (x0 + r cell, 0, z0 + c cell); bilinear between, 0 outside.
struct ShadowGrid {
  float x0 = 0, z0 = 0, cell = 1;
  int rows = 0, columns = 0;
};

/// Darkens the ground in an image: pixel *= 1 - strength value(P), with P where the pixel's ray meets the ground.
void shadow_forward(const splat::Camera& camera, const ShadowGrid& grid, std::span<const float> values, float strength,
                    std::span<Vec3> pixels);

/// Vector-Jacobian product: from dL/dpixel to dL/dvalue, added. `pixels` are those that `shadow_forward` left;
/// `strength` < 1. Where `alphas` are given, pixels are covered by something of that alpha.
void shadow_backward(const splat::Camera& camera, const ShadowGrid& grid, std::span<const float> values, float strength,
                     std::span<const Vec3> pixels, std::span<const Vec3> grad_pixels, std::span<const float> alphas,
                     std::span<float> grad_values);

}  // namespace limber::scene
