// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/creature_trial.h"
#include "limber/animate/models.h"
#include "limber/base/device.h"

namespace limber::bench {

struct MethodSettings {
  int bodies = 24;
  int iterations = 1000;               ///< of akd
  int short_iterations = 200;          ///< of the runs that leave out a term
  std::optional<int> most_iterations;  ///< of akd, on the first body alone
  Device device = Device::kCpu;        ///< that scenes are drawn on
  std::string outcomes;                ///< file that the runs are kept in; what is there already is not run again
  std::string methods;                 ///< names with commas between; empty: all
  std::optional<int> steps;            ///< of the network on joints; unset: its own
  std::optional<double> guidance;
};

void add_method_options(CLI::App& command, MethodSettings& settings);

/// The methods of `limber animate` on the same bodies and actions, at draft: how near each comes to the zoo's own
/// performance, and what it costs. A video is a film of that performance. Bodies are moved at the same time, each by
/// one thread; in akd the prior judges all of them in one pass. The network on joints keeps what it drew first.
Status add_method_rows(const animate::Models& models, prior::VideoPrior& model, const std::vector<Trial>& trials,
                       const MethodSettings& settings, Report& report);

/// AKD's terms left out one by one, in short runs without any clean-up of the ground afterwards: no ground drawn,
/// neither at rest nor in motion; no L_smooth; no L_ground, from starts that sink.
Status add_ablation_rows(prior::VideoPrior& model, const std::vector<Trial>& trials, const MethodSettings& settings,
                         Report& report);

}  // namespace limber::bench
