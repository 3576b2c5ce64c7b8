// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/base/progress.h"
#include "limber/base/result.h"
#include "limber/scene/cameras.h"
#include "limber/splat/gaussians.h"

/// Gaussians made to look like something that can be drawn from anywhere: gradient descent on pictures from random
/// views (AKD section 4.1 takes 200).
namespace limber::scene {

/// Draws what the Gaussians should look like: rows of pixels, colours as displays show them and multiplied by alpha.
using ViewRenderer = std::function<void(const Camera& camera, std::span<Vec3> colors, std::span<float> alphas)>;

/// A camera that sees the whole box from a direction, filling `fill` of the image in the tighter direction.
Camera fitted_camera(const Box& box, Vec3 direction, int size, float fill = 0.9f, float vertical_fov = 0.6f);

/// Cameras all around a box, evenly spread but for a random turn; the same seed gives the same ones.
std::vector<Camera> random_views(const Box& box, int count, int size, std::uint64_t seed);

/// Peak signal-to-noise ratios in decibels, each the mean over views: on white or on black, whichever shows more error
/// (white bodies look perfect on white).
struct Likeness {
  double psnr = 0;       ///< of whole pictures
  double body_psnr = 0;  ///< of the pixels that show the body, 1 % of the picture at least
};

/// How much Gaussians look like what `render` draws, seen by `cameras` (all of one size).
Likeness compare_views(const splat::Gaussians& gaussians, const ViewRenderer& render, std::span<const Camera> cameras);

struct RefineSettings {
  int views = 200;     ///< pictures to learn from
  int size = 256;      ///< of the pictures, pixels
  int steps = 1500;    ///< of gradient descent
  int batch = 2;       ///< views per step
  int degree = 0;      ///< harmonics of the result, 0 to 3
  double seconds = 0;  ///< stop after this time, the rates falling accordingly; 0: no limit. The only thing that
                       ///< makes results depend on the machine
  double mask = 0.1;   ///< weight of errors in alpha beside those in colour
  std::uint64_t seed = 0;

  // Adam's rates at the start; all fall to a hundredth in the course.
  double mean_rate = 0.1;    ///< of the distance between neighbours
  double scale_rate = 0.02;  ///< of the logarithm
  double rotation_rate = 0.01;
  double opacity_rate = 0.05;  ///< of the logit
  double color_rate = 0.02;
  double harmonic_rate = 0.002;
};

struct RefineReport {
  int steps = 0;
  double seconds = 0;
  double final_error = 0;  ///< root mean square over the last views, of colours
};

/// Changes means, shapes, opacities and colours; the number of Gaussians and their skin stay. `box`: what the cameras
/// look at. Fails only when cancelled. Deterministic by seed and independent of the number of threads, unless
/// `seconds` limits it.
Result<RefineReport> refine(splat::Gaussians& gaussians, const Box& box, const ViewRenderer& render,
                            const RefineSettings& settings = {}, const Progress& progress = {});

}  // namespace limber::scene
