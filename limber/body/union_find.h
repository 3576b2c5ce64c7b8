// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

/// Sets that grow together. Private to `body` and `skeleton`.
namespace limber::body {

/// The numbers 0 .. count - 1, each in a set of its own until they are joined.
class UnionFind {
 public:
  explicit UnionFind(std::size_t count) : above_(count) { std::iota(above_.begin(), above_.end(), 0); }

  /// The member that stands for the set of k.
  int root(int k) {
    while (above_[at(k)] != k) k = above_[at(k)] = above_[at(above_[at(k)])];
    return k;
  }

  /// Makes one set of those of a and b, for which the root of b's stands. False where they are one already.
  bool join(int a, int b) {
    a = root(a), b = root(b);
    above_[at(a)] = b;
    return a != b;
  }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }

  std::vector<int> above_;
};

}  // namespace limber::body
