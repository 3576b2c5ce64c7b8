// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/usual_travel.h"

#include <algorithm>
#include <limits>

namespace limber::metrics {
namespace {

/// Of what nobody measured.
constexpr SpeedRange kAny{0, std::numeric_limits<double>::infinity()};

struct Measured {
  std::string_view action;
  SpeedRange legged, legless;
  std::optional<double> clearance;
};

/// What may be done with the legs in the air, lying on the back or sitting: how high they are says nothing.
constexpr std::string_view kOffLegs[]{"die", "lie-down", "roll", "sit"};

// Fifth percentile of the pace of all, ninety-fifth of the speed of the zoo or of characters, whichever is more, and of
// all clearances, as `limber bench usual --characters FILE` prints them: 256 creatures of the zoo, half of them random
// bodies, two seconds of all that they can do, with style and without manners, and the clips of the artists' characters
// of the training split (`limber train bake`), which are given back what a treadmill took away. Of kinds of
// performances of which there are fewer than eight nothing is said. One row per action. Dances alone are not as they
// were measured, hardly moving (0.02): people dance across a floor.
constexpr Measured kMeasured[] = {
    {"attack", {0.02, 0.28}, {0.00, 0.63}, 0.00},
    {"bound", {0.54, 2.12}, kAny, 0.00},
    {"crawl", {0.24, 0.32}, {0.33, 0.34}, 0.00},
    {"dance", kAny, kAny, 0.00},
    {"die", {0.00, 0.89}, {0.01, 0.86}, 0.01},
    {"eat", {0.00, 0.08}, {0.00, 0.07}, 0.00},
    {"fly", {2.09, 1.08}, kAny, 3.55},
    {"gallop", {0.33, 2.61}, kAny, 0.00},
    {"get-hit", {0.01, 0.09}, {0.02, 0.07}, 0.00},
    {"glide", {1.76, 0.78}, {0.34, 0.38}, 3.50},
    {"headbutt", {0.00, 0.10}, {0.04, 0.14}, 0.00},
    {"hop", {0.12, 1.08}, {0.30, 0.47}, 0.05},
    {"idle", {0.00, 0.03}, {0.00, 0.04}, 0.00},
    {"jump", {0.00, 0.32}, {0.00, 0.32}, 0.10},
    {"kick", {0.02, 0.19}, kAny, 0.03},
    {"lie-down", {0.00, 0.17}, kAny, 0.00},
    {"limp", {0.16, 0.35}, kAny, 0.00},
    {"look", {0.01, 0.04}, {0.00, 0.03}, 0.00},
    {"nod", {0.01, 0.03}, {0.00, 0.02}, 0.11},
    {"pace", {0.23, 1.10}, kAny, 0.00},
    {"pick-up", {0.00, 0.18}, kAny, 0.00},
    {"punch", {0.01, 0.14}, {0.03, 0.07}, 0.00},
    {"rear", {0.00, 0.07}, {0.01, 0.02}, 0.00},  // not a joint: to stand up on the hind legs
    {"roar", {0.00, 0.02}, {0.00, 0.07}, 0.00},
    {"roll", {0.00, 0.27}, kAny, 0.11},
    {"run", {0.79, 4.92}, kAny, 0.11},
    {"shake", {0.01, 0.01}, {0.00, 0.05}, 0.00},
    {"shake-head", {0.02, 0.04}, {0.00, 0.05}, 0.11},
    {"shoot", {0.00, 0.07}, kAny, 0.00},
    {"sit", {0.00, 0.19}, kAny, 0.00},
    {"slash", {0.01, 0.15}, kAny, 0.00},
    {"slither", kAny, {0.45, 0.48}, std::nullopt},
    {"sneak", {0.08, 0.19}, kAny, 0.00},
    {"swim", kAny, {0.42, 0.77}, std::nullopt},
    {"trot", {0.40, 1.00}, kAny, 0.00},
    {"turn", {0.03, 0.13}, {0.03, 0.44}, 0.00},
    {"walk", {0.33, 1.73}, {0.44, 1.42}, 0.00},
    {"wave", {0.01, 0.05}, {0.00, 0.04}, 0.00},
};

const Measured* find(std::string_view action) {
  const auto* found = std::find_if(std::begin(kMeasured), std::end(kMeasured),
                                   [&](const Measured& measured) { return measured.action == action; });
  return found == std::end(kMeasured) ? nullptr : found;
}

}  // namespace

SpeedRange usual_speed(std::string_view action, bool legged) {
  const Measured* found = find(action);
  return found == nullptr ? kAny : legged ? found->legged : found->legless;
}

std::optional<double> usual_clearance(std::string_view action) {
  const Measured* found = find(action);
  return found == nullptr ? std::nullopt : found->clearance;
}

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
    const bool off_legs = std::find(std::begin(kOffLegs), std::end(kOffLegs), action) != std::end(kOffLegs);
    most = std::max(most, off_legs ? kAnyHeight : usual_clearance(action).value_or(kAnyHeight));
  }
  return std::max(kAwayShare * most, kLeastHover);
}

}  // namespace limber::metrics
