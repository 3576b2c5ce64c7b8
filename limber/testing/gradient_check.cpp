// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/testing/gradient_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <vector>

#include "limber/base/expect.h"

namespace limber::testing {
namespace {

double derivative(const std::function<double(std::span<const double>)>& f, std::vector<double>& x, std::size_t i,
                  double step) {
  const double middle = x[i];
  const auto at = [&](double offset) {
    x[i] = middle + offset;
    return f(x);
  };
  const double near = at(step) - at(-step), far = at(2 * step) - at(-2 * step);
  x[i] = middle;
  return (8 * near - far) / (12 * step);
}

}  // namespace

std::string GradientCheck::summary() const {
  std::ostringstream text;
  text.precision(12);
  text << "parameter " << index << ": analytic " << analytic << ", numeric " << numeric << ", relative error " << error;
  return text.str();
}

GradientCheck check_gradient(const std::function<double(std::span<const double>)>& f, std::span<const double> x,
                             std::span<const double> gradient, const GradientCheckSettings& settings) {
  LIMBER_EXPECT(gradient.size() == x.size() && (settings.steps.empty() || settings.steps.size() == x.size()),
                std::to_string(x.size()) + " parameters, " + std::to_string(gradient.size()) + " derivatives, " +
                    std::to_string(settings.steps.size()) + " steps");
  std::vector<double> point(x.begin(), x.end()), numeric(x.size());
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double step = settings.steps.empty() ? settings.step * std::max(std::abs(x[i]), 1.0) : settings.steps[i];
    numeric[i] = derivative(f, point, i, step);
    largest = std::max({largest, std::abs(numeric[i]), std::abs(gradient[i])});
  }
  GradientCheck worst;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double scale = std::max({std::abs(numeric[i]), std::abs(gradient[i]), settings.floor * largest});
    double error = scale > 0 ? std::abs(numeric[i] - gradient[i]) / scale : 0;
    if (!std::isfinite(numeric[i]) || !std::isfinite(gradient[i])) error = std::numeric_limits<double>::infinity();
    if (i == 0 || error > worst.error) worst = {error, i, gradient[i], numeric[i]};
  }
  return worst;
}

}  // namespace limber::testing
