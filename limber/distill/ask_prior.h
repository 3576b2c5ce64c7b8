// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "limber/distill/distill.h"
#include "limber/prior/device_prior.h"

/// What a prior says about a video, asked one group of views after the other: as many as it wants to see at once.
/// Private to `distill`.
namespace limber::distill {

struct Question {
  prior::VideoPrior& prior;
  const prior::Condition& condition;
  const DistillSettings& settings;
  int iteration = 0;  ///< decides noise and timesteps
};

struct Answer {
  Frames frames;  ///< the gradient on the pixels, or the video that the prior would rather see; or empty
  std::vector<double> curvature;  ///< `ask_target`, per group: second derivative of the prior's loss along its gradient
  double squared = 0;             ///< |z - z_hat|^2
  int timestep = 0;               ///< of the first draw
  std::int64_t not_finite = 0;
  double seconds = 0;
};

/// The gradient of the prior's loss on the frames.
Result<Answer> ask_score(const Question& question, const Frames& frames);

/// The video that the prior would rather see, x_hat.
Result<Answer> ask_target(const Question& question, const Frames& frames);

/// The same of frames on a GPU, where a prior looks at them there: what it answers is left at `gradient` or `target`,
/// as large as the frames, and is there when they return.
Result<Answer> ask_score_there(const Question& question, const prior::DeviceFrames& frames, float* gradient);
Result<Answer> ask_target_there(const Question& question, const prior::DeviceFrames& frames, float* target);

}  // namespace limber::distill
