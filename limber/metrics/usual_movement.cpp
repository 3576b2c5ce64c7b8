// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/usual_movement.h"

#include <algorithm>

#include "limber/actions/catalogue.h"

namespace limber::metrics {
namespace {

/// Of anything that is not rest.
constexpr MovementRange kAny{0.004, 0.5};

}  // namespace

MovementRange usual_movement(std::string_view action) {
  const actions::Action* known = actions::built_in().find(action);
  if (known == nullptr || !known->usual.movement) return kAny;
  return {known->usual.movement->least, known->usual.movement->most};
}

MovementRange allowed_movement(std::span<const std::string> actions) {
  MovementRange all = actions.empty() ? kAny : usual_movement(actions.front());
  for (const std::string& action : actions) {
    const MovementRange usual = usual_movement(action);
    all = {std::min(all.least, usual.least), std::max(all.most, usual.most)};
  }
  return {kStillShare * all.least, kWildShare * all.most};
}

}  // namespace limber::metrics
