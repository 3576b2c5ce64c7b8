// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

/// What a number that was measured on some bodies says of all bodies: its mean, and how far that may be off.
namespace limber::metrics {

/// One value a body: clips and samples of one body are not independent, so they are averaged before.
struct MeanOfBodies {
  double mean = 0;
  double error = 0;  ///< standard error, by drawing as many bodies anew, again and again (bootstrap, Efron 1979)
  int bodies = 0;
};

/// The same values give the same bits, in whatever order they come. Of a single body the error is not known: 0.
MeanOfBodies mean_of_bodies(std::span<const double> values);

/// Fewer bodies than this tell nothing of others.
inline constexpr int kFewestBodies = 3;

/// How many standard errors a mean of differences, one a body, is from zero, with its sign: 0 where there are fewer
/// than `kFewestBodies`. Differences that are all alike are as many as can be (1000).
double standard_errors_from_zero(const MeanOfBodies& differences);

/// The same of the difference of two means, `a` less `b`, of bodies that need not be the same ones.
double standard_errors_apart(const MeanOfBodies& a, const MeanOfBodies& b);

}  // namespace limber::metrics
