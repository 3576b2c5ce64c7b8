// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "limber/base/frames.h"
#include "limber/base/progress.h"
#include "limber/base/result.h"
#include "limber/kinematics/motion_energy.h"
#include "limber/scene/scene.h"

/// Render and compare: the motion whose pictures come nearest to a video, through the scene's gradients.
namespace limber::lift {

/// One pass over the clip: from coarse to fine.
struct FitStage {
  float blur = 0;  ///< standard deviation in pixels of what both videos are blurred with
  int iterations = 100;
  double angle_rate = 0.03, root_rate = 0.01;  ///< of Adam, radians and heights; they fall to a fifth over the stage
  /// Compare pictures of half the size, where they have an even number of pixels and at least 48: of what is blurred by
  /// four pixels they show as much. (By two: feet that stand slide a little more.)
  bool half = false;
};

/// Weights count against the mean robust colour error of a pixel of the body, so they do not depend on sizes.
struct ViewFitSettings {
  std::vector<FitStage> stages{
      {4, 40, 0.04, 0.015, true}, {2, 50, 0.03, 0.01}, {1, 40, 0.02, 0.006}, {0.5f, 30, 0.01, 0.003}};
  float corner = 0.15f;         ///< colour errors beyond this count linearly
  double smooth_weight = 0.02;  ///< of the mean absolute second difference of the angles
  double rest_weight = 0.002;   ///< of the mean squared angle: what no picture shows stays at rest
  double limit_weight = 0.5;    ///< of the mean squared angle beyond the joints' limits
  double body_share = 0;        ///< of the pixels that the body covers; 0: estimated from the target's colours
  std::vector<bool> free;       ///< joints that may turn; empty: all
  std::vector<kinematics::WeightedEnergy> energies;  ///< beside the pictures
  Progress progress;
};

struct ViewFitReport {
  double residual = 0;                  ///< root mean square colour error over the pixels of either body, last stage
  std::vector<double> frame_residuals;  ///< per frame
  double loss = 0;                      ///< at the end, energies included
  int iterations = 0;
  int not_finite = 0;  ///< steps that were skipped
};

/// Fits `motion`, from where it stands, to `target` [views, frames, 3, h, w] as `cameras` (views x frames) see it.
/// Deterministic. Fails only if it was cancelled, or the scene's device does.
Result<ViewFitReport> fit_views(scene::Scene& scene, std::span<const scene::Camera> cameras, const Frames& target,
                                const ViewFitSettings& settings, kinematics::Motion& motion);

/// How much colour a pixel has, as against grey: the largest channel minus the smallest. Parts are painted in colours,
/// grounds in greys.
float colourfulness(const Frames& frames, int view, int frame, int row, int column);
/// What counts as body in a sketch.
inline constexpr float kBodyColour = 0.1f;
/// Share of the pixels that do.
double body_share(const Frames& frames);

/// Blurs every image by a Gaussian of `sigma` pixels, black beyond the edges: a symmetric operator, its own adjoint.
void blur_frames(Frames& frames, float sigma);

}  // namespace limber::lift
