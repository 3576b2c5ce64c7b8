// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

/// How fast bodies go in an action, and how high their legs keep above the ground, as measured: what tells a walk that
/// goes nowhere, somebody who sits and glides away, and feet that hover. In the units of `Travel`.
namespace limber::metrics {

struct SpeedRange {
  double least = 0;  ///< of `Travel::pace`
  double most = 0;   ///< of `Travel::speed`
};

/// What 95 of 100 performances of the action exceed, and do not exceed, as `actions` knows it; any speed where too few
/// were measured, and of dances.
///
/// Fifth percentile of the pace of all, ninety-fifth of the speed of the zoo or of characters, whichever is more, and
/// of all clearances, as `limber-lab bench usual --characters FILE` prints them: 256 creatures of the zoo, half of them
/// random bodies, two seconds of all that they can do, with style and without manners, and the clips of the artists'
/// characters of the training split (`limber-lab train bake`), which are given back what a treadmill took away. Of
/// kinds of performances of which there are fewer than eight nothing is said.
SpeedRange usual_speed(std::string_view action, bool legged);

/// What 95 of 100 performances of legged bodies do not exceed; none where nothing was measured.
std::optional<double> usual_clearance(std::string_view action);

/// What a motion that was told to do these actions may have: `kNowhereShare` of the least that is usual in any of them,
/// to `kAwayShare` of the most. Without any action, or with one that was not measured, any speed.
SpeedRange allowed_speed(std::span<const std::string> actions, bool legged);
/// The same for clearances; any where legs may be in the air without it hovering: who sits, lies, rolls or dies.
double allowed_clearance(std::span<const std::string> actions);

/// Slow walks are half as fast as plain ones.
inline constexpr double kNowhereShare = 0.4, kAwayShare = 2.5;
/// A least pace below this is no way; sizes a second: a way below `kLeastAway` is none to be warned of.
inline constexpr double kUnseenPace = 0.03, kLeastAway = 0.15;
/// Leg lengths: what can be seen to hover, some 5 % of a person's height.
inline constexpr double kLeastHover = 0.1;

}  // namespace limber::metrics
