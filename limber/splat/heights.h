// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "limber/base/math.h"

/// What a Gaussian's height above the ground y = 0 does to it, in scenes that have a ground.
namespace limber::splat {

/// How much of its opacity a Gaussian keeps at a height, and the slope: a smooth step from 1 on the ground to 0 at
/// `depth` below it. A negative depth hides nothing.
struct Shown {
  float share = 1, slope = 0;
};
LIMBER_HOST_DEVICE inline Shown shown_at(float height, float depth) {
  if (!(height < 0) || depth < 0) return {1, 0};
  if (height <= -depth) return {0, 0};
  const float t = 1 + height / depth;
  return {t * t * (3 - 2 * t), 6 * t * (1 - t) / depth};
}

/// A height that softly ends at zero, and its derivative.
struct SoftHeight {
  float value, slope;
};
LIMBER_HOST_DEVICE inline SoftHeight soft_height(float y) {
  constexpr float kContact = 0.02f;  // heights: how softly
  if (!(y - y == 0)) return {0, 0};  // not drawn
  const float root = std::sqrt(y * y + kContact * kContact);
  return {0.5f * (y + root), 0.5f * (1 + y / root)};
}

/// What of it is wanted. The defaults: nothing.
struct HeightRules {
  float hide_depth = -1;  ///< opacities fall to nothing over this depth below the ground; negative: they do not
  float shade_decay = 0;  ///< > 0: red is exp(-shade_decay soft height), the other colours are black
};

}  // namespace limber::splat
