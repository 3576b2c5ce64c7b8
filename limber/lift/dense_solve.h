// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

/// Small dense symmetric systems.
namespace limber::lift {

/// A symmetric matrix, all entries kept, rows side by side.
struct DenseSymmetric {
  int size = 0;
  std::vector<double> values;

  explicit DenseSymmetric(int n = 0) { reset(n); }
  void reset(int n) {
    size = n;
    values.assign(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 0.0);
  }
  double& at(int row, int column) {
    return values[static_cast<std::size_t>(row) * static_cast<std::size_t>(size) + static_cast<std::size_t>(column)];
  }
  double at(int row, int column) const { return const_cast<DenseSymmetric*>(this)->at(row, column); }
};

/// Cholesky factor L (lower triangle, L L^T = matrix) in place; false where the matrix is not positive definite. Only
/// the lower triangle is read.
inline bool factorize(DenseSymmetric& matrix) {
  const int n = matrix.size;
  for (int j = 0; j < n; ++j) {
    double diagonal = matrix.at(j, j);
    for (int k = 0; k < j; ++k) diagonal -= matrix.at(j, k) * matrix.at(j, k);
    if (!(diagonal > 0) || !std::isfinite(diagonal)) return false;
    const double root = std::sqrt(diagonal);
    matrix.at(j, j) = root;
    for (int i = j + 1; i < n; ++i) {
      double sum = matrix.at(i, j);
      for (int k = 0; k < j; ++k) sum -= matrix.at(i, k) * matrix.at(j, k);
      matrix.at(i, j) = sum / root;
    }
  }
  return true;
}

/// Solves L L^T x = b in place, with the factor of `factorize`.
inline void solve_factorized(const DenseSymmetric& factor, std::vector<double>& b) {
  const int n = factor.size;
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) b[at(i)] -= factor.at(i, k) * b[at(k)];
    b[at(i)] /= factor.at(i, i);
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) b[at(i)] -= factor.at(k, i) * b[at(k)];
    b[at(i)] /= factor.at(i, i);
  }
}

/// The diagonal of the inverse, from the factor: squared norms of the columns of the inverse of L.
inline std::vector<double> inverse_diagonal(const DenseSymmetric& factor) {
  const int n = factor.size;
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  std::vector<double> diagonal(at(n)), column(at(n));
  for (int j = 0; j < n; ++j) {
    // Column j of L^-1: zero above j.
    column[at(j)] = 1 / factor.at(j, j);
    double sum = column[at(j)] * column[at(j)];
    for (int i = j + 1; i < n; ++i) {
      double value = 0;
      for (int k = j; k < i; ++k) value -= factor.at(i, k) * column[at(k)];
      column[at(i)] = value / factor.at(i, i);
      sum += column[at(i)] * column[at(i)];
    }
    diagonal[at(j)] = sum;
  }
  return diagonal;
}

}  // namespace limber::lift
