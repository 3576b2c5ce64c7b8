// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace limber::testing {

/// How `check_gradient` takes differences.
struct GradientCheckSettings {
  double step = 1e-3;             ///< of max(|x_i|, 1), where `steps` gives none
  std::span<const double> steps;  ///< per parameter, absolute; empty: from `step`
  double floor = 1e-3;            ///< entries below this share of the largest are measured against that share
};

/// The worst disagreement between a gradient and central differences.
struct GradientCheck {
  double error = 0;                  ///< |analytic - numeric| / max(|analytic|, |numeric|, floor * largest entry)
  std::size_t index = 0;             ///< of the worst parameter
  double analytic = 0, numeric = 0;  ///< its two derivatives
  /// One line for a failing test.
  std::string summary() const;
};

/// Compares `gradient` at `x` with fourth-order central differences of `f` (four evaluations per parameter; error
/// step^4 plus rounding / step). NaN anywhere makes the error infinite.
GradientCheck check_gradient(const std::function<double(std::span<const double>)>& f, std::span<const double> x,
                             std::span<const double> gradient, const GradientCheckSettings& settings = {});

}  // namespace limber::testing
