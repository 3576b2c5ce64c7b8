// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

/// Noise schedules of the public video models, in double. Plain numbers; the models apply them to tensors.
namespace limber::prior {

/// CogVideoX's DDIM schedule, the fields of its `scheduler_config.json`.
struct DdimConfig {
  int train_steps = 1000;
  double beta_start = 0.00085, beta_end = 0.012;  ///< beta is linear in its root between these
  double snr_shift = 1;                           ///< 3 for 2B, 1 for 5B
  bool zero_terminal_snr = true;
  bool end_at_one = true;  ///< abar of a step before the first: 1, or abar[0]
};

/// z_prev = sample * z_t + denoised * x0.
struct DdimStep {
  double sample = 0, denoised = 0;
};

/// abar_t and the deterministic (eta 0) DDIM sampler with trailing steps.
class DdimSchedule {
 public:
  explicit DdimSchedule(const DdimConfig& config = {});

  /// The signal's share of the power at step t, 0 <= t < train_steps.
  double alpha_bar(int t) const;
  int train_steps() const { return config_.train_steps; }
  const std::vector<double>& alpha_bars() const { return alpha_bars_; }

  /// The t of each of `steps` sampling steps, falling; 1 <= steps <= train_steps.
  std::vector<int> timesteps(int steps) const;
  /// The step from t to t - train_steps / steps, which is not always the next of `timesteps`: as the public sampler
  /// does.
  DdimStep step(int t, int steps) const;

 private:
  DdimConfig config_;
  std::vector<double> alpha_bars_;
};

/// Rectified flow, as Wan uses it: z_s = (1 - s) z + s noise, v = noise - z.
struct FlowConfig {
  int train_steps = 1000;
  double shift = 5;
  /// diffusers' FlowMatchEulerDiscreteScheduler shifts the ends of the line and then the line again; UniPC's flow
  /// sigmas are shifted once.
  bool shift_ends = true;
};

class FlowSchedule {
 public:
  explicit FlowSchedule(const FlowConfig& config = {}) : config_(config) {}

  /// steps + 1 values of s, falling from about 1 to 0. An Euler step adds (s[i+1] - s[i]) v at timestep 1000 s[i].
  std::vector<double> sigmas(int steps) const;
  int train_steps() const { return config_.train_steps; }

 private:
  double shifted(double s) const { return config_.shift * s / (1 + (config_.shift - 1) * s); }

  FlowConfig config_;
};

}  // namespace limber::prior
