// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "limber/animate/animation.h"
#include "limber/physics/reference.h"
#include "limber/rig/subject.h"

/// How good a motion is that the network on joints drew, as far as numbers tell. Private to `animate`.
namespace limber::animate {

/// What was drawn, and what for.
struct NativeTake {
  kinematics::Motion motion;
  std::vector<physics::ToldContact> stands;  ///< when feet stand, as the network says
  std::uint64_t seed = 0;
};

/// For choosing among candidates: smaller is better, 0 the best. Feet that stand keep their places and are low, the
/// body moves and travels as is usual for what it was told to do, joints keep to their limits, and what should be a
/// loop closes. Here alone candidates are compared.
double rate_native(const rig::Subject& subject, const NativeTake& take, const PromptSegment& segment, bool loops);

/// How far feet that are said to stand agree with what they do, 0 to 1: whoever says that feet stand that are high or
/// fast is not believed.
double contact_trust(const rig::Rig& rig, const NativeTake& take);

/// What is wrong with a finished motion so that another should be drawn, in words; none where it may pass. It errs on
/// the side of passing: `ask_motion` complains sooner.
std::optional<std::string> find_native_failure(const Animation& animation);

}  // namespace limber::animate
