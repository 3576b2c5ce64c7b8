// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/zoo/script.h"

/// What legged creatures do on the spot: idle, eat, attack, wave.
namespace limber::zoo {

BodyGoal standing(const Cast& cast, double breath_phase) {
  BodyGoal goal = start_goal(cast);
  plant_feet(cast, goal);
  goal.shift.y = -0.015 * cast.poser.leg_length() * (1 - 0.4 * wave(breath_phase));
  if (has_hands(cast)) {
    for (const Chain& arm : cast.poser.map().arms) add_limb_angle(goal, arm, 0, {-0.03 * wave(breath_phase), 0, 0});
  }
  for (const Chain& feeler : cast.poser.map().feelers) {
    add_limb_angle(goal, feeler, 0, {0.12 * wave(breath_phase + 0.2 * feeler.side), 0, 0});
  }
  wave_tentacles(cast, goal, breath_phase, 0.06, 0.1);
  return goal;
}

namespace {

/// Head down to the ground by bending neck, back and forelegs; 1 is as far as the neck goes.
BodyGoal reaching_down(const Cast& cast, double amount, double extra_neck) {
  BodyGoal goal = standing(cast, 0);
  const double leg = cast.poser.leg_length();
  const bool two_legs = cast.poser.creature().legs.size() == 2;
  const bool bird = two_legs && !cast.poser.map().wings.empty();
  if (cast.poser.map().crawls) {
    goal.turn.z = 0.3 * amount;
    goal.shift += Vec3d{0, -0.25, 0.1} * (amount * leg);
    turn_head(cast, goal, 0, 0.5 * amount + extra_neck);
    return goal;
  }
  goal.turn.z = (two_legs ? 0.75 : 0.12) * amount;
  goal.shift += Vec3d{0, two_legs ? -0.16 : -0.1, two_legs ? -0.08 : 0.02} * (amount * leg);
  bend_trunk(cast, goal, 0, 0, 0.25 * amount);
  turn_neck(cast, goal, 0, (bird ? 1.7 : 1.5) * amount + extra_neck);
  turn_head(cast, goal, 0, -0.35 * amount);
  lift_tail(cast, goal, two_legs ? -0.3 * amount : 0.1 * amount);
  return goal;
}

/// Who has hands brings one to the mouth.
Script hand_to_mouth(const Cast& cast) {
  Script script;
  script.seconds = 3 * tempo(cast);
  script.goal = [&cast](double phase) {
    BodyGoal goal = standing(cast, 2 * phase);
    const double size = std::min(1.25, cast.settings.amplitude);
    const double raised = hold(0.02, 0.2, 0.84, 1, phase), bite = raised * (0.5 - 0.5 * wave(4 * phase));
    for (const Chain& arm : cast.poser.map().arms) {
      if (arm.side > 0) {
        add_limb_angle(goal, arm, 0, {-0.75 * raised - 0.12 * bite, -0.3 * raised, -0.35 * raised});
        add_limb_angle(goal, arm, 1, Vec3d{-1.85 * raised - 0.25 * bite, 0, 0} * size);
      } else {
        add_limb_angle(goal, arm, 0, {-0.35 * raised, 0.2 * raised, -0.15 * raised});
        add_limb_angle(goal, arm, 1, {-1.0 * raised, 0, 0});
      }
    }
    open_jaws(cast, goal, 0.4 * bite);
    turn_neck(cast, goal, 0.1 * raised, 0.12 * raised + 0.06 * bite);
    turn_head(cast, goal, 0.1 * raised, 0.15 * bite);
    bend_trunk(cast, goal, 0.05 * raised, 0, 0.08 * raised);
    return goal;
  };
  return script;
}

}  // namespace

Script idle_script(const Cast& cast) {
  Script script;
  script.cyclic = true;
  script.seconds = 3.2 * tempo(cast);
  script.goal = [&cast](double phase) {
    const double size = cast.settings.amplitude, leg = cast.poser.leg_length();
    BodyGoal goal = standing(cast, 2 * phase);
    goal.shift += Vec3d{0.02 * size * leg * wave(phase - 0.1), 0, 0};
    bend_trunk(cast, goal, 0.03 * size * wave(phase), 0, 0.02 * wave(2 * phase));
    goal.turn.y += 0.012 * size * wave(phase - 0.1);
    turn_neck(cast, goal, 0.16 * size * wave(phase - 0.2), 0.05 * size * wave(phase - 0.45));
    turn_head(cast, goal, 0.14 * size * wave(phase - 0.25), 0.04 * size * wave(2 * phase - 0.3));
    swing_tail(cast, goal, phase, 0.16 * size, 0.02, 0.1);
    return goal;
  };
  return script;
}

Script eat_script(const Cast& cast) {
  if (has_hands(cast)) return hand_to_mouth(cast);
  // As far down as the mouth is still above the ground and the feet still reach it.
  const double amplitude = std::min(1.0, 0.5 + 0.5 * cast.settings.amplitude);
  const double depth = 0.95 * amplitude * deepest(cast, [&cast](double amount) {
                         BodyGoal goal = reaching_down(cast, amount, 0);
                         // Margin for the nodding and for the flesh around the mouth.
                         if (cast.poser.mouth(goal).y < 0.035) goal.shift.y = -10;
                         return goal;
                       });
  const auto goal_at = [&cast](double deep, double phase) {
    const double down = hold(0.03, 0.3, 0.74, 0.98, phase);
    const double chew = hold(0.28, 0.34, 0.7, 0.78, phase);
    BodyGoal goal = reaching_down(cast, deep * down, -0.07 * chew * (0.5 - 0.5 * wave(5 * phase)));
    open_jaws(cast, goal, 0.45 * chew * (0.5 - 0.5 * wave(5 * phase)));
    turn_head(cast, goal, 0.08 * chew * wave(2.5 * phase), 0);
    swing_tail(cast, goal, 2 * phase, 0.14 * hold(0, 0.15, 0.85, 1, phase), 0, 0.1);
    return goal;
  };
  const double effort = enough_effort(cast, [&](double amount, double at) { return goal_at(amount * depth, at); });
  Script script;
  script.seconds = 3.4 * tempo(cast);
  script.goal = [goal_at, deep = effort * depth](double phase) { return goal_at(deep, phase); };
  return script;
}

namespace {

/// Leans back, then forward over the feet, and snaps.
BodyGoal bite_goal(const Cast& cast, double size, double phase) {
  const double leg = cast.poser.leg_length();
  BodyGoal goal = standing(cast, 0);
  const double wind = hold(0.02, 0.32, 0.34, 0.46, phase), snap = hold(0.38, 0.5, 0.56, 0.9, phase);
  goal.shift += size * leg * (wind * Vec3d{0, -0.07, -0.12} + snap * Vec3d{0, -0.05, 0.16});
  goal.turn.z = size * (0.06 * wind + 0.1 * snap);
  bend_trunk(cast, goal, 0, 0, size * (0.12 * wind - 0.1 * snap));
  turn_neck(cast, goal, 0, size * (-0.45 * wind + 0.4 * snap));
  turn_head(cast, goal, 0, size * (0.35 * wind - 0.25 * snap));
  open_jaws(cast, goal, hold(0.3, 0.45, 0.49, 0.55, phase));
  lift_tail(cast, goal, 0.3 * wind - 0.1 * snap);
  swing_tail(cast, goal, 3 * phase, 0.1 * hold(0, 0.1, 0.9, 1, phase), 0, 0.1);
  fold_wings(cast, goal, -0.35 * wind - 0.2 * snap);
  return goal;
}

BodyGoal punch_goal(const Cast& cast, double size, double phase) {
  const double leg = cast.poser.leg_length();
  BodyGoal goal = standing(cast, 0);
  const double guard = hold(0, 0.18, 0.8, 1, phase), wind = hold(0.12, 0.34, 0.36, 0.46, phase);
  const double strike = hold(0.4, 0.5, 0.55, 0.78, phase);
  goal.shift +=
      leg * (guard * Vec3d{0, -0.06, 0} + size * (wind * Vec3d{0, -0.02, -0.06} + strike * Vec3d{0, -0.02, 0.1}));
  goal.turn.z = 0.1 * guard;
  bend_trunk(cast, goal, size * (-0.5 * wind + 0.7 * strike), 0, 0.05 * guard);
  steady_head(cast, goal, 0.9);
  // The left fist guards, the right one strikes.
  for (const Chain& arm : cast.poser.map().arms) {
    if (arm.side > 0) {
      add_limb_angle(goal, arm, 0, {-0.9 * guard, 0, -0.15 * guard});
      add_limb_angle(goal, arm, 1, {-1.9 * guard, 0, 0});
    } else {
      add_limb_angle(goal, arm, 0, {-0.7 * guard + 0.5 * wind - 0.75 * strike, 0, -0.15 * guard - 0.2 * strike});
      add_limb_angle(goal, arm, 1, {-1.9 * guard - 0.2 * wind + 1.75 * strike, 0, 0});
    }
  }
  return goal;
}

/// Rears up on the hind legs, strikes with the front pair.
BodyGoal strike_goal(const Cast& cast, double size, double phase) {
  const double leg = cast.poser.leg_length();
  BodyGoal goal = standing(cast, 0);
  const double rear = hold(0.02, 0.34, 0.4, 0.55, phase), strike = hold(0.42, 0.54, 0.6, 0.95, phase);
  goal.turn.z = size * (-0.28 * rear + 0.1 * strike);
  goal.shift += size * leg * (rear * Vec3d{0, 0.02, -0.12} + strike * Vec3d{0, -0.12, 0.22});
  open_jaws(cast, goal, hold(0.2, 0.45, 0.52, 0.6, phase));
  lift_tail(cast, goal, -0.2 * rear + 0.2 * strike);
  for (std::size_t l = 0; l < goal.feet.size(); ++l) {
    const Leg& which = cast.poser.creature().legs[l];
    if (which.pair != 0) continue;
    FootGoal& foot = goal.feet[l];
    const double raised = hold(0.04, 0.3, 0.5, 0.62, phase), forward = hold(0.3, 0.52, 0.75, 0.98, phase);
    foot.sole +=
        size * leg * (raised * Vec3d{0, 0.75, 0.12} + forward * Vec3d{0, 0.3 * (1 - ease(0.75, 0.98, phase)), 0.2});
    foot.planted = phase <= 0.04 || phase >= 0.98;
  }
  return goal;
}

}  // namespace

Script attack_script(const Cast& cast) {
  Script script;
  script.seconds = 1.5 * tempo(cast);
  const bool strikes = cast.poser.map().crawls && cast.poser.map().leg_pairs > 1;
  const auto form = has_hands(cast) ? punch_goal : strikes ? strike_goal : bite_goal;
  const double size = std::min(1.3, cast.settings.amplitude);
  const double effort = best_effort(cast, [&](double amount, double at) { return form(cast, amount * size, at); });
  script.goal = [&cast, form, size = effort * size](double phase) { return form(cast, size, phase); };
  return script;
}

namespace {

void wave_arm(const Cast& cast, BodyGoal& goal, double raised, double swing) {
  const Chain& arm = cast.poser.map().arms.front();
  if (has_hands(cast)) {
    add_limb_angle(goal, arm, 0, {-0.25 * raised, 0, 2.0 * raised});
    add_limb_angle(goal, arm, 1, {-0.4 * raised, 0, 0.28 * swing});
    add_limb_angle(goal, arm, 2, {0, 0, 0.35 * swing});
    return bend_trunk(cast, goal, 0, -0.06 * raised, 0);
  }
  if (cast.poser.map().leg_pairs < 2) goal.turn.z = -0.22 * raised;  // rearing up would lift the forefeet
  add_limb_angle(goal, arm, 0, {-0.9 * raised, 0, 0.3 * raised});
  add_limb_angle(goal, arm, 1, {-0.4 * raised + 0.45 * swing, 0, 0});
  add_limb_angle(goal, arm, 2, {0.3 * swing, 0, 0});
  steady_head(cast, goal, 0.8);
}

void wave_wing(const Cast& cast, BodyGoal& goal, double raised, double swing) {
  const Chain& wing = cast.poser.map().wings.front();
  fold_wing(cast, goal, wing, -raised);
  pose_wing(goal, wing, {{0.6 * raised + 0.25 * swing, 0, 0}, {0.15 * swing, 0, 0}, {0.2 * swing, 0, 0}});
  goal.turn.y = 0.05 * raised;
}

/// A foreleg: weight to the other side and back, then the paw up.
void wave_foreleg(const Cast& cast, BodyGoal& goal, double raised, double swing, bool planted) {
  const Poser& poser = cast.poser;
  const double leg = poser.leg_length();
  const bool insect = poser.map().crawls;
  goal.shift += raised * leg * (insect ? Vec3d{0, -0.04, -0.08} : Vec3d{-0.06, -0.03, -0.1});
  goal.turn.y = (insect ? 0.0 : -0.03) * raised;
  for (std::size_t l = 0; l < goal.feet.size(); ++l) {
    if (poser.creature().legs[l].pair != 0 || !poser.creature().legs[l].left) continue;
    FootGoal& foot = goal.feet[l];
    foot.sole += leg * raised * (insect ? Vec3d{-0.1, 1.1, 0.1} : Vec3d{0.02, 0.42, 0.3});
    foot.sole += leg * swing * (insect ? Vec3d{0.1, 0.12, 0} : Vec3d{0.0, 0.1, 0.04});
    foot.pitch = insect ? 0 : raised * 0.5 + 0.3 * swing;
    foot.fold = insect ? 0 : 0.7 * raised - 0.4 * swing;
    foot.planted = planted;
  }
}

void wave_fin(const Cast& cast, BodyGoal& goal, double raised, double swing) {
  const Chain& fin = cast.poser.map().fins.front();
  add_wing_angle(goal, fin, 0, {0.7 * raised + 0.3 * swing, 0, 0});
  goal.turn.y += 0.1 * raised;
}

}  // namespace

Script wave_script(const Cast& cast) {
  Script script;
  script.seconds = 2.6 * tempo(cast);
  script.goal = [&cast](double phase) {
    const BodyMap& map = cast.poser.map();
    const double size = std::min(1.3, cast.settings.amplitude);
    const double raised = hold(0.02, 0.26, 0.8, 0.98, phase);
    const double swing = hold(0.2, 0.32, 0.74, 0.86, phase) * wave(4 * phase) * size;
    BodyGoal goal = at_ease(cast, phase);
    turn_head(cast, goal, 0.12 * raised, -0.06 * raised);
    swing_tail(cast, goal, 3 * phase, 0.12 * hold(0, 0.1, 0.9, 1, phase), 0, 0.1);
    if (has_hands(cast)) {
      wave_arm(cast, goal, raised, swing);
    } else if (!map.wings.empty() && map.leg_pairs < 2) {
      wave_wing(cast, goal, raised, swing);
    } else if (!map.arms.empty()) {
      wave_arm(cast, goal, raised, swing);
    } else if (map.leg_pairs > 1) {
      wave_foreleg(cast, goal, raised, swing, phase <= 0.02 || phase >= 0.98);
    } else if (!map.fins.empty()) {
      wave_fin(cast, goal, raised, swing);
    } else {
      wave_tentacles(cast, goal, 4 * phase, 0.3 * raised, 0.15);
    }
    return goal;
  };
  return script;
}

}  // namespace limber::zoo
