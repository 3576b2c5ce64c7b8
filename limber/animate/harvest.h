// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "limber/animate/answers.h"
#include "limber/base/progress.h"
#include "limber/kinematics/motion.h"
#include "limber/lift/view_fit.h"
#include "limber/prior/video_prior.h"
#include "limber/rig/subject.h"

/// Poses that were born in a video: what the built-in prior draws of a body, lifted and asked whether it is sound, to
/// teach others with.
namespace limber::animate {

struct HarvestSettings {
  std::uint64_t seed = 0;
  std::optional<int> steps;                ///< of sampling; unset: the prior's own
  std::vector<lift::FitStage> fit_stages;  ///< of lifting; empty: the lift's own
  Progress progress;
};

struct Harvested {
  kinematics::Motion motion;  ///< at the prior's rate, its feet on the ground
  std::vector<Answer> answers;

  /// Whether nothing is known against its poses.
  bool sound() const { return all_passed(answers); }
};

/// One sample. `subject` stands upright and faces +Z. Fails where the prior cannot draw bodies, or it was cancelled.
Result<Harvested> harvest_motion(const rig::Subject& subject, prior::VideoPrior& prior, const std::string& prompt,
                                 const HarvestSettings& settings = {});

}  // namespace limber::animate
