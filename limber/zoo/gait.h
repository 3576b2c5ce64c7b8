// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "limber/zoo/script.h"

namespace limber::zoo {

/// When and how one leg steps.
struct Footfall {
  double phase = 0;   ///< touch-down, in cycles
  double duty = 0.6;  ///< share of the cycle on the ground
  double ahead = 0;   ///< neutral point before its place at rest, in leg lengths
  double lift = 1;    ///< of the gait's lift
};

/// How a foot travels through the air.
struct SwingShape {
  double lift = 0;         ///< height of the arc
  double toe_curl = 0;     ///< toes down after lift-off, radians
  double wrist_fold = 0;   ///< forelegs: bend of the wrist, radians
  double heel_strike = 0;  ///< plantigrade: toes up at touch-down, radians
  double heel_rise = 0;    ///< plantigrade: heel up at lift-off, radians
  double grip = 0.6;       ///< 1: no ground speed at lift-off and touch-down; less trails less
};

/// A place on the way of the body's centre, and its heading.
struct PathPoint {
  Vec3d position;
  double yaw = 0;
};

/// A footfall table with the sway of the body that goes with it. Lengths in leg lengths, angles in radians, phases in
/// cycles (of the largest value of a cosine).
struct Gait {
  std::vector<Footfall> feet;  ///< per leg
  double period = 1;           ///< seconds
  double reach = 0.3;          ///< a planted foot goes from so far before to so far behind its neutral point
  double lift = 0.12, toe_curl = 0.5, wrist_fold = 0.6, heel_strike = 0, heel_rise = 0, grip = 0.6;
  double width = 1;  ///< of the stance at rest
  double crouch = 0, lean = 0;
  double bob = 0.02, bob_phase = 0, bob_per_cycle = 2;
  double sway = 0, sway_phase = 0;
  double pitch = 0, pitch_phase = 0, pitch_per_cycle = 1;
  double roll = 0, roll_phase = 0;
  double bend_yaw = 0, bend_yaw_phase = 0;
  double bend_pitch = 0, bend_pitch_phase = 0;
  double neck_pitch = 0, nod = 0, nod_phase = 0;
  double tail_yaw = 0.12, tail_pitch = 0.04, tail_lift = 0;
  std::function<void(const Cast&, BodyGoal&, double phase)> arms;  ///< moves what does not walk
};

/// Where a foot is at `phase`, its body following `path`: planted from touch-down for the duty's share of the cycle,
/// exactly where it touched down, then through the air to the next foothold.
FootGoal foot_on_path(const Poser& poser, std::size_t leg, double phase, const Footfall& fall,
                      const std::function<PathPoint(double)>& path, Vec3d neutral, const SwingShape& swing);

/// What animals of all sizes do at a speed (Alexander and Jayes, "A dynamic similarity hypothesis for the gaits of
/// quadrupedal mammals", 1983), by its Froude number: speed squared / (gravity x leg length).
struct Cadence {
  double duty = 0.6;
  double stride = 1;  ///< leg lengths
  double period = 1;  ///< seconds; the creature's size is a metre
};
Cadence cadence(double froude, double leg_length);

/// The body at one moment of a gait. The path is straight, or an arc that turns by `turn` per cycle.
BodyGoal gait_goal(const Cast& cast, const Gait& gait, double stride, double turn, double crouch, double phase);

/// A walk in that gait, in the manner of the settings; crouches or shortens the stride as far as the legs' length
/// demands.
Script gait_script(const Cast& cast, Gait gait);

}  // namespace limber::zoo
