// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/usual_movement.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/actions/catalogue.h"

namespace limber::metrics {
namespace {

/// Of anything that is not rest.
constexpr MovementRange kAny{0.004, 0.5};
constexpr double kUnknownStill = 0.0016;  // heights: whatever moves at all

}  // namespace

MovementRange usual_movement(std::string_view action) {
  const actions::Action* known = actions::built_in().find(action);
  if (known == nullptr || !known->usual.movement) return kAny;
  return {known->usual.movement->least, known->usual.movement->most};
}

MovementRange allowed_movement(std::span<const std::string> actions) {
  // Nobody knows what is usual for anything.
  if (actions.empty()) return {kUnknownStill, kWildShare * kAny.most};
  MovementRange all{std::numeric_limits<double>::infinity(), 0};
  for (const std::string& action : actions) {
    const MovementRange usual = usual_movement(action);
    all.least = std::min(all.least, kStillShare * std::sqrt(usual.least * usual.most));
    all.most = std::max(all.most, kWildShare * usual.most);
  }
  return all;
}

}  // namespace limber::metrics
