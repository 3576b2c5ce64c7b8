// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

/// How much bodies move in an action, as measured: what tells a motion that froze, or one that thrashes about.
namespace limber::metrics {

/// Of `Gait::movement`, the root mean square distance of the limbs' ends from their mean places, in heights.
struct MovementRange {
  double least = 0, most = 0;
};

/// What nine of ten performances of the action have, over all bodies, as `actions` knows it: fifth and ninety-fifth
/// percentile over all plans of the zoo that can do it, eight creatures each, two seconds at 12 frames a second, with
/// style. For an action that was not measured, what any may have.
MovementRange usual_movement(std::string_view action);

/// What a motion that was told to do these actions may have: `kStillShare` of what is usual in the middle (the
/// geometric mean of the range, the least of all actions), to `kWildShare` of the most. Without any action, whatever an
/// action may have. Chosen by what viewers said of 126 clips (tools/fit_warnings.py), and by
/// what the zoo does by its rules.
MovementRange allowed_movement(std::span<const std::string> actions);

inline constexpr double kStillShare = 0.5, kWildShare = 4;

}  // namespace limber::metrics
