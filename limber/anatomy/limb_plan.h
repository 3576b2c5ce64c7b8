// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "limber/rig/rig.h"

namespace limber::anatomy {

/// What a body goes on.
enum class LimbPlan { kFourLegs, kTwoLegs, kWings, kManyLegs, kFins, kNoLimbs };
inline constexpr std::array kLimbPlans{LimbPlan::kFourLegs, LimbPlan::kTwoLegs, LimbPlan::kWings,
                                       LimbPlan::kManyLegs, LimbPlan::kFins,    LimbPlan::kNoLimbs};
std::string_view name(LimbPlan kind);  ///< "four legs"

/// By the limbs that the rig knows, else by those that are found. Wings count before legs, but for insects.
LimbPlan limb_plan(const rig::Rig& rig);

}  // namespace limber::anatomy
