// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "limber/base/result.h"
#include "limber/prior/device_prior.h"
#include "limber/prior/normal_numbers.h"

/// \file
/// What a network that computes on a GPU does there from beginning to end, so that videos neither come nor go between
/// its passes. SketchPrior makes these plans; its own loops are the reference. Videos are those of SketchInput. Private
/// to `prior`.
namespace limber::prior {

/// Samples: from noise to clean videos, along straight lines.
struct SamplePlan {
  struct Video {
    NoiseAddress address;
    std::span<const float> noise;            ///< instead of that; may be empty
    std::span<const float> known, is_known;  ///< a video and [frames], 1 or 0; empty: no frame is
  };
  struct Step {
    std::vector<float> shares;   ///< [videos, tubes]: of noise
    std::vector<float> targets;  ///< likewise, those that are jumped to; empty for small steps
    float left = 0;              ///< of the way to what is seen
  };
  std::vector<Video> videos;
  std::vector<Step> steps;
  bool shows_known = false;                   ///< whether the network understands known frames; else they are only held
  std::vector<std::span<const float>> texts;  ///< the prompt's, and where it is guided the negative one's
  float guidance = 1;
  std::span<const float> rest;
  std::function<bool(double done)> go_on;  ///< asked as steps are handed to the GPU; false: cancelled
};

/// A video and the noise under which it is looked at, once or walking down: see `DevicePrior::denoise_there`.
struct WalkPlan {
  /// Here, or on the GPU where `there` says.
  std::span<const float> frames;
  const DeviceFrames* there = nullptr;

  struct Draw {
    float share = 0;  ///< of noise
    double weight = 1;
    bool negated = false;  ///< the noise of the draw before, negated
  };
  struct Step {
    std::vector<Draw> draws;
    double back = 0;  ///< signal over sigma: what of z - z_hat the noise of the next step has more
  };
  std::vector<Step> steps;
  NoiseAddress address;          ///< of the first draw; others follow
  std::span<const float> noise;  ///< instead of that: of all draws; may be empty
  std::vector<std::span<const float>> texts;
  std::span<const float> rest;
  float guidance = 1;
  bool guiding_alone = false;  ///< Residual::kCsd
};

/// Where a walk leaves what it finds; what is null is not wanted.
struct WalkResults {
  float *target = nullptr, *gradient = nullptr;  ///< on the GPU: the last step's
  std::vector<float>*gradient_here = nullptr, *latent_here = nullptr;
};

/// Sums of squares.
struct Walked {
  struct Draw {
    double guiding = 0, residual = 0;
  };
  struct Step {
    std::vector<Draw> draws;
    double z = 0, latent = 0, gradient = 0;
    double not_finite = 0;  ///< how many
    double curvature = 0;   ///< along the gradient
  };
  std::vector<Step> steps;
  double gap = 0;  ///< between frames and target
};

/// Calls wait for their results, and for nothing before.
class SketchDevice {
 public:
  virtual ~SketchDevice() = default;
  /// Videos in [0, 1].
  virtual Result<std::vector<std::vector<float>>> sample(const SamplePlan& plan) const = 0;
  virtual Result<Walked> walk(const WalkPlan& plan, const WalkResults& results) const = 0;
  /// The first draw of a walk under each of the plan's texts alone: squares of z - z_hat.
  virtual Result<std::vector<double>> look(const WalkPlan& plan) const = 0;
};

}  // namespace limber::prior
