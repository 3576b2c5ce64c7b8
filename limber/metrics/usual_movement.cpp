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

// Fifth and ninety-fifth percentile over all plans of the zoo that can do it, eight creatures each, two seconds at 12
// frames a second, with style (`UsualMovement.HoldsForCreaturesThatWereNotMeasured` looks at others).
// table: one row per action
constexpr Measured kMeasured[] = {
    {"attack", {0.019, 0.157}},   {"bound", {0.017, 0.130}}, {"crawl", {0.018, 0.066}}, {"dance", {0.012, 0.190}},
    {"die", {0.007, 0.079}},      {"eat", {0.011, 0.118}},   {"fly", {0.130, 0.160}},   {"gallop", {0.015, 0.132}},
    {"glide", {0.021, 0.050}},    {"hop", {0.020, 0.106}},   {"idle", {0.008, 0.033}},  {"jump", {0.068, 0.235}},
    {"lie-down", {0.002, 0.085}}, {"limp", {0.017, 0.063}},  {"look", {0.014, 0.065}},  {"pace", {0.027, 0.127}},
    {"rear", {0.029, 0.140}},  // not a joint: to stand up on the hind legs
    {"roar", {0.015, 0.062}},     {"run", {0.024, 0.134}},   {"shake", {0.016, 0.112}}, {"sit", {0.002, 0.054}},
    {"slither", {0.050, 0.062}},  {"sneak", {0.018, 0.057}}, {"swim", {0.056, 0.081}},  {"trot", {0.032, 0.070}},
    {"turn", {0.044, 0.152}},     {"walk", {0.022, 0.111}},  {"wave", {0.024, 0.135}}};

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
