// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/zoo/script.h"

/// Everything that floating bodies do: fish, whales, rays, turtles, jellies.
namespace limber::zoo {
namespace {

/// What drives a floating body.
enum class Drive { kTail, kFlippers, kDisc, kPulse };

Drive drive_of(const BodyMap& map) {
  const auto left = std::count_if(map.fins.begin(), map.fins.end(), [](const Chain& fin) { return fin.side > 0; });
  if (left >= 3) return Drive::kDisc;
  std::size_t tail = 0;
  for (const Chain& chain : map.tails) tail = std::max(tail, chain.joints.size());
  if (!map.tentacles.empty() && tail < 4 && left == 0) return Drive::kPulse;
  return left > 0 && tail < 4 ? Drive::kFlippers : Drive::kTail;
}

/// A wave that runs to the tail and grows on its way; `size` 1 is cruising. Flukes beat up and down.
void beat_tail(const Cast& cast, BodyGoal& goal, double phase, double size) {
  const BodyMap& map = cast.poser.map();
  const double lively = size * (1 + 0.3 * cast.personality.sway);
  const auto sideways = [&](double angle) { return map.flukes ? Vec3d{0, 0, angle} : Vec3d{angle, 0, 0}; };
  for (const Chain& chain : map.tails) {
    const std::vector<int>& tail = chain.joints;
    for (std::size_t i = 0; i < tail.size(); ++i) {
      const double along = static_cast<double>(i + 1) / static_cast<double>(tail.size());
      const double bend = 0.06 + 0.34 * along * along;
      add_angle(goal, tail[i], sideways(lively * bend * wave(phase - 0.13 * static_cast<double>(i))));
    }
  }
  // The trunk takes part: the wave starts at the shoulders.
  const double links = static_cast<double>(map.spine.size());
  for (std::size_t i = 0; i < map.spine.size(); ++i) {
    const double lead = 0.1 * static_cast<double>(i + 1);
    add_angle(goal, map.spine[i], sideways(-0.3 * lively / std::max(3.0, links) * wave(phase + lead)));
  }
  goal.turn += sideways(-0.07 * lively * wave(phase + 0.08));
  const Vec3d nod = sideways(0.05 * lively * wave(phase + 0.3));
  turn_head(cast, goal, nod.x, nod.z);
  const double drift = 0.012 * lively * wave(phase + 0.3);
  (map.flukes ? goal.shift.y : goal.shift.x) += drift;
}

/// Fins that steer and hold the place.
void row_fins(const Cast& cast, BodyGoal& goal, double phase, double size, double fold) {
  for (const Chain& fin : cast.poser.map().fins) {
    const double beat = phase + (fin.side > 0 ? 0 : 0.12);
    add_wing_angle(goal, fin, 0, {0.35 * size * wave(beat), 0.25 * size * wave(beat - 0.25), fold});
  }
}

/// Flippers that drive: the foremost beat together, as a turtle's do, or in turn (an odd seed); those behind in turn.
void stroke_flippers(const Cast& cast, BodyGoal& goal, double phase, double size) {
  double foremost = 0;
  for (const Chain& fin : cast.poser.map().fins) foremost = std::max(foremost, fin.station);
  for (const Chain& fin : cast.poser.map().fins) {
    const bool fore = fin.station > foremost - 1e-6, in_turn = !fore || cast.settings.seed % 2 != 0;
    const double beat = phase + (in_turn && fin.side < 0 ? 0.5 : 0), reach = size * (fore ? 1 : 0.5);
    for (std::size_t k = 0; k < fin.joints.size(); ++k) {
      const double late = beat - 0.12 * static_cast<double>(k), share = k == 0 ? 1 : 0.4;
      add_wing_angle(goal, fin, k,
                     share * reach * Vec3d{0.6 * wave(late), 0.3 * wave(late - 0.25), 0.25 * wave(late - 0.2)});
    }
  }
}

/// A wave along the rim of a disc, from front to back, growing outwards.
void ripple_disc(const Cast& cast, BodyGoal& goal, double phase, double size) {
  double foremost = -1e9, hindmost = 1e9;
  for (const Chain& fin : cast.poser.map().fins) {
    foremost = std::max(foremost, fin.station), hindmost = std::min(hindmost, fin.station);
  }
  for (const Chain& fin : cast.poser.map().fins) {
    const double back = (foremost - fin.station) / std::max(1e-6, foremost - hindmost);
    for (std::size_t k = 0; k < fin.joints.size(); ++k) {
      const double late = phase - 0.25 * back - 0.1 * static_cast<double>(k);
      add_wing_angle(goal, fin, k, {size * (k == 0 ? 0.35 : 0.25) * wave(late), 0, 0});
    }
  }
}

/// One stroke of whatever drives the body; `size` 1 is cruising.
void drive(const Cast& cast, BodyGoal& goal, double phase, double size) {
  const BodyMap& map = cast.poser.map();
  wave_tentacles(cast, goal, phase, 0.3 * size, map.floats ? 0.12 : 0.1);
  switch (drive_of(map)) {
    case Drive::kTail:
      return beat_tail(cast, goal, phase, size);
    case Drive::kFlippers:
      beat_tail(cast, goal, phase, 0.3 * size);
      stroke_flippers(cast, goal, phase, size);
      goal.shift.y += 0.02 * size * wave(phase - 0.55);
      return;
    case Drive::kDisc:
      beat_tail(cast, goal, phase, 0.15 * size);
      ripple_disc(cast, goal, phase, size);
      goal.shift.y += 0.015 * size * wave(phase - 0.55);
      return;
    case Drive::kPulse:
      goal.shift.y += 0.03 * size * wave(phase - 0.4);
      return;
  }
}

/// Fins beside the drive: they steer where they do not drive.
void steer(const Cast& cast, BodyGoal& goal, double phase, double size, double fold) {
  const Drive by = drive_of(cast.poser.map());
  if (by == Drive::kTail || by == Drive::kPulse) row_fins(cast, goal, phase, size, fold);
}

void open_jaw(const Cast& cast, BodyGoal& goal, double angle) {
  for (const Chain& jaw : cast.poser.map().jaws) {
    if (jaw.side == 0) add_angle(goal, jaw.joints[0], {0, 0, angle});
  }
}

void bend_tails(const Cast& cast, BodyGoal& goal, double yaw) {
  for (const Chain& tail : cast.poser.map().tails) {
    for (const int joint : tail.joints) add_angle(goal, joint, {yaw, 0, 0});
  }
}

void travel_by(BodyGoal& goal, Vec3d travel) { goal.travel = travel, goal.shift += travel; }

/// Off the ground, for those that stand on it at rest.
BodyGoal floating(const Cast& cast) {
  BodyGoal goal = start_goal(cast);
  if (cast.poser.map().aground) goal.shift.y += 0.35;
  return goal;
}

BodyGoal swim_goal(const Cast& cast, double stride, double phase) {
  BodyGoal goal = floating(cast);
  travel_by(goal, {0, 0, stride * phase});
  drive(cast, goal, phase, cast.settings.amplitude);
  steer(cast, goal, phase, 0.3, 0.3);
  goal.turn.y = 0.03 * wave(phase + 0.2);
  return goal;
}

BodyGoal coast_goal(const Cast& cast, double stride, double phase) {
  BodyGoal goal = floating(cast);
  travel_by(goal, {0, 0, stride * phase});
  drive(cast, goal, phase, 0.22 * cast.settings.amplitude);
  steer(cast, goal, phase, 0.25, -0.1);
  goal.shift.y = 0.012 * wave(phase), goal.turn += Vec3d{0, 0.06 * wave(phase - 0.3), 0.04 * wave(phase - 0.25)};
  return goal;
}

/// A bend to a C, then one strong stroke out of it, along the new heading.
BodyGoal c_turn_goal(const Cast& cast, double stride, double phase) {
  const double size = cast.settings.amplitude, side = turn_side(cast);
  const double angle = 0.5 * kPi * size * side, along = stride * ease(0.3, 1, phase);
  const double bend = hold(0, 0.35, 0.35, 0.75, phase) * side * std::min(1.0, 0.6 + 0.3 * size);
  BodyGoal goal = floating(cast);
  travel_by(goal, {along * std::sin(0.6 * angle), 0, along * std::cos(0.6 * angle)});
  goal.turn = {angle * ease(0.15, 0.85, phase), -0.35 * bend, 0};
  bend_tails(cast, goal, -0.28 * bend);
  turn_head(cast, goal, 0.3 * bend, 0);
  drive(cast, goal, 3 * phase, 0.8 * hold(0.3, 0.5, 0.8, 1, phase));
  steer(cast, goal, 3 * phase, 0.5 * hold(0, 0.2, 0.8, 1, phase), 0);
  return goal;
}

BodyGoal dash_goal(const Cast& cast, double stride, double phase) {
  BodyGoal goal = floating(cast);
  const double back = hold(0, 0.28, 0.28, 0.42, phase);
  travel_by(goal, {0, 0, stride * ease(0.34, 0.62, phase) - 0.06 * back});
  bend_tails(cast, goal, 0.2 * back);
  drive(cast, goal, 4 * phase, 0.9 * hold(0.3, 0.42, 0.6, 0.95, phase) * cast.settings.amplitude);
  open_jaw(cast, goal, 0.5 * hold(0.36, 0.52, 0.58, 0.66, phase));
  steer(cast, goal, 2 * phase, 0.3 * hold(0, 0.1, 0.9, 1, phase), 0.3 * hold(0.3, 0.4, 0.6, 0.9, phase));
  return goal;
}

BodyGoal nibble_goal(const Cast& cast, double, double phase) {
  BodyGoal goal = floating(cast);
  const double size = cast.settings.amplitude, busy = hold(0, 0.1, 0.9, 1, phase);
  const double down = hold(0, 0.25, 0.75, 1, phase), bite = down * (0.5 - 0.5 * wave(5 * phase));
  goal.shift = Vec3d{0, -0.1 * down, 0.05 * down + 0.02 * bite} * size;
  goal.turn.z = 0.55 * down * std::min(1.2, size);
  open_jaw(cast, goal, 0.4 * bite);
  drive(cast, goal, 3 * phase, 0.3 * busy);
  steer(cast, goal, 4 * phase, 0.6 * busy, 0);
  return goal;
}

}  // namespace

BodyGoal afloat(const Cast& cast, double breath_phase) {
  BodyGoal goal = start_goal(cast);
  // On the ground there is little room for fins.
  const double size = cast.settings.amplitude * (cast.poser.map().aground ? 0.3 : 1);
  goal.shift.y = 0.01 * size * wave(breath_phase);
  drive(cast, goal, breath_phase, 0.25 * size);
  steer(cast, goal, 3 * breath_phase, 0.7 * size, 0);
  open_jaw(cast, goal, 0.06 + 0.06 * wave(2 * breath_phase));
  if (cast.poser.map().aground) rest_on_ground(cast, goal, true);
  return goal;
}

Script swim_script(const Cast& cast) {
  struct Entry {
    BodyGoal (*goal)(const Cast&, double stride, double phase);
    double seconds, stride;
  };
  const bool by_tail = drive_of(cast.poser.map()) == Drive::kTail;
  const auto entry = [by_tail](Action action) -> Entry {
    switch (action) {
      case Action::kSwim:
        return {swim_goal, by_tail ? 0.8 : 1.3, by_tail ? 0.55 : 0.45};
      case Action::kGlide:
        return {coast_goal, 2.4, 0.8};
      case Action::kTurn:
        return {c_turn_goal, 1.6, 0.35};
      case Action::kAttack:
        return {dash_goal, 1.5, 0.7};
      case Action::kEat:
        return {nibble_goal, 3, 0};
      default:
        return {[](const Cast& c, double, double phase) { return afloat(c, phase); }, 2.5, 0};
    }
  }(cast.settings.action);
  Script script;
  script.cyclic = is_cyclic(cast.settings.action);
  script.seconds = entry.seconds * tempo(cast);
  script.stride = entry.stride * cast.settings.amplitude;
  script.goal = [&cast, goal = entry.goal, stride = script.stride](double phase) { return goal(cast, stride, phase); };
  if (!script.cyclic) return script;
  const double sign = cast.settings.backward ? -1 : 1;
  script = on_arc(cast, std::move(script), sign * cast.settings.turning);
  return cast.settings.backward ? reversed(std::move(script)) : script;
}

}  // namespace limber::zoo
