// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/physics/step.h"
#include "limber/physics/track.h"
#include "limber/physics/workspace.h"

/// What tracking is given, worked out once before it optimises. Private to `physics`.
namespace limber::physics {

/// When controls and frames are: a frame is a whole number of keys, a key a whole number of steps.
struct TrackSchedule {
  int steps_per_key = 1, steps_per_frame = 1;
  int steps = 0, keys = 1;  ///< in all
  double dt = 0;            ///< seconds of a step
};

/// A contact point that should stay put in a frame.
struct Anchor {
  int body = 0;
  Vec3d point;  ///< in the body's frame
  Vec3d place;  ///< in the world
};

/// Everything that stays the same while the controls are sought.
struct TrackProblem {
  const Puppet& puppet;
  const Reference& reference;
  const TrackSettings& settings;
  Model model;  ///< the puppet's, with the gravity and friction of the habitat
  StepSettings step;
  TrackSchedule schedule;
  double height = 1;                         ///< metres
  double weight = 1;                         ///< newtons, where there is gravity
  std::vector<double> start_velocity;        ///< of the reference
  std::vector<double> dense;                 ///< the reference at every step: (steps + 1) x position_count
  std::vector<Affined> poses;                ///< world_from_body of the reference: frames x bodies
  std::vector<std::vector<Anchor>> anchors;  ///< per frame
  std::size_t anchor_count = 0;              ///< in all frames
};

TrackProblem make_problem(const Puppet& puppet, const Reference& reference, const TrackSettings& settings);

/// Where the root's origin is.
inline Vec3d root_of(std::span<const double> q) { return {q[0], q[1], q[2]}; }

/// Everything that is optimised.
struct TrackControls {
  std::vector<double> targets;   ///< keys x hinges
  std::vector<double> velocity;  ///< at the start
};

struct WarmStart {
  TrackControls controls;
  double missing_force = 0, missing_torque = 0;  ///< see TrackReport
  int worst_frame = 0;
};

/// Targets by inverse dynamics: theta_hat = theta + (tau + k_d v) / k_e, with the ground's forces found first.
WarmStart warm_start(const TrackProblem& problem, Workspace& work);

/// The help that leads the root along the reference, per step; `share` multiplies its firmness.
std::vector<Guide> make_guides(const TrackProblem& problem, double share);

}  // namespace limber::physics
