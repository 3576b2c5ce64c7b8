// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/usual_movement.h"

#include <algorithm>

namespace limber::metrics {
namespace {

struct Measured {
  std::string_view action;
  MovementRange range;
};

// Fifth and ninety-fifth percentile over all plans of the zoo that can do it, 24 creatures each, two seconds at 12
// frames a second (`UsualMovement.HoldsForCreaturesThatWereNotMeasured` looks at others). Actions that only artists'
// characters have count as the nearest one here.
// table: one row per action
constexpr Measured kMeasured[] = {
    {"idle", {0.002, 0.05}}, {"walk", {0.03, 0.2}},     {"trot", {0.03, 0.2}},   {"pace", {0.03, 0.2}},
    {"gallop", {0.05, 0.3}}, {"bound", {0.05, 0.3}},    {"hop", {0.03, 0.3}},    {"run", {0.05, 0.3}},
    {"jump", {0.05, 0.5}},   {"turn", {0.02, 0.3}},     {"sneak", {0.02, 0.2}},  {"limp", {0.02, 0.2}},
    {"fly", {0.05, 0.5}},    {"glide", {0.005, 0.2}},   {"swim", {0.02, 0.3}},   {"slither", {0.02, 0.3}},
    {"crawl", {0.02, 0.3}},  {"attack", {0.02, 0.3}},   {"eat", {0.01, 0.2}},    {"wave", {0.01, 0.2}},
    {"sit", {0.02, 0.3}},    {"lie-down", {0.02, 0.3}}, {"look", {0.005, 0.15}}, {"shake", {0.005, 0.15}},
    {"rear", {0.03, 0.4}},   {"roar", {0.005, 0.2}},    {"die", {0.03, 0.5}},    {"dance", {0.02, 0.3}},
};

/// Of anything that is not rest.
constexpr MovementRange kAny{0.004, 0.5};

}  // namespace

MovementRange usual_movement(std::string_view action) {
  const auto found = std::find_if(std::begin(kMeasured), std::end(kMeasured),
                                  [&](const Measured& measured) { return measured.action == action; });
  return found == std::end(kMeasured) ? kAny : found->range;
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
