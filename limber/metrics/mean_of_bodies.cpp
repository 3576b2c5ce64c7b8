// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/mean_of_bodies.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "limber/base/rng.h"

namespace limber::metrics {
namespace {

constexpr int kDrawn = 2000;
constexpr std::uint64_t kSeed = 20240607;
constexpr double kMostErrors = 1000;

}  // namespace

MeanOfBodies mean_of_bodies(std::span<const double> values) {
  MeanOfBodies result;
  result.bodies = static_cast<int>(values.size());
  if (values.empty()) return result;
  // Sorted, so that sums do not depend on the order that bodies came in.
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto count = static_cast<double>(sorted.size());
  for (const double value : sorted) result.mean += value / count;
  if (sorted.size() < 2) return result;
  Rng rng(kSeed);
  double squares = 0;
  for (int draw = 0; draw < kDrawn; ++draw) {
    double mean = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      mean += sorted[rng.below(static_cast<std::uint32_t>(sorted.size()))] / count;
    }
    squares += (mean - result.mean) * (mean - result.mean);
  }
  // Drawn bodies vary about the mean of those that are there, which is nearer to them than the true one.
  result.error = std::sqrt(squares / kDrawn * count / (count - 1));
  return result;
}

double standard_errors_from_zero(const MeanOfBodies& differences) {
  if (differences.bodies < kFewestBodies || differences.mean == 0) return 0;
  const double errors = differences.error > 0 ? std::abs(differences.mean) / differences.error : kMostErrors;
  return std::copysign(std::min(errors, kMostErrors), differences.mean);
}

double standard_errors_apart(const MeanOfBodies& a, const MeanOfBodies& b) {
  return standard_errors_from_zero({a.mean - b.mean, std::hypot(a.error, b.error), std::min(a.bodies, b.bodies)});
}

}  // namespace limber::metrics
