// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/animate/made.h"
#include "limber/prior/video_prior.h"

/// AKD as it is published (sections 4.1 to 4.4, appendix D), with any prior. Private to `animate`.
namespace limber::animate {

/// Score distillation from a body at rest that slides forward, or from what `starter` draws where the plan says so,
/// all joints free: eqs. 7 to 10 and AKD's weights, guidance and times. A prior that draws sketches sees the body as it
/// was taught, from its two sides; others see it in the colours of `asset`, by Gaussians refined against its mesh,
/// through cameras that follow it and jitter.
Result<Made> distill_motion(const ByAkd& plan, const Context& context, prior::VideoPrior& prior,
                            prior::VideoPrior* starter);

/// What of it is minimised, and how.
distill::DistillSettings akd_settings(const ByAkd& plan, const Context& context);

}  // namespace limber::animate
