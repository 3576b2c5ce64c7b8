// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "limber/zoo/gait.h"

/// Footfall tables: which foot touches down when. Recipes for two legs and for four, rules for any number.
namespace limber::zoo {
namespace {

/// Larger animals step more slowly (the period of a pendulum).
double pendulum(const Cast& cast, double seconds) { return seconds * std::sqrt(cast.poser.leg_length() / 0.4); }

/// Which of four feet touches down when, and how.
struct FourFeet {
  Action action;
  std::array<double, 4> phases;  ///< left fore, right fore, left hind, right hind
  double duty, lift;             ///< of all four
};
constexpr std::array<FourFeet, 9> kFourFeet{{
    {Action::kWalk, {0, 0.5, 0.75, 0.25}, 0.65, 1},
    {Action::kTrot, {0, 0.5, 0.5, 0}, 0.42, 1},
    {Action::kPace, {0, 0.5, 0, 0.5}, 0.48, 1},
    {Action::kGallop, {0.57, 0.45, 0.12, 0}, 0.3, 1},
    {Action::kBound, {0, 0.08, 0.5, 0.58}, 0.3, 1},
    {Action::kHop, {0, 0, 0.12, 0.12}, 0.36, 1},
    {Action::kRun, {0.62, 0.5, 0, 0.12}, 0.26, 1},
    {Action::kSneak, {0, 0.5, 0.75, 0.25}, 0.74, 1},
    {Action::kLimp, {0, 0.44, 0.75, 0.25}, 0.66, 0.9},
}};

/// The body's part of the same gaits, in the same order; periods are for legs of 0.4 heights. The run is a rotary
/// gallop, stretched and gathered in turn. The limp spares the left foreleg: the head goes up while it bears weight.
struct BodyRow {
  double Gait::*what;
  std::array<double, kFourFeet.size()> values;
};
constexpr BodyRow kFourFeetBody[]{
    {&Gait::period, {1.05, 0.55, 0.6, 0.5, 0.5, 0.55, 0.42, 2.0, 1.15}},
    {&Gait::reach, {0.29, 0.3, 0.3, 0.36, 0.36, 0.22, 0.38, 0.3, 0.2}},
    {&Gait::lift, {0.12, 0.2, 0.17, 0.24, 0.24, 0.3, 0.26, 0.17, 0.12}},
    {&Gait::wrist_fold, {0.75, 0.9, 0.8, 1.2, 1.1, 1.0, 1.3, 1.0, 0.6}},
    {&Gait::grip, {0.6, 0.6, 0.6, 0.45, 0.45, 0.6, 0.4, 0.6, 0.6}},
    {&Gait::crouch, {0, 0, 0, 0, 0, 0, 0, 0.2, 0}},
    {&Gait::bob, {0.014, 0.035, 0.025, 0.05, 0.06, 0.1, 0.05, 0.01, 0.035}},
    {&Gait::bob_phase, {0.1, 0.42 / 2 + 0.25, 0.24 + 0.25, 0.95, 0.93, 0.74, 0.45, 0, 0.2}},
    {&Gait::bob_per_cycle, {2, 2, 2, 1, 1, 1, 2, 2, 1}},
    {&Gait::sway, {0.02, 0, 0.05, 0, 0, 0, 0, 0, 0}},
    {&Gait::sway_phase, {0.55, 0, 0.25, 0, 0, 0, 0, 0, 0}},
    {&Gait::pitch, {0, 0, 0, 0.09, 0.14, 0.1, 0.1, 0, 0.05}},
    {&Gait::pitch_phase, {0, 0, 0, 0.68, 0.28, 0.1, 0.72, 0, 0.7}},
    {&Gait::roll, {0.025, 0.02, 0.07, 0, 0, 0, 0, 0.03, 0.05}},
    {&Gait::roll_phase, {0.55, 0, 0.75, 0, 0, 0, 0, 0.6, 0.2}},
    {&Gait::bend_yaw, {0.09, 0.05, 0, 0, 0, 0, 0, 0.12, 0.06}},
    {&Gait::bend_yaw_phase, {0.4, 0, 0, 0, 0, 0, 0, 0.4, 0}},
    {&Gait::bend_pitch, {0, 0, 0, 0.32, 0.4, 0.25, 0.5, 0, 0}},
    {&Gait::bend_pitch_phase, {0, 0, 0, 0.9, 0.42, 0.2, 0.92, 0, 0}},
    {&Gait::neck_pitch, {0, -0.08, 0, 0.22, 0, 0, 0.3, 0.35, 0.15}},
    {&Gait::nod, {0.045, 0.02, 0.02, 0.1, 0.06, 0, 0.08, 0, 0.16}},
    {&Gait::nod_phase, {0.15, 0, 0, 0.6, 0.2, 0, 0.6, 0, 0.7}},
    {&Gait::tail_yaw, {0.12, 0.12, 0.12, 0.06, 0.03, 0.02, 0.06, 0.16, 0.12}},
    {&Gait::tail_pitch, {0.04, 0.04, 0.04, 0.12, 0.12, 0.1, 0.12, 0.04, 0.04}},
    {&Gait::tail_lift, {0, 0.15, 0, 0.4, 0.4, 0.2, 0.5, -0.1, -0.3}},
};

// --- Rules for any number of legs -----------------------------------------------------------------------------------

/// How the steps of many legs are coupled. Behind all of them are Wilson's rules (1966): a wave of steps runs forward
/// along each side, and left and right alternate; bounds and hops give up the second one.
enum class Coupling { kWave, kSets, kPace, kGallop, kBound, kHop };

Coupling coupling_of(Action action, int pairs) {
  switch (action) {
    case Action::kCrawl:
    case Action::kSneak:
      return Coupling::kWave;
    case Action::kPace:
      return Coupling::kPace;
    case Action::kGallop:
      return Coupling::kGallop;
    case Action::kBound:
      return Coupling::kBound;
    case Action::kHop:
      return Coupling::kHop;
    default:  // neighbours among many legs would trip over each other if they alternated: they ripple
      return pairs > 4 ? Coupling::kWave : Coupling::kSets;
  }
}

/// When a leg touches down, in cycles.
double touch_down(Coupling coupling, const Leg& leg, int pairs) {
  const double side = leg.left ? 0 : 0.5, behind = pairs - 1.0 - leg.pair;
  switch (coupling) {
    case Coupling::kWave:  // one wave over the body, or one for every seven pairs
      return behind / pairs * 0.9 * ((pairs + 6) / 7) + side;
    case Coupling::kSets:  // diagonal pairs, tripods, tetrapods; spiders let each pair come a little later
      return ((leg.pair % 2 == 0) == leg.left ? 0 : 0.5) + (pairs == 4 ? 0.05 * leg.pair : 0);
    case Coupling::kPace:
      return side + 0.04 * leg.pair;
    case Coupling::kGallop:
      return 0.9 * behind / pairs + (leg.left ? 0.12 : 0);
    case Coupling::kBound:
      return static_cast<double>(leg.pair) / pairs + (leg.left ? 0 : 0.08);
    case Coupling::kHop:
      return 0.06 * leg.pair;
  }
  return 0;
}

/// The speed of an action, as a Froude number.
double froude_of(Action action) {
  switch (action) {
    case Action::kSneak:
      return 0.008;
    case Action::kCrawl:
      return 0.02;
    case Action::kLimp:
      return 0.03;
    case Action::kTrot:
    case Action::kPace:
    case Action::kHop:
      return 0.25;
    case Action::kRun:
      return 0.6;
    case Action::kBound:
    case Action::kGallop:
      return 0.9;
    default:
      return 0.06;
  }
}

/// Leaves the ground altogether in each cycle.
bool is_airborne(Coupling coupling) {
  return coupling == Coupling::kGallop || coupling == Coupling::kBound || coupling == Coupling::kHop;
}

std::vector<Footfall> footfalls(const Cast& cast, Coupling coupling, double duty) {
  std::vector<Footfall> feet;
  for (const Leg& leg : cast.poser.creature().legs) {
    feet.push_back({touch_down(coupling, leg, cast.poser.map().leg_pairs), duty, 0, 1});
  }
  return feet;
}

/// Stance, stride and period by the Froude number. Legs that stand sideways count by their length, not by the height of
/// their hips.
void set_cadence(const Cast& cast, Coupling coupling, Gait& gait) {
  const Poser& poser = cast.poser;
  double length = poser.leg_length();
  if (poser.map().crawls) {
    double sum = 0;
    const std::vector<Leg>& legs = poser.creature().legs;
    for (std::size_t l = 0; l < legs.size(); ++l) sum += norm(poser.rest_sole(l) - poser.rest(legs[l].joints[0]));
    length = std::max(length, sum / static_cast<double>(legs.size()));
  }
  const Cadence c = cadence(froude_of(cast.settings.action), length);
  const double duty = is_airborne(coupling) ? 0.65 * c.duty : c.duty;
  gait.feet = footfalls(cast, coupling, duty);
  gait.period = c.period, gait.reach = std::min(0.5, 0.5 * c.stride * duty) * length / poser.leg_length();
}

/// Four legs under the body, or more of them. Actions that are not in the table walk.
Gait quadruped_gait(const Cast& cast) {
  const auto found = std::find_if(kFourFeet.begin(), kFourFeet.end(),
                                  [&](const FourFeet& row) { return row.action == cast.settings.action; });
  const std::size_t column = found == kFourFeet.end() ? 0 : static_cast<std::size_t>(found - kFourFeet.begin());
  Gait gait;
  for (const BodyRow& row : kFourFeetBody) gait.*row.what = row.values[column];
  gait.period = pendulum(cast, gait.period);
  const FourFeet& feet = kFourFeet[column];
  const int pairs = cast.poser.map().leg_pairs;
  if (pairs != 2) {
    set_cadence(cast, coupling_of(cast.settings.action, pairs), gait);
    return gait;
  }
  for (const Leg& leg : cast.poser.creature().legs) {
    const std::size_t foot = (leg.pair == 0 ? 0u : 2u) + (leg.left ? 0u : 1u);
    gait.feet.push_back({feet.phases[foot], feet.duty, 0, feet.lift});
  }
  return gait;
}

// --- Two legs -------------------------------------------------------------------------------------------------------

/// Arms of a biped swing against the legs; `bend` is the elbows', radians.
std::function<void(const Cast&, BodyGoal&, double)> swinging_arms(double swing, double bend, double forward) {
  return [=](const Cast& cast, BodyGoal& goal, double phase) {
    for (const Chain& arm : cast.poser.map().arms) {
      const double beat = arm.side * swing * wave(phase);  // the left arm is back when the left foot touches down
      add_limb_angle(goal, arm, 0, {beat - forward, 0, 0});
      add_limb_angle(goal, arm, 1, {0.2 - bend + 0.5 * std::min(0.0, beat), 0, 0});
    }
  };
}

/// Two legs: left touches down at 0, right at half a cycle.
std::vector<Footfall> two_feet(double duty, double right = 0.5) { return {{0, duty, 0, 1}, {right, duty, 0, 1}}; }

Gait biped_gait(const Cast& cast) {
  Gait g;
  g.toe_curl = 0, g.sway_phase = 0.3, g.roll_phase = 0.8;
  g.bend_yaw_phase = 0, g.tail_yaw = 0.15;
  switch (cast.settings.action) {
    case Action::kRun:
      g.feet = two_feet(0.36);
      g.period = pendulum(cast, 0.66), g.reach = 0.36, g.lift = 0.2, g.heel_strike = 0.1, g.heel_rise = 0.75;
      g.grip = 0.4, g.width = 0.75, g.crouch = 0.03, g.lean = 0.2;
      g.bob = 0.04, g.bob_phase = 0.43, g.bend_yaw = 0.3, g.roll = 0.03, g.sway = 0.01;
      g.arms = swinging_arms(0.75, 1.5, 0.05);
      break;
    case Action::kHop:
      g.feet = two_feet(0.45, 0);
      g.period = pendulum(cast, 0.75), g.reach = 0.14, g.lift = 0.2, g.heel_rise = 0.45;
      g.crouch = 0.07, g.bob = 0.1, g.bob_phase = 0.725, g.bob_per_cycle = 1, g.lean = 0.1, g.pitch = 0.06,
      g.pitch_phase = 0.2;
      g.arms = [](const Cast& c, BodyGoal& goal, double phase) {
        for (const Chain& arm : c.poser.map().arms) {
          add_limb_angle(goal, arm, 0, {0.5 * wave(phase - 0.22) - 0.15, 0, 0});
          add_limb_angle(goal, arm, 1, {-0.5, 0, 0});
        }
      };
      break;
    case Action::kSneak:
      g.feet = two_feet(0.66);
      g.period = pendulum(cast, 1.9), g.reach = 0.27, g.lift = 0.16, g.heel_rise = 0.5;
      g.crouch = 0.14, g.lean = 0.32, g.bob = 0.012, g.bob_phase = 0.3, g.sway = 0.03, g.roll = 0.03, g.bend_yaw = 0.14;
      g.arms = swinging_arms(0.2, 1.5, 0.5);
      break;
    case Action::kLimp:
      // Hurries off the left foot, drops onto the right.
      g.feet = two_feet(0.6, 0.42);
      g.feet[0].duty = 0.5, g.feet[0].lift = 0.6;
      g.period = pendulum(cast, 1.15), g.reach = 0.2, g.lift = 0.07, g.heel_rise = 0.35;
      g.bob = 0.035, g.bob_per_cycle = 1, g.bob_phase = 0.2, g.sway = 0.05, g.sway_phase = 0.75;
      g.roll = 0.09, g.roll_phase = 0.25, g.lean = 0.08, g.bend_yaw = 0.1;
      g.arms = swinging_arms(0.2, 0.35, 0.05);
      break;
    default:
      g.feet = two_feet(0.6);
      g.period = pendulum(cast, 1.1), g.reach = 0.3, g.lift = 0.06, g.heel_strike = 0.28, g.heel_rise = 0.6;
      g.width = 0.85, g.bob = 0.016, g.bob_phase = 0.3, g.sway = 0.022, g.roll = 0.035, g.bend_yaw = 0.22,
      g.lean = 0.03;
      g.arms = swinging_arms(0.42, 0.25, 0.0);
      break;
  }
  return g;
}

/// Birds and theropods. Birds thrust the head, theropods swing the tail against the hips.
Gait raptor_gait(const Cast& cast) {
  const bool bird = !cast.poser.map().wings.empty();
  Gait g;
  g.toe_curl = 0.75, g.sway_phase = 0.3, g.roll_phase = 0.8, g.tail_yaw = bird ? 0.06 : 0.14;
  switch (cast.settings.action) {
    case Action::kRun:
      g.feet = two_feet(0.38);
      g.period = pendulum(cast, 0.55), g.reach = 0.36, g.lift = 0.26, g.grip = 0.4, g.lean = 0.12;
      g.bob = 0.04, g.bob_phase = 0.44, g.bend_yaw = 0.1, g.roll = 0.03, g.nod = 0.04, g.nod_phase = 0.1;
      g.neck_pitch = 0.2, g.tail_lift = 0.15;
      break;
    case Action::kHop:
      g.feet = two_feet(0.42, 0);
      g.period = pendulum(cast, 0.6), g.reach = 0.2, g.lift = 0.25, g.crouch = 0.05;
      g.bob = 0.1, g.bob_phase = 0.71, g.bob_per_cycle = 1, g.pitch = 0.08, g.pitch_phase = 0.15, g.tail_pitch = 0.1;
      break;
    case Action::kSneak:
      g.feet = two_feet(0.68);
      g.period = pendulum(cast, 1.8), g.reach = 0.28, g.lift = 0.24, g.crouch = 0.16, g.bob = 0.01;
      g.sway = 0.03, g.neck_pitch = 0.4, g.lean = 0.08, g.bend_yaw = 0.05;
      break;
    case Action::kLimp:
      g.feet = two_feet(0.62, 0.42);
      g.feet[0].duty = 0.5;
      g.period = pendulum(cast, 1.1), g.reach = 0.2, g.lift = 0.15, g.bob = 0.04, g.bob_per_cycle = 1,
      g.bob_phase = 0.2;
      g.roll = 0.08, g.roll_phase = 0.25, g.sway = 0.05, g.sway_phase = 0.75, g.nod = 0.12, g.nod_phase = 0.15;
      g.neck_pitch = 0.15;
      break;
    default:
      g.feet = two_feet(0.62);
      g.period = pendulum(cast, bird ? 0.8 : 1.0), g.reach = 0.3, g.lift = 0.2;
      g.bob = 0.018, g.bob_phase = 0.31, g.sway = 0.03, g.roll = 0.04, g.bend_yaw = bird ? 0.03 : 0.1;
      g.nod = bird ? 0.22 : 0.05, g.nod_phase = bird ? 0.05 : 0.15;
      break;
  }
  if (!bird) {
    g.arms = [](const Cast& c, BodyGoal& goal, double phase) {
      for (const Chain& arm : c.poser.map().arms) {
        add_limb_angle(goal, arm, 0, {0.12 * arm.side * wave(phase) - 0.1, 0, 0});
        add_limb_angle(goal, arm, 1, {-0.2 + 0.08 * wave(2 * phase), 0, 0});
      }
    };
  }
  return g;
}

// --- Legs that stand sideways -------------------------------------------------------------------------------------

/// Feelers and mandibles are never still.
void fidget(const Cast& cast, BodyGoal& goal, double phase) {
  for (const Chain& feeler : cast.poser.map().feelers) {
    const double side = feeler.side;
    add_limb_angle(goal, feeler, 0, {0.15 * wave(2 * phase + 0.2 * side), 0, 0.1 * wave(phase + 0.3 * side)});
  }
  for (const Chain& jaw : cast.poser.map().jaws) {
    if (jaw.side != 0) add_wing_angle(goal, jaw, 0, {0, 0, 0.1 + 0.08 * wave(phase)});
  }
}

/// Six and eight pointed legs: walking, neighbours alternate; crawling, a wave runs from the hindmost leg to the
/// foremost.
Gait arthropod_gait(const Cast& cast, Coupling coupling) {
  const Action action = cast.settings.action;
  Gait g;
  g.feet = footfalls(cast, coupling, coupling == Coupling::kWave ? 0.75 : (action == Action::kRun ? 0.5 : 0.58));
  g.tail_yaw = 0.05, g.tail_pitch = 0.02, g.toe_curl = g.wrist_fold = 0;
  g.period = pendulum(cast, 0.75), g.reach = 0.4, g.lift = 0.32;
  g.bob = 0.015, g.bob_phase = 0.25, g.roll = 0.012, g.roll_phase = 0.25;
  if (action == Action::kRun) g.period = pendulum(cast, 0.4), g.reach = 0.5, g.lift = 0.35, g.bob = 0.03;
  if (action == Action::kCrawl) g.period = pendulum(cast, 1.6), g.reach = 0.45, g.crouch = 0.12, g.bob = 0.008;
  if (action == Action::kSneak) {
    g.period = pendulum(cast, 2.6), g.reach = 0.35, g.crouch = 0.3, g.lift = 0.45, g.bob = 0.006;
  }
  if (action == Action::kLimp) {
    g.feet[0].duty = 0.25, g.feet[0].lift = 1.6;
    g.period = pendulum(cast, 1.0), g.reach = 0.3, g.bob_per_cycle = 1, g.bob = 0.05, g.bob_phase = 0.6;
    g.roll = 0.05, g.roll_phase = 0.1, g.pitch = 0.05, g.pitch_phase = 0.1;
  }
  g.arms = fidget;
  return g;
}

/// Lizards, centipedes and whatever else goes on legs that stand sideways.
Gait crawler_gait(const Cast& cast) {
  const Poser& poser = cast.poser;
  const int pairs = poser.map().leg_pairs;
  const Coupling coupling = coupling_of(cast.settings.action, pairs);
  Gait g = arthropod_gait(cast, coupling);
  const bool pointed = poser.creature().legs.front().kind == LegKind::kPoint;
  if (pointed && (pairs == 3 || pairs == 4) && (coupling == Coupling::kSets || coupling == Coupling::kWave)) return g;
  const Footfall limping = g.feet[0];
  set_cadence(cast, coupling, g);
  if (cast.settings.action == Action::kLimp) g.feet[0] = limping;
  g.lift = pointed ? 0.3 : 0.22;
  if (is_airborne(coupling)) {
    g.bob = 0.12, g.bob_per_cycle = 1, g.bob_phase = 0.5 * g.feet[0].duty + 0.5, g.roll = 0;
    g.pitch = coupling == Coupling::kHop ? 0.03 : 0.08, g.pitch_phase = 0.25;
  }
  // A lizard's trunk bends towards the foot that reaches forward, and lengthens its step.
  if (pairs == 2 && !pointed && !is_airborne(coupling)) g.bend_yaw = 0.3, g.bend_yaw_phase = 0.5, g.tail_yaw = 0.2;
  if (pairs > 4) g.bend_yaw = 0.15, g.tail_yaw = 0.1, g.roll = 0;
  return g;
}

}  // namespace

Script locomotion_script(const Cast& cast) {
  const BodyMap& map = cast.poser.map();
  if (map.crawls) return gait_script(cast, crawler_gait(cast));
  if (map.leg_pairs > 1) return gait_script(cast, quadruped_gait(cast));
  const bool upright = map.upright || cast.poser.creature().legs.front().kind == LegKind::kPlantigrade;
  if (!upright) return gait_script(cast, raptor_gait(cast));
  Gait gait = biped_gait(cast);
  if (cast.poser.creature().legs.front().kind != LegKind::kPlantigrade) {
    // On its toes: they curl in the air, and no heel strikes.
    gait.heel_strike = gait.heel_rise = 0, gait.toe_curl = 0.7, gait.lift = std::max(gait.lift, 0.15);
  }
  return gait_script(cast, std::move(gait));
}

}  // namespace limber::zoo
