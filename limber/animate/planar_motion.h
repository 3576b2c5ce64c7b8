// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/animate/made.h"
#include "limber/prior/video_prior.h"

/// AnimaSpark with the built-in prior. Private to `animate`.
namespace limber::animate {

/// Samples, each followed on the plane of the picture (lift/planar_parts.h): nothing is rendered and compared, and
/// nothing distilled. The one whose parts are seen best and that is steadiest continues.
Result<Made> planar_motion(const ByPlanar& plan, const Context& context, prior::VideoPrior& prior);

}  // namespace limber::animate
