// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "limber/distill/distill.h"

/// The course of a run as a table and as a picture.
namespace limber::distill {

/// One line per iteration, a header line first.
std::string losses_to_csv(std::span<const DistillStep> history);

struct LossPlotSettings {
  int width = 900, height = 520;  ///< pixels, at least 200 x 150
  bool logarithmic = true;        ///< losses; values that are not positive are left out then
  int mean_over = 0;              ///< iterations that the curves are averaged over; 0: a fiftieth of the run
  std::string title = {};         ///< the prompt, say
};

/// The losses over the iterations as SVG: averaged curves over faint raw ones. `settings`' weights tell how much each
/// counts.
std::string losses_to_svg(std::span<const DistillStep> history, const DistillSettings& settings,
                          const LossPlotSettings& plot = {});

}  // namespace limber::distill
