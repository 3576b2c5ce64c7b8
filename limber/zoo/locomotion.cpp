// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/base/expect.h"
#include "limber/zoo/gait.h"

/// Footfall tables: which foot touches down when, per plan and gait.
namespace limber::zoo {
namespace {

/// Larger animals step more slowly (the period of a pendulum).
double pendulum(const Cast& cast, double seconds) { return seconds * std::sqrt(cast.poser.leg_length() / 0.4); }

/// Feet in the order left fore, right fore, left hind, right hind.
std::vector<Footfall> four_feet(const Cast& cast, double left_fore, double right_fore, double left_hind,
                                double right_hind, double duty) {
  std::vector<Footfall> feet;
  for (const Leg& leg : cast.poser.creature().legs) {
    const double phase = leg.pair == 0 ? (leg.left ? left_fore : right_fore) : (leg.left ? left_hind : right_hind);
    feet.push_back({phase, duty, 0, 1});
  }
  return feet;
}

Gait quadruped_gait(const Cast& cast) {
  Gait g;
  switch (cast.settings.action) {
    case Action::kTrot:
      g.feet = four_feet(cast, 0, 0.5, 0.5, 0, 0.42);
      g.period = pendulum(cast, 0.55), g.reach = 0.3, g.lift = 0.2, g.wrist_fold = 0.9;
      g.bob = 0.035, g.bob_phase = 0.42 / 2 + 0.25, g.bob_per_cycle = 2;
      g.roll = 0.02, g.bend_yaw = 0.05, g.nod = 0.02, g.neck_pitch = -0.08, g.tail_lift = 0.15;
      break;
    case Action::kPace:
      g.feet = four_feet(cast, 0, 0.5, 0, 0.5, 0.48);
      g.period = pendulum(cast, 0.6), g.reach = 0.3, g.lift = 0.17, g.wrist_fold = 0.8;
      g.bob = 0.025, g.bob_phase = 0.24 + 0.25;
      g.roll = 0.07, g.roll_phase = 0.75, g.sway = 0.05, g.sway_phase = 0.25, g.nod = 0.02;
      break;
    case Action::kGallop:
      g.feet = four_feet(cast, 0.57, 0.45, 0.12, 0, 0.3);
      g.period = pendulum(cast, 0.5), g.reach = 0.36, g.lift = 0.24, g.wrist_fold = 1.2, g.grip = 0.45;
      g.bob = 0.05, g.bob_phase = 0.95, g.bob_per_cycle = 1;
      g.pitch = 0.09, g.pitch_phase = 0.68;
      g.bend_pitch = 0.32, g.bend_pitch_phase = 0.9;
      g.nod = 0.1, g.nod_phase = 0.6, g.neck_pitch = 0.22, g.tail_lift = 0.4, g.tail_pitch = 0.12, g.tail_yaw = 0.06;
      break;
    case Action::kBound:
      g.feet = four_feet(cast, 0, 0.08, 0.5, 0.58, 0.3);
      g.period = pendulum(cast, 0.5), g.reach = 0.36, g.lift = 0.24, g.wrist_fold = 1.1, g.grip = 0.45;
      g.bob = 0.06, g.bob_phase = 0.93, g.bob_per_cycle = 1;
      g.pitch = 0.14, g.pitch_phase = 0.28;
      g.bend_pitch = 0.4, g.bend_pitch_phase = 0.42;
      g.nod = 0.06, g.nod_phase = 0.2, g.tail_lift = 0.4, g.tail_pitch = 0.12, g.tail_yaw = 0.03;
      break;
    case Action::kHop:
      g.feet = four_feet(cast, 0, 0, 0.12, 0.12, 0.36);
      g.period = pendulum(cast, 0.55), g.reach = 0.22, g.lift = 0.3, g.wrist_fold = 1.0;
      g.bob = 0.1, g.bob_phase = 0.74, g.bob_per_cycle = 1;
      g.pitch = 0.1, g.pitch_phase = 0.1;
      g.bend_pitch = 0.25, g.bend_pitch_phase = 0.2, g.tail_lift = 0.2, g.tail_pitch = 0.1, g.tail_yaw = 0.02;
      break;
    case Action::kSneak:
      g.feet = four_feet(cast, 0, 0.5, 0.75, 0.25, 0.74);
      g.period = pendulum(cast, 2.0), g.reach = 0.3, g.lift = 0.17, g.wrist_fold = 1.0;
      g.crouch = 0.2, g.bob = 0.01, g.roll = 0.03, g.roll_phase = 0.6, g.bend_yaw = 0.12, g.bend_yaw_phase = 0.4;
      g.neck_pitch = 0.35, g.tail_lift = -0.1, g.tail_yaw = 0.16;
      break;
    case Action::kLimp:
      // The left foreleg hurts: short on the ground, and the head goes up while it bears weight.
      g.feet = four_feet(cast, 0, 0.44, 0.75, 0.25, 0.66);
      for (Footfall& f : g.feet) f.lift = 0.9;
      g.period = pendulum(cast, 1.15), g.reach = 0.2, g.bob = 0.035, g.bob_per_cycle = 1, g.bob_phase = 0.2;
      g.pitch = 0.05, g.pitch_phase = 0.7, g.roll = 0.05, g.roll_phase = 0.2, g.nod = 0.16, g.nod_phase = 0.7;
      g.bend_yaw = 0.06, g.neck_pitch = 0.15, g.tail_lift = -0.3;
      break;
    default:  // walk: lateral sequence
      g.feet = four_feet(cast, 0, 0.5, 0.75, 0.25, 0.65);
      g.period = pendulum(cast, 1.05), g.reach = 0.29, g.lift = 0.12, g.wrist_fold = 0.75;
      g.bob = 0.014, g.bob_phase = 0.1, g.roll = 0.025, g.roll_phase = 0.55, g.sway = 0.02, g.sway_phase = 0.55;
      g.bend_yaw = 0.09, g.bend_yaw_phase = 0.4, g.nod = 0.045, g.nod_phase = 0.15;
      break;
  }
  return g;
}

}  // namespace

Script locomotion_script(const Cast& cast) {
  switch (cast.poser.creature().plan) {
    case Plan::kQuadruped:
      return gait_script(cast, quadruped_gait(cast));
    default:
      return gait_script(cast, quadruped_gait(cast));
  }
}

}  // namespace limber::zoo
