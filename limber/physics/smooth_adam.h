// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace limber::physics {

/// Adam (Kingma and Ba 2015) for rows of numbers that belong together: the mean square is that of a whole column, and
/// the gradient is smoothed along the column first, so that steps are as smooth as what they change. Private to
/// `physics`.
class SmoothAdam {
 public:
  SmoothAdam(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), mean_(rows * columns), square_(columns) {}

  /// Moves `x`, rows x columns, against its gradient.
  void step(std::span<double> x, std::span<const double> gradient, double rate);

 private:
  std::size_t rows_, columns_;
  std::vector<double> mean_;    ///< of the smoothed gradient, per number
  std::vector<double> square_;  ///< of the smoothed gradient, per column
  int count_ = 0;
};

}  // namespace limber::physics
