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
  std::function<void(double phase, BodyGoal& goal)> disturb;  ///< adds the noise of the settings, keeps trains up
};

struct Script {
  double seconds = 1;  ///< of one cycle, or of the whole action
  bool cyclic = false;
  double stride = 0;  ///< ground covered per cycle
  /// The goal at `phase`: cycles since the start, or 0 to 1 for an action that does not repeat. Includes the travel. In
  /// a cyclic script the goals at p and p + 1 differ by the travel alone.
  std::function<BodyGoal(double phase)> goal;
  double turn = 0;  ///< heading gained per cycle, radians; left > 0
};

/// Seconds that an action takes for each second of its own: by speed, haste and fatigue, and by the character's rhythm.
double urgency(const Cast& cast);
double tempo(const Cast& cast);
/// 1 to turn left, -1 right: as the settings say, or by the seed's parity.
int turn_side(const Cast& cast);
/// A script that travels straight ahead, led along an arc instead: `turn` radians per stride.
Script on_arc(const Cast& cast, Script script, double turn);
/// The same in reverse: it goes back, and turns to the side that was asked for.
Script reversed(Script script);

// --- Curves ---------------------------------------------------------------------------------------------------------

/// cos of a phase in cycles: periodic in one.
double wave(double phase);
/// 0 below `from`, 1 above `to`, smooth in between (no acceleration at the ends).
double ease(double from, double to, double x);
/// Rises over [a, b], stays at one, falls over [c, d].
double hold(double a, double b, double c, double d, double x);
/// The fraction of `phase` in [0, 1).
double fraction(double phase);
/// A vector turned to the left about the upright axis.
Vec3d turned_by(double yaw, Vec3d v);

// --- Body -----------------------------------------------------------------------------------------------------------

/// Bends the trunk evenly by so much from hips to chest; the hips turn half of it the other way, so that the whole does
/// not turn.
void bend_trunk(const Cast& cast, BodyGoal& goal, double yaw, double roll, double pitch);
/// Adds angles to the neck, evenly, and to the head.
void turn_neck(const Cast& cast, BodyGoal& goal, double yaw, double pitch);
void turn_head(const Cast& cast, BodyGoal& goal, double yaw, double pitch);
/// Bends the trunk alone, evenly: for bodies whose base stays where it is.
void bend_spine(const Cast& cast, BodyGoal& goal, double yaw, double roll, double pitch);
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
/// Whether it has arms to do things with: on an upright body, or held out sideways.
bool has_hands(const Cast& cast);
/// Turns a joint by so much about the body's own axes (X to the left, Y up, Z forward); exact for one axis of its own.
void add_turn(const Cast& cast, BodyGoal& goal, int joint, Vec3d turn);
/// Adds to a joint of a limb that hangs down: swing, twist, spread, as on the left.
void add_limb_angle(BodyGoal& goal, const Chain& limb, std::size_t section, Vec3d angles);
/// Adds to a joint of a limb that stretches sideways: flap up, twist, sweep back, as on the left.
void add_wing_angle(BodyGoal& goal, const Chain& limb, std::size_t section, Vec3d angles);
/// The same for all joints of a wing by their place: its first, its last, and what they have between them in all.
struct WingPose {
  Vec3d shoulder, elbow, tip;
};
void pose_wing(BodyGoal& goal, const Chain& wing, const WingPose& pose);
/// How far a wing is spread at rest: 1 sideways, 0 folded along the body.
double wing_spread(const Poser& poser, const Chain& wing);
/// Folds wings onto the back, as far as they are spread at rest; 1 fully.
void fold_wings(const Cast& cast, BodyGoal& goal, double amount);
void fold_wing(const Cast& cast, BodyGoal& goal, const Chain& wing, double amount);
/// Opens jaws downwards and mandibles sideways; 1 wide.
void open_jaws(const Cast& cast, BodyGoal& goal, double amount);
/// Swings tentacles out (> 0) and in, each joint `lag` cycles after the one before it.
void wave_tentacles(const Cast& cast, BodyGoal& goal, double phase, double size, double lag);
/// Lays a body without legs on the ground: lifts what would sink, and with `both` lowers what would hang above it.
void rest_on_ground(const Cast& cast, BodyGoal& goal, bool both = false);
/// How badly a script fares over its course: planted feet off their goals, flesh below the ground, legs
/// stretched (1: straight).
struct Trouble {
  double miss = 0, depth = 0, stretch = 0;
};
Trouble trouble(const Cast& cast, const std::function<BodyGoal(double phase)>& goal);
/// The largest of a few amounts, from 1 downwards, for which feet reach and nothing sinks all through the action.
double best_effort(const Cast& cast, const std::function<BodyGoal(double amount, double phase)>& goal);
/// The same for what is known to be held where it ends: only misses and sinking on the way count; 0 if nothing helps.
double enough_effort(const Cast& cast, const std::function<BodyGoal(double amount, double phase)>& goal);
/// The largest amount in 0 .. 1 for which the goal can be held, 0 if none.
double deepest(const Cast& cast, const std::function<BodyGoal(double amount)>& goal);

// --- Scripts, by kind -----------------------------------------------------------------------------------------------

Script locomotion_script(const Cast& cast);  ///< everything that steps
Script turn_script(const Cast& cast);
Script jump_script(const Cast& cast);
Script flight_script(const Cast& cast);   ///< fly and glide on wings
Script swim_script(const Cast& cast);     ///< everything that only floating bodies do
Script slither_script(const Cast& cast);  ///< everything that only snakes do
Script hop_script(const Cast& cast);      ///< everything that only bodies without limbs do: hop, jump, turn, strike
Script idle_script(const Cast& cast);
Script eat_script(const Cast& cast);
Script attack_script(const Cast& cast);
Script wave_script(const Cast& cast);
Script settle_script(const Cast& cast);   ///< sit, lie down
Script gesture_script(const Cast& cast);  ///< look, shake, roar, dance: what any body does where it is
Script rear_script(const Cast& cast);
Script collapse_script(const Cast& cast);  ///< die

/// A body at ease where it is: standing, afloat, on its belly or on its base.
BodyGoal at_ease(const Cast& cast, double breath_phase);
BodyGoal standing(const Cast& cast, double breath_phase);
BodyGoal afloat(const Cast& cast, double breath_phase);
BodyGoal lying(const Cast& cast, double raised);

}  // namespace limber::zoo
