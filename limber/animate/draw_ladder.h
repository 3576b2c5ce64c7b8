// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/anatomy/limb_plan.h"
#include "limber/animate/follow_plan.h"
#include "limber/animate/models.h"

/// What a plan takes is opened, it is followed, and what takes its place where that fails. Private to `animate`.
namespace limber::animate {

/// The models that a request takes, and what a plan has to know of them.
struct Opened {
  std::shared_ptr<prior::VideoPrior> prior, starter;
  std::optional<motion_space::MotionDenoiser> motions;
  std::optional<anatomy::LimbPlan> kind;  ///< of the body, where there is a network on joints for it
  ModelsInfo info;
};
Result<Opened> open_models(const Models& models, const Request& request, anatomy::LimbPlan kind);

/// As the plan says. Where what the network on joints drew fails its own check, the plan's other ways are gone, as far
/// as they can be; a warning says so.
Result<Animation> draw_motion(const Plan& plan, const Actor& actor, const Models& models, const Opened& opened);

}  // namespace limber::animate
