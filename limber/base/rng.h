// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "limber/base/math.h"

namespace limber {

/// A small random generator (PCG32, O'Neill 2014) with its own distributions, so that one seed gives the same numbers
/// on every machine and standard library. Copy it to branch; `fork` it to give a part of the work a stream of its own.
class Rng {
 public:
  explicit Rng(std::uint64_t seed = 0, std::uint64_t stream = 0) : state_(0), increment_((mix(stream) << 1) | 1) {
    next_u32();
    state_ += mix(seed);
    next_u32();
  }

  std::uint32_t next_u32() {
    const std::uint64_t old = state_;
    state_ = old * 6364136223846793005ull + increment_;
    const auto shifted = static_cast<std::uint32_t>(((old >> 18) ^ old) >> 27);
    const auto rotation = static_cast<std::uint32_t>(old >> 59);
    return (shifted >> rotation) | (shifted << ((32 - rotation) & 31));
  }

  /// Uniform in [0, 1).
  double uniform() {
    const std::uint64_t high = next_u32();  // two statements: the order of the calls must not depend on the compiler
    const std::uint64_t low = next_u32();
    return static_cast<double>((high << 21) ^ (low >> 11)) * 0x1.0p-53;
  }
  /// Uniform in [low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Uniform in 0 .. count-1 (Lemire's multiplication); `count` > 0.
  std::uint32_t below(std::uint32_t count) {
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(next_u32()) * count) >> 32);
  }
  bool chance(double probability) { return uniform() < probability; }
  /// Standard normal (Box-Muller, one of the pair).
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * kPi * uniform());
  }
  /// An independent generator for sub-task `index`; does not advance this one.
  Rng fork(std::uint64_t index) const { return Rng(mix(state_ ^ mix(index)), index + (increment_ >> 1)); }

 private:
  static std::uint64_t mix(std::uint64_t z) {  // splitmix64
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }

  std::uint64_t state_, increment_;
};

}  // namespace limber
