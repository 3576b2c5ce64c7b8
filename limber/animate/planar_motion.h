// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/animate/animation.h"
#include "limber/prior/video_prior.h"
#include "limber/rig/subject.h"

/// AnimaSpark with the built-in prior. Private to `animate`.
namespace limber::animate {

/// Samples, each followed on the plane of the picture (lift/planar_parts.h): nothing is rendered and compared, and
/// nothing distilled. The one whose parts are seen best and that is steadiest continues. `subject` stands upright and
/// faces +Z.
Result<Animation> planar_motion(const rig::Subject& subject, prior::VideoPrior& prior, const Request& request);

}  // namespace limber::animate
