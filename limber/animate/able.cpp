// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/able.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "limber/anatomy/find_roles.h"

namespace limber::animate {
namespace {

struct Need {
  rig::LimbKind kind;
  int least;
  std::string_view name;
};

std::optional<Need> need_of(std::string_view action) {
  static constexpr std::string_view kOnLegs[]{"walk", "run", "sneak", "limp", "sit", "hop", "kick", "march", "strut"};
  // People pace, too, and kangaroos bound.
  static constexpr std::string_view kOnFour[]{"trot", "gallop"};
  const auto is_in = [&](const auto& list) {
    return std::find(std::begin(list), std::end(list), action) != std::end(list);
  };
  if (is_in(kOnLegs)) return Need{rig::LimbKind::kLeg, 1, "legs"};
  if (is_in(kOnFour)) return Need{rig::LimbKind::kLeg, 3, "four legs"};
  // Rays glide on fins.
  if (action == "fly") return Need{rig::LimbKind::kWing, 1, "wings"};
  return std::nullopt;
}

}  // namespace

std::optional<std::string> warn_of_limbs(const PromptPart& part, const rig::Rig& rig) {
  const rig::Rig told = anatomy::with_roles(rig);
  // The trunk alone is nobody's limbs: they were not found.
  if (told.limbs().size() < 2) return std::nullopt;
  for (const std::string& action : part.actions) {
    const std::optional<Need> need = need_of(action);
    if (!need) continue;
    const auto count = std::count_if(told.limbs().begin(), told.limbs().end(),
                                     [&](const rig::Limb& limb) { return limb.kind == need->kind; });
    if (count >= need->least) continue;
    return fmt::format(
        "\"{}\" takes {}, which this body does not have, as far as its limbs are known; it is moved as well as may be, "
        "and another word may do better",
        action, need->name);
  }
  return std::nullopt;
}

}  // namespace limber::animate
