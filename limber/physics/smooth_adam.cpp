// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/smooth_adam.h"

#include <algorithm>
#include <cmath>

namespace limber::physics {
namespace {

/// The binomial kernel 1 2 1 along every column; the ends are repeated.
void blur(std::vector<double>& values, std::size_t rows, std::size_t columns) {
  std::vector<double> last(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(columns)), now(columns);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      now[c] = values[r * columns + c];
      const double next = r + 1 < rows ? values[(r + 1) * columns + c] : now[c];
      values[r * columns + c] = 0.25 * last[c] + 0.5 * now[c] + 0.25 * next;
    }
    std::swap(last, now);
  }
}

}  // namespace

void SmoothAdam::step(std::span<double> x, std::span<const double> gradient, double rate) {
  ++count_;
  std::vector<double> smooth(gradient.begin(), gradient.end());
  for (int pass = 0; pass < 2 && rows_ >= 3; ++pass) blur(smooth, rows_, columns_);
  const double a = 1 - std::pow(0.9, count_), b = 1 - std::pow(0.95, count_);
  for (std::size_t c = 0; c < columns_; ++c) {
    double sum = 0;
    for (std::size_t r = 0; r < rows_; ++r) sum += smooth[r * columns_ + c] * smooth[r * columns_ + c];
    square_[c] = 0.95 * square_[c] + 0.05 * sum / static_cast<double>(rows_);
  }
  // Columns that hardly matter move less: half of each one's scale is that of all.
  double all = 0;
  for (const double s : square_) all += s / static_cast<double>(std::max<std::size_t>(columns_, 1));
  for (std::size_t k = 0; k < x.size(); ++k) {
    mean_[k] = 0.9 * mean_[k] + 0.1 * smooth[k];
    const double scale = std::sqrt((0.5 * square_[k % columns_] + 0.5 * all) / b);
    x[k] -= rate * (mean_[k] / a) / (scale + 1e-12);
  }
}

}  // namespace limber::physics
