// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "limber/base/math.h"

/// Random numbers by their address, for the CPU and for kernels: the same bits everywhere, so that the numbers differ
/// by no more than logarithm and sine do. Private to `prior`.
namespace limber::prior {

/// A noise video's address; `normal_noise` says how it is used.
struct NoiseAddress {
  std::uint64_t seed = 0, iteration = 0, draw = 0;
};

struct FourWords {
  std::uint32_t words[4];
};

/// Philox4x32-10 (Salmon et al. 2011): threads need no order.
LIMBER_HOST_DEVICE inline FourWords philox(FourWords counter, std::uint64_t key) {
  auto low = static_cast<std::uint32_t>(key), high = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint32_t* c = counter.words;
    const std::uint64_t a = std::uint64_t{0xD2511F53} * c[0], b = std::uint64_t{0xCD9E8D57} * c[2];
    counter = {{static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ low, static_cast<std::uint32_t>(b),
                static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ high, static_cast<std::uint32_t>(a)}};
    low += 0x9E3779B9, high += 0xBB67AE85;
  }
  return counter;
}

/// Uniform in (0, 1).
LIMBER_HOST_DEVICE inline double unit_number(std::uint32_t bits) { return (bits + 0.5) * 0x1.0p-32; }

/// Numbers 4 `block` to 4 `block` + 3 of a noise video, of which there are `count`: Box-Muller, twice.
LIMBER_HOST_DEVICE inline void put_normal_numbers(const NoiseAddress& address, std::size_t block, std::size_t count,
                                                  float* numbers) {
  const FourWords bits =
      philox({{static_cast<std::uint32_t>(block),
               static_cast<std::uint32_t>(block >> 32) ^ static_cast<std::uint32_t>(address.iteration >> 32),
               static_cast<std::uint32_t>(address.iteration), static_cast<std::uint32_t>(address.draw)}},
             address.seed);
  for (std::size_t pair = 0; pair < 2; ++pair) {
    const double radius = std::sqrt(-2 * std::log(unit_number(bits.words[2 * pair]))),
                 angle = 2 * kPi * unit_number(bits.words[2 * pair + 1]);
    const std::size_t at = 4 * block + 2 * pair;
    if (at < count) numbers[at] = static_cast<float>(radius * std::cos(angle));
    if (at + 1 < count) numbers[at + 1] = static_cast<float>(radius * std::sin(angle));
  }
}

}  // namespace limber::prior
