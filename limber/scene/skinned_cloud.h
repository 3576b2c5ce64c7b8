// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "limber/base/math.h"
#include "limber/scene/cameras.h"
#include "limber/splat/gaussians.h"

/// What a Scene needs to know of its posed Gaussians beside their pictures: where they are, and which side of them a
/// camera sees. One frame at a time, on the calling thread; `bones` are that frame's. Private to `scene`.
namespace limber::scene {

/// The box of the posed means, those that are not finite left out; fills in their heights (y) unless `heights` is
/// empty.
Box posed_box(const splat::Gaussians& gaussians, std::span<const Affine> bones, std::span<float> heights);

/// The box of all places that the posed means may get to when what sticks out sideways (along x) swings: each mean
/// moves by so many times its distance from the middle of `box`, in y up and down, in z forward and back.
Box swung_box(const splat::Gaussians& gaussians, std::span<const Affine> bones, const Box& box, Vec3 shares);

/// Heights alone.
void posed_heights_forward(const splat::Gaussians& gaussians, std::span<const Affine> bones, std::span<float> heights);
void posed_heights_backward(const splat::Gaussians& gaussians, std::span<const float> grad_heights,
                            std::span<Affined> grad_bones);

/// Colours by harmonics, seen from `eye`. The view direction is taken into bind space by the transpose of the blended
/// linear part, which is its inverse where the skin turns without stretching: a body that turns takes its highlights
/// along.
void posed_colors_forward(const splat::Gaussians& gaussians, std::span<const Affine> bones, Vec3 eye,
                          std::span<Vec3> colors);
void posed_colors_backward(const splat::Gaussians& gaussians, std::span<const Affine> bones, Vec3 eye,
                           std::span<const Vec3> grad_colors, std::span<Affined> grad_bones);

/// Adds gradients on bones, summed up in double, to those of the rasterizer.
void add_rounded(std::span<const Affined> terms, std::span<Affine> sums);

}  // namespace limber::scene
