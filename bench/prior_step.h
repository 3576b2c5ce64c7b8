// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "limber/base/result.h"
#include "limber/prior/video_prior.h"

namespace limber::bench {

/// What one score-distillation step cost, in seconds and bytes; medians.
struct StepCost {
  double denoise = 0;   ///< the guided pair
  double encode = 0;    ///< the encoder's forward pass
  double backward = 0;  ///< its gradient, recomputation included
  double rest = 0;      ///< everything else
  double total = 0;
  std::uint64_t peak_bytes = 0;  ///< of tensors on the device
  double gradient_norm = 0;
  std::int64_t not_finite = 0;
};

/// Runs a step once to warm up and then `repetitions` times.
Result<StepCost> measure_step(prior::VideoPrior& model, const prior::Condition& condition, const prior::VideoSize& size,
                              const prior::ScoreSettings& settings, const prior::LoadSettings& load, int repetitions);

}  // namespace limber::bench
