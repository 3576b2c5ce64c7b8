// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "limber/base/math.h"

/// Where samples are on their way from noise to a motion: the same for training and drawing. Private to motion_space.
namespace limber::motion_space {

/// A clip has some thousand numbers that say much the same, so that little of it drowns in noise that would hide a
/// single number: most is decided where nearly all is noise. Equal steps u, 0 to 1, are spread by so much.
inline constexpr double kShift = 4;

inline constexpr double kFirstTime = 0.999;  ///< the very last one has no clip in it at all

/// The diffusion time of a step.
inline double time_of_step(double u) { return std::atan(kShift * std::tan(u * kPi / 2)) * 2 / kPi; }

}  // namespace limber::motion_space
