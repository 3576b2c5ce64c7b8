// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/schedule.h"

#include <cmath>
#include <string>

#include "limber/base/expect.h"

namespace limber::prior {

DdimSchedule::DdimSchedule(const DdimConfig& config) : config_(config) {
  const int n = config.train_steps;
  LIMBER_EXPECT(n >= 2, std::to_string(n));
  alpha_bars_.resize(static_cast<std::size_t>(n));
  const double first = std::sqrt(config.beta_start), last = std::sqrt(config.beta_end);
  double product = 1;
  for (int t = 0; t < n; ++t) {
    const double root = first + (last - first) * t / (n - 1);
    product *= 1 - root * root;
    alpha_bars_[static_cast<std::size_t>(t)] = product / (config.snr_shift + (1 - config.snr_shift) * product);
  }
  if (!config.zero_terminal_snr) return;

  // Shift the roots so that the last is zero, and scale them so that the first stays (Lin et al. 2023, algorithm 1).
  const double root_first = std::sqrt(alpha_bars_.front()), root_last = std::sqrt(alpha_bars_.back());
  for (double& alpha_bar : alpha_bars_) {
    const double root = (std::sqrt(alpha_bar) - root_last) * root_first / (root_first - root_last);
    alpha_bar = root * root;
  }
}

double DdimSchedule::alpha_bar(int t) const {
  LIMBER_EXPECT(t >= 0 && t < config_.train_steps, std::to_string(t));
  return alpha_bars_[static_cast<std::size_t>(t)];
}

std::vector<int> DdimSchedule::timesteps(int steps) const {
  LIMBER_EXPECT(steps >= 1 && steps <= config_.train_steps, std::to_string(steps));
  std::vector<int> result(static_cast<std::size_t>(steps));
  for (int i = 0; i < steps; ++i) {
    const double t = config_.train_steps - i * (static_cast<double>(config_.train_steps) / steps);
    // Halves go to the even neighbour, as the reference rounds.
    result[static_cast<std::size_t>(i)] = static_cast<int>(std::nearbyint(t)) - 1;
  }
  return result;
}

DdimStep DdimSchedule::step(int t, int steps) const {
  const int previous = t - config_.train_steps / steps;
  const double now = alpha_bar(t);
  const double next = previous >= 0 ? alpha_bar(previous) : config_.end_at_one ? 1 : alpha_bars_.front();
  DdimStep result;
  result.sample = std::sqrt((1 - next) / (1 - now));
  result.denoised = std::sqrt(next) - std::sqrt(now) * result.sample;
  return result;
}

std::vector<double> FlowSchedule::sigmas(int steps) const {
  LIMBER_EXPECT(steps >= 1 && steps <= config_.train_steps, std::to_string(steps));
  std::vector<double> result(static_cast<std::size_t>(steps) + 1);
  const double smallest = 1.0 / config_.train_steps;
  // Euler walks to the smallest trained noise and then jumps to zero; UniPC divides [smallest, 1] in one more part.
  const double first = config_.shift_ends ? shifted(1) : 1 - smallest;
  const double last = config_.shift_ends ? shifted(smallest) : 0;
  const int parts = config_.shift_ends ? steps - 1 : steps;
  for (int i = 0; i < steps; ++i) {
    const double s = parts == 0 ? first : first + (last - first) * i / parts;
    result[static_cast<std::size_t>(i)] = shifted(s);
  }
  result.back() = 0;
  return result;
}

}  // namespace limber::prior
