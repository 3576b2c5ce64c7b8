// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "limber/base/result.h"
#include "limber/kinematics/motion.h"
#include "limber/rig/subject.h"

namespace limber::animate {

struct RuleSettings {
  std::string action = "walk";     ///< one that the zoo does
  std::vector<std::string> words;  ///< of the prompt: those that say how ("slowly", "tired") are followed
  /// Of what goes on and on about so many, in whole cycles; unset: two of that, else as long as it naturally takes.
  std::optional<double> seconds;
  double fps = 30;
  std::uint64_t seed = 0;  ///< draws the proportions of the body that shows how, and its manner
};

/// A motion without any network: a body of the zoo that has the same limbs does it by the zoo's rules (footfalls, wing
/// beats, waves along a tail), and every limb follows its partner (`retarget::retarget_motion`). `subject` stands
/// upright on y = 0 and faces +Z. What goes on and on comes as a loop. `kUnsupported` where the zoo does not know the
/// action, or no body with these limbs can do it.
Result<kinematics::Motion> rule_motion(const rig::Subject& subject, const RuleSettings& settings);

}  // namespace limber::animate
