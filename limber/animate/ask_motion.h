// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/animate/animation.h"

/// Knowing that it went wrong, after the last rung. Private to `animate`.
namespace limber::animate {

/// Every question once, in their order. `animation` is whole but for these, its skin measured.
std::vector<Answer> ask_motion(const Animation& animation, double most_residual);

/// Heights a second that planted feet may slide, heights that anything may be below the ground, and radians beyond a
/// joint's limits: twice what good motions have (docs/figures.md).
inline constexpr double kMostSliding = 0.15, kMostSunk = 0.05, kMostBeyond = 0.35;
/// What another action may explain pictures better by, as a share: less is noise.
inline constexpr double kToldMargin = 0.02;

}  // namespace limber::animate
