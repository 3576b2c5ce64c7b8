// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/limb_plan.h"

#include <algorithm>

#include "limber/anatomy/find_roles.h"

namespace limber::anatomy {

std::string_view name(LimbPlan kind) {
  switch (kind) {
    case LimbPlan::kFourLegs:
      return "four legs";
    case LimbPlan::kTwoLegs:
      return "two legs";
    case LimbPlan::kWings:
      return "wings";
    case LimbPlan::kManyLegs:
      return "many legs";
    case LimbPlan::kFins:
      return "fins";
    case LimbPlan::kNoLimbs:
      return "no limbs";
  }
  return "";
}

LimbPlan limb_plan(const rig::Rig& rig) {
  const rig::Rig known = with_roles(rig);
  const auto count = [&](rig::LimbKind kind) {
    return std::count_if(known.limbs().begin(), known.limbs().end(),
                         [&](const auto& limb) { return limb.kind == kind; });
  };
  const auto legs = count(rig::LimbKind::kLeg);
  if (legs > 4) return LimbPlan::kManyLegs;
  if (count(rig::LimbKind::kWing) > 0) return LimbPlan::kWings;
  if (legs >= 3) return LimbPlan::kFourLegs;
  if (legs > 0) return LimbPlan::kTwoLegs;
  return count(rig::LimbKind::kFin) > 0 ? LimbPlan::kFins : LimbPlan::kNoLimbs;
}

}  // namespace limber::anatomy
