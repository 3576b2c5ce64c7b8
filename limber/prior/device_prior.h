// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "limber/prior/video_prior.h"

namespace limber {
class CudaQueue;
}

/// Priors that look at frames where a scene draws them.
namespace limber::prior {

/// Frames on the current GPU: numbers as in Frames.
struct DeviceFrames {
  int views = 1, frames = 0, height = 0, width = 0;
  const float* values = nullptr;
  CudaQueue* queue = nullptr;  ///< that makes them; it is waited for there
};

/// A video that a prior would rather see.
struct Denoised {
  int timestep = 0;      ///< of the first draw
  double curvature = 1;  ///< second derivative of the prior's loss along its gradient
  double squared = 0;    ///< of the way there, with the curvature
  std::int64_t not_finite = 0;
};

/// Calls return when what they were asked for is there: whatever queue may use it then.
class DevicePrior {
 public:
  virtual ~DevicePrior() = default;

  /// VideoPrior::score, whose gradient is left at `gradient` on the GPU.
  virtual Result<ScoreReport> score_there(const DeviceFrames& frames, const Condition& condition,
                                          const ScoreSettings& settings, float* gradient) = 0;

  /// Leaves the video that it would rather see at `target` on the GPU, in [0, 1]: in one step, or, where there are
  /// `timesteps`, walking down them with one draw each, every answer the next question.
  virtual Result<Denoised> denoise_there(const DeviceFrames& frames, const Condition& condition,
                                         const ScoreSettings& settings, std::span<const int> timesteps,
                                         float* target) = 0;

  /// |z - z_hat|^2 of the first draw under each of some conditions, which differ in their texts alone, without
  /// guidance: one pass.
  virtual Result<std::vector<double>> squares_there(const DeviceFrames& frames, std::span<const Condition> conditions,
                                                    const ScoreSettings& settings) = 0;
};

}  // namespace limber::prior
