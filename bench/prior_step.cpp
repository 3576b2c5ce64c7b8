// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/prior_step.h"

#include <algorithm>
#include <vector>

#include "bench/median.h"
#include "limber/base/stopwatch.h"
#include "limber/nn/device.h"
#include "limber/prior/latent_prior.h"

namespace limber::bench {

Result<StepCost> measure_step(prior::VideoPrior& model, const prior::Condition& condition, const prior::VideoSize& size,
                              const prior::ScoreSettings& settings, const prior::LoadSettings& load, int repetitions) {
  LIMBER_TRY(const std::vector<nn::Placement> placements, prior::placements_of(load));
  const nn::Placement& placement = placements.front();
  Frames frames(1, size.frames, size.height, size.width), gradient;
  for (std::size_t i = 0; i < frames.values.size(); ++i) frames.values[i] = static_cast<float>(i % 977) / 976;
  StepCost cost;
  std::vector<double> denoise, encode, backward, total;
  for (int i = 0; i <= repetitions; ++i) {
    if (i == 1) nn::reset_peak_memory(placement.device);
    prior::ScoreSettings step = settings;
    step.iteration = settings.iteration + i;
    const Stopwatch watch;
    LIMBER_TRY(const prior::ScoreReport report, model.score(frames, condition, step, gradient));
    nn::synchronize(placement.device);
    const double seconds = watch.seconds();
    if (i == 0 && repetitions > 0) continue;
    denoise.push_back(report.denoise_seconds), encode.push_back(report.encode_seconds);
    backward.push_back(report.backward_seconds), total.push_back(seconds);
    cost.gradient_norm = report.gradient_norm;
    cost.not_finite = report.not_finite;
  }
  cost.denoise = median(denoise), cost.encode = median(encode), cost.backward = median(backward);
  cost.total = median(total);
  cost.rest = std::max(0.0, cost.total - cost.denoise - cost.encode - cost.backward);
  cost.peak_bytes = nn::peak_memory(placement.device);
  return cost;
}

}  // namespace limber::bench
