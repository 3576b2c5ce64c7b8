// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "limber/base/result.h"
#include "limber/base/rng.h"
#include "limber/zoo/action.h"
#include "limber/zoo/poser.h"

/// An action fitted to one creature: what its body should do at any moment.
namespace limber::zoo {

/// Small lasting traits, all zero for a neutral character; drawn from the seed and scaled by `ActionSettings::style`.
struct Personality {
  double posture = 0;  ///< head carried high (> 0) or low, about -1 to 1
  double bounce = 0;   ///< livelier bob and lift
  double tail = 0;     ///< tail carried high or low
  double sway = 0;     ///< more or less swinging of hips, spine and tail
  double width = 0;    ///< stance wider or narrower
  double rhythm = 0;   ///< quicker or slower
};
Personality draw_personality(Rng rng, double strength);

/// What every script is made from.
struct Cast {
  const Poser& poser;
  const ActionSettings& settings;
  Personality personality;
  std::function<void(double phase, BodyGoal& goal)> disturb;  ///< adds the noise of the settings
};

struct Script {
  double seconds = 1;  ///< of one cycle, or of the whole action
  bool cyclic = false;
  double stride = 0;  ///< ground covered per cycle
  /// The goal at `phase`: cycles since the start, or 0 to 1 for an action that does not repeat. Includes the travel. In
  /// a cyclic script the goals at p and p + 1 differ by the travel alone.
  std::function<BodyGoal(double phase)> goal;
};

// --- Curves ---------------------------------------------------------------------------------------------------------

/// cos of a phase in cycles: periodic in one.
double wave(double phase);
/// 0 below `from`, 1 above `to`, smooth in between (no acceleration at the ends).
double ease(double from, double to, double x);
/// Rises over [a, b], stays at one, falls over [c, d].
double hold(double a, double b, double c, double d, double x);
/// The fraction of `phase` in [0, 1).
double fraction(double phase);

// --- Body -----------------------------------------------------------------------------------------------------------

/// Bends the trunk evenly by so much from hips to chest; the hips turn half of it the other way, so that the whole does
/// not turn.
void bend_trunk(const Cast& cast, BodyGoal& goal, double yaw, double roll, double pitch);
/// Adds angles to the neck, evenly, and to the head.
void turn_neck(const Cast& cast, BodyGoal& goal, double yaw, double pitch);
void turn_head(const Cast& cast, BodyGoal& goal, double yaw, double pitch);
/// Counters what the joints below do, so that the head keeps its direction; 1 fully.
void steady_head(const Cast& cast, BodyGoal& goal, double amount);
/// Swings the tail: each joint follows the one before it by `lag` cycles.
void swing_tail(const Cast& cast, BodyGoal& goal, double phase, double yaw, double pitch, double lag);
void lift_tail(const Cast& cast, BodyGoal& goal, double pitch);
/// All feet planted where they stand at rest.
void plant_feet(const Cast& cast, BodyGoal& goal);
/// Posture of the personality, which every action starts from.
BodyGoal start_goal(const Cast& cast);
void add_angle(BodyGoal& goal, int joint, Vec3d angles);
/// Adds to a limb joint on one side (1 left, -1 right) what `angles` are on the left: swing, twist, spread.
void add_limb_angle(const Cast& cast, BodyGoal& goal, std::string_view joint, int side, Vec3d angles);
/// Adds to a wing or fin joint: flap up, twist, sweep back, as on the left.
void add_wing_angle(const Cast& cast, BodyGoal& goal, std::string_view joint, int side, Vec3d angles);
/// Folds a bird's wings onto its back; 1 fully.
void fold_wings(const Cast& cast, BodyGoal& goal, int side, double amount);
/// How badly a script fares over its course: planted feet off their goals, flesh below the ground.
struct Trouble {
  double miss = 0, depth = 0;
};
Trouble trouble(const Cast& cast, const std::function<BodyGoal(double phase)>& goal);
/// The largest of a few amounts, from 1 downwards, for which feet reach and nothing sinks all through the action.
double best_effort(const Cast& cast, const std::function<BodyGoal(double amount, double phase)>& goal);
/// The largest amount in 0 .. 1 for which the goal can be held, 0 if none.
double deepest(const Cast& cast, const std::function<BodyGoal(double amount)>& goal);

// --- Scripts, by kind -----------------------------------------------------------------------------------------------

Script locomotion_script(const Cast& cast);  ///< everything that steps
Script turn_script(const Cast& cast);
Script jump_script(const Cast& cast);
Script flight_script(const Cast& cast);    ///< fly, and glide of birds
Script undulate_script(const Cast& cast);  ///< everything that fish and snakes do
Script idle_script(const Cast& cast);
Script eat_script(const Cast& cast);
Script attack_script(const Cast& cast);
Script wave_script(const Cast& cast);
Script settle_script(const Cast& cast);  ///< sit, lie down

}  // namespace limber::zoo
