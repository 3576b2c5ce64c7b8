// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/animate/animate_subject.h"
#include "limber/animate/animation.h"
#include "limber/asset/asset.h"
#include "limber/prior/video_prior.h"
#include "limber/rig/subject.h"

/// AKD as it is published (sections 4.1 to 4.4, appendix D), with any prior. Private to `animate`.
namespace limber::animate {

/// Score distillation from a body at rest that slides forward, or from what `starter` draws where the request says so,
/// all joints free: eqs. 7 to 10 and AKD's weights, guidance and times. A prior that draws parts sees the body as it
/// was taught, from its two sides; others see it in the colours of `asset`, by Gaussians refined against its mesh,
/// through cameras that follow it and jitter. `subject` stands upright and faces +Z.
Result<Animation> distill_motion(const rig::Subject& subject, const asset::Asset* asset, prior::VideoPrior& prior,
                                 prior::VideoPrior* starter, const Request& request, const Study& study);

/// What of it is minimised, and how.
distill::DistillSettings akd_settings(const rig::Subject& subject, const Request& request);

}  // namespace limber::animate
