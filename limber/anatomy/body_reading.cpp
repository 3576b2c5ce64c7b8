// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/body_reading.h"

#include <algorithm>
#include <cmath>

namespace limber::anatomy {

namespace {

double trust_in(double right) {
  constexpr double kTossUp = 0.5, kSure = 0.8;  // as often right
  return std::clamp((right - kTossUp) / (kSure - kTossUp), 0.0, 1.0);
}

}  // namespace

double BodyReading::trust() const { return trust_in(std::min(kind_right, front_right)); }
double BodyReading::limb_trust() const { return trust_in(kind_right); }

double within_45_degrees(double concentration) {
  const double beyond = 1 - std::sqrt(0.5);  // 1 - cos
  if (concentration < 1e-6) return 0.5 * beyond;
  return std::expm1(-concentration * beyond) / std::expm1(-2 * concentration);
}

double mean_length(double concentration) {
  if (concentration < 1e-3) return concentration / 3;
  return 1 / std::tanh(concentration) - 1 / concentration;
}

}  // namespace limber::anatomy
