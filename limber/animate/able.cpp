// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/able.h"

#include <algorithm>

#include "limber/anatomy/find_roles.h"

namespace limber::animate {

std::optional<Warning> warn_of_limbs(const PromptSegment& segment, const rig::Rig& rig,
                                     const actions::Catalogue& known) {
  const rig::Rig told = anatomy::with_roles(rig);
  // The trunk alone is nobody's limbs: they were not found.
  if (told.limbs().size() < 2) return std::nullopt;
  for (const std::string& name : segment.actions) {
    const actions::Action* action = known.find(name);
    if (action == nullptr) continue;
    const actions::Limbs& need = action->limbs;
    const auto count = std::count_if(told.limbs().begin(), told.limbs().end(),
                                     [&](const rig::Limb& limb) { return rig::name(limb.kind) == need.kind; });
    if (count >= need.least) continue;
    return Warning{"limbs_missing", {}, {{"action", name}, {"limbs", need.called}}, {{"prompt"}}};
  }
  return std::nullopt;
}

}  // namespace limber::animate
