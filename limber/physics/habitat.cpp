// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/habitat.h"

#include <fmt/format.h>

#include "limber/anatomy/find_roles.h"

namespace limber::physics {
namespace {

struct LimbCount {
  int fins = 0, legs = 0, wings = 0;
};

LimbCount count_limbs(const rig::Rig& rig) {
  LimbCount count;
  for (const rig::Limb& limb : rig.limbs()) {
    count.fins += limb.kind == rig::LimbKind::kFin ? 1 : 0;
    count.legs += limb.kind == rig::LimbKind::kLeg ? 1 : 0;
    count.wings += limb.kind == rig::LimbKind::kWing ? 1 : 0;
  }
  return count;
}

}  // namespace

HabitatChoice choose_habitat(const rig::Rig& rig, const HabitatHint& hint, const Footing& footing) {
  const LimbCount limbs = count_limbs(anatomy::with_roles(rig));
  // Above a ground that was seen, wings tell, and who has legs and no wings is on it.
  const bool able = hint.habitat == Habitat::kFree || (hint.habitat == Habitat::kGround && limbs.legs > 0) ||
                    (hint.habitat == Habitat::kCrawl && limbs.legs == 0);
  if (able) return {*hint.habitat, fmt::format("the clip says '{}'", hint.word), false};
  if (limbs.fins > 0 && limbs.legs == 0) return {Habitat::kFree, fmt::format("{} fins and no legs", limbs.fins), false};
  if (footing.raised && limbs.wings > 0 && footing.off_ground > 0.2) {
    return {Habitat::kFree, "wings, and it stays in the air", false};
  }
  if (footing.seen && limbs.legs > 0 && limbs.wings == 0) return {Habitat::kGround, "legs above a ground", false};
  if (footing.off_ground > 0.65 && footing.floating > 0.5) {
    return {Habitat::kFree,
            fmt::format("off the ground in {:.0f} % of the frames, longer than a leap takes", 100 * footing.off_ground),
            limbs.legs > 0 && limbs.wings == 0};
  }
  if (footing.lying > 0.35 && limbs.legs == 0) {
    return {Habitat::kCrawl, fmt::format("{:.0f} % of the body lies on the ground", 100 * footing.lying), false};
  }
  return {Habitat::kGround, "something low bears the weight", false};
}

}  // namespace limber::physics
