// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/usual_travel.h"

#include <algorithm>
#include <limits>

#include "limber/actions/catalogue.h"

namespace limber::metrics {
namespace {

/// Of what nobody measured.
constexpr SpeedRange kAny{0, std::numeric_limits<double>::infinity()};

/// What is known of an action; nothing of one that nobody knows.
const actions::Usual& usual_of(std::string_view action) {
  static const actions::Usual nothing;
  const actions::Action* known = actions::built_in().find(action);
  return known == nullptr ? nothing : known->usual;
}

}  // namespace

SpeedRange usual_speed(std::string_view action, bool legged) {
  const actions::Usual& usual = usual_of(action);
  const std::optional<actions::Range>& speed = legged ? usual.legged_speed : usual.legless_speed;
  return speed ? SpeedRange{speed->least, speed->most} : kAny;
}

std::optional<double> usual_clearance(std::string_view action) { return usual_of(action).clearance; }

SpeedRange allowed_speed(std::span<const std::string> actions, bool legged) {
  if (actions.empty()) return kAny;
  SpeedRange all{std::numeric_limits<double>::infinity(), 0};
  for (const std::string& action : actions) {
    const SpeedRange usual = usual_speed(action, legged);
    all = {std::min(all.least, usual.least), std::max(all.most, usual.most)};
  }
  const double least = kNowhereShare * all.least;
  return {least < kUnseenPace ? 0 : least, std::max(kAwayShare * all.most, kLeastAway)};
}

double allowed_clearance(std::span<const std::string> actions) {
  constexpr double kAnyHeight = std::numeric_limits<double>::infinity();
  double most = actions.empty() ? kAnyHeight : 0;
  for (const std::string& action : actions) {
    const actions::Usual& usual = usual_of(action);
    most = std::max(most, usual.legs_in_air ? kAnyHeight : usual.clearance.value_or(kAnyHeight));
  }
  return std::max(kAwayShare * most, kLeastHover);
}

}  // namespace limber::metrics
