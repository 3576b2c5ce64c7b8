// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/zoo/script.h"

/// What bodies without any limb do: sacks, plants, lamps, slimes. They stand on their base, bend along their spine, and
/// leave the ground by hops. Motions do not scale: a squash is a bend.
namespace limber::zoo {
namespace {

/// One hop, from 0 to 1: crouches, leaves at `kLeaves`, is back at `kLands`, and sways out.
constexpr double kLeaves = 0.34, kLands = 0.8;

double in_the_air(double t) { return std::clamp((t - kLeaves) / (kLands - kLeaves), 0.0, 1.0); }

/// The body's part of a hop: bends forward to crouch, straightens out of it, nods when it lands.
void spring(const Cast& cast, BodyGoal& goal, double t, double size) {
  const double air = in_the_air(t);
  goal.shift.y += 0.16 * size * 4 * air * (1 - air);
  const double crouch = hold(0, 0.2, 0.2, kLeaves, t), stretch = hold(0.25, 0.42, 0.5, 0.72, t);
  const double caught = hold(kLands - 0.06, 0.88, 0.88, 1, t);
  bend_spine(cast, goal, 0, 0, size * (0.5 * crouch - 0.25 * stretch + 0.35 * caught));
  turn_head(cast, goal, 0, -size * (0.2 * crouch - 0.1 * stretch + 0.15 * caught));
  goal.turn.z += size * (-0.12 * hold(0, 0.35, 0.35, 0.7, air) + 0.12 * hold(0.35, 0.7, 0.7, 1, air));
  swing_tail(cast, goal, t, 0, 0.1 * size, 0.1);
}

BodyGoal hop_goal(const Cast& cast, double stride, double phase) {
  const double hops = std::floor(phase), t = phase - hops;
  BodyGoal goal = start_goal(cast);
  goal.travel = {0, 0, stride * (hops + in_the_air(t))};
  goal.shift = goal.travel;
  spring(cast, goal, t, std::min(1.3, cast.settings.amplitude));
  return goal;
}

BodyGoal jump_goal(const Cast& cast, double stride, double phase) {
  BodyGoal goal = start_goal(cast);
  goal.travel = {0, 0, stride * in_the_air(phase)};
  goal.shift = goal.travel;
  spring(cast, goal, phase, std::min(1.5, 1.4 * cast.settings.amplitude));
  return goal;
}

/// A quarter turn in three hops.
BodyGoal turn_goal(const Cast& cast, double, double phase) {
  constexpr int kHops = 3;
  const double angle = 0.5 * kPi * cast.settings.amplitude * turn_side(cast);
  const double hops = std::min(std::floor(kHops * phase), kHops - 1.0), t = kHops * phase - hops;
  BodyGoal goal = start_goal(cast);
  goal.turn.x = angle * (hops + in_the_air(t)) / kHops;
  spring(cast, goal, t, 0.5);
  bend_spine(cast, goal, 0.25 * turn_side(cast) * hold(0, 0.15, 0.85, 1, phase), 0, 0);
  return goal;
}

BodyGoal lunge_goal(const Cast& cast, double, double phase) {
  const double size = std::min(1.3, cast.settings.amplitude);
  const double back = hold(0.02, 0.32, 0.34, 0.46, phase), forth = hold(0.38, 0.5, 0.56, 0.9, phase);
  BodyGoal goal = at_ease(cast, 0);
  bend_spine(cast, goal, 0, 0, size * (-0.7 * back + 1.2 * forth));
  turn_neck(cast, goal, 0, size * (-0.3 * back + 0.3 * forth));
  turn_head(cast, goal, 0, size * (0.3 * back - 0.4 * forth));
  open_jaws(cast, goal, hold(0.3, 0.45, 0.49, 0.55, phase));
  return goal;
}

BodyGoal bow_goal(const Cast& cast, double, double phase) {
  const double down = hold(0.03, 0.3, 0.74, 0.98, phase), chew = hold(0.28, 0.34, 0.7, 0.78, phase);
  BodyGoal goal = at_ease(cast, 0);
  bend_spine(cast, goal, 0, 0, down * std::min(1.6, 0.6 + 0.6 * cast.settings.amplitude));
  turn_neck(cast, goal, 0, 0.5 * down);
  turn_head(cast, goal, 0.08 * chew * wave(2.5 * phase), -0.2 * down);
  open_jaws(cast, goal, 0.6 * chew * (0.5 - 0.5 * wave(5 * phase)));
  return goal;
}

/// Idle: sways like a plant in the wind.
BodyGoal sway_goal(const Cast& cast, double, double phase) {
  const double size = cast.settings.amplitude;
  BodyGoal goal = at_ease(cast, 2 * phase);
  bend_spine(cast, goal, 0.1 * size * wave(phase - 0.3), 0.16 * size * wave(phase),
             0.06 * size * wave(2 * phase - 0.1));
  turn_head(cast, goal, 0.14 * size * wave(phase - 0.25), 0.04 * size * wave(2 * phase - 0.3));
  swing_tail(cast, goal, phase, 0.1 * size, 0, 0.1);
  return goal;
}

}  // namespace

Script hop_script(const Cast& cast) {
  struct Entry {
    BodyGoal (*goal)(const Cast&, double stride, double phase);
    double seconds, stride;
  };
  const auto entry = [](Action action) -> Entry {
    switch (action) {
      case Action::kHop:
        return {hop_goal, 0.8, 0.3};
      case Action::kJump:
        return {jump_goal, 1.4, 0.4};
      case Action::kTurn:
        return {turn_goal, 2.1, 0};
      case Action::kAttack:
        return {lunge_goal, 1.5, 0};
      case Action::kEat:
        return {bow_goal, 3.2, 0};
      default:
        return {sway_goal, 3.2, 0};
    }
  }(cast.settings.action);
  Script script;
  script.cyclic = is_cyclic(cast.settings.action);
  script.seconds = entry.seconds * tempo(cast);
  script.stride = entry.stride * cast.settings.amplitude;
  if (!script.cyclic && cast.settings.in_place) script.stride = 0;
  script.goal = [&cast, pose = entry.goal, stride = script.stride](double phase) {
    BodyGoal goal = pose(cast, stride, phase);
    rest_on_ground(cast, goal);
    return goal;
  };
  if (!script.cyclic) return script;
  const double sign = cast.settings.backward ? -1 : 1;
  script = on_arc(cast, std::move(script), sign * cast.settings.turning);
  return cast.settings.backward ? reversed(std::move(script)) : script;
}

}  // namespace limber::zoo
