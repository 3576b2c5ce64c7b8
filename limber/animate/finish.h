// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "limber/animate/animation.h"
#include "limber/animate/join.h"
#include "limber/animate/plan.h"
#include "limber/rig/subject.h"

/// What follows a motion that was lifted or distilled: rate, loop, ground, metrics. Private to `animate`.
namespace limber::animate {

struct Finished {
  kinematics::Motion motion;
  std::optional<physics::Grounded> grounded;
  metrics::Gait gait;               ///< before `in_place`
  metrics::MotionMetrics metrics;   ///< before `in_place`, too
  std::optional<double> key_error;  ///< before `in_place`, too; where there are keys
  std::vector<Warning> warnings;
};

/// What whoever made a motion knows of its feet and its way.
struct ToldGround {
  std::vector<physics::ToldContact> contacts;  ///< per frame of the motion; empty: nobody knows
  double slide_share = 1;                      ///< see physics::ReferenceSettings
  bool in_place = false;                       ///< the prompt says that it stays where it is
};

/// `subject` stands upright and faces +Z. The motion passes through `keys`, but for what the ground then changes; one
/// without keys begins where the body is at rest.
/// `told`: what is known of the feet of `lifted`. Fails only if it was cancelled.
Result<Finished> finish(const FinishPlan& plan, const rig::Subject& subject, const kinematics::Motion& lifted,
                        std::span<const metrics::LimbEnd> ends, const Progress& progress = {},
                        std::span<const Key> keys = {}, const ToldGround& told = {});

}  // namespace limber::animate
