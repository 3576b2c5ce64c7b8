// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/body_reading.h"

#include <algorithm>

namespace limber::anatomy {
namespace {

constexpr double kUnsure = 0.84;  // mean share of a point's likeliest part: readings below are not believed
constexpr double kSure = 0.92;    // ... and those above are

}  // namespace

double BodyReading::trust() const {
  double sure = 0;
  for (const Shares& shares : regions)
    sure += *std::max_element(shares.begin(), shares.end()) / static_cast<double>(regions.size());
  return std::clamp((sure - kUnsure) / (kSure - kUnsure), 0.0, 1.0);
}

}  // namespace limber::anatomy
