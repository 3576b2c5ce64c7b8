// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/zoo/gait.h"

namespace limber::zoo {

Script turn_script(const Cast& cast) {
  const std::vector<Leg>& legs = cast.poser.creature().legs;
  const double angle = 0.5 * kPi * cast.settings.amplitude * turn_side(cast);
  const double leg = cast.poser.leg_length();
  double radius = 0;
  for (std::size_t l = 0; l < legs.size(); ++l)
    radius = std::max(radius, norm(cast.poser.rest_sole(l) - cast.poser.pivot()));
  // Gait cycles for the whole turn: no foot has to go farther at once than its leg allows. The less the legs
  // allow, the more steps it takes and the less it bobs.
  const double fewest = std::abs(angle) * std::max(1.8, 1.4 * radius / leg);
  const auto steps_for = [fewest](double amount) { return std::max(2.0, std::ceil(fewest / amount)); };
  std::vector<Footfall> feet;
  for (const Leg& l : legs) {
    const bool first_group = (l.pair % 2 == 0) == l.left;
    feet.push_back({first_group ? 0.1 : 0.6, 0.6, 0, 1});
  }
  Script script;
  const auto goal_at = [&cast, angle, steps_for, feet, leg](double amount, double phase) {
    const double steps = steps_for(amount);
    // Feet stand still at both ends: the body turns in between.
    const auto yaw_at = [angle](double p) { return angle * ease(0.08, 0.92, p); };
    BodyGoal goal = start_goal(cast);
    goal.turn.x = yaw_at(phase);
    const double pace = hold(0, 0.2, 0.8, 1, phase);
    goal.shift.y = -leg * pace * amount * (0.03 + 0.01 * wave(2 * steps * phase));
    // Head and chest look ahead, the tail trails.
    const double lead = 0.35 * (angle > 0 ? 1 : -1) * pace;
    bend_trunk(cast, goal, 0.6 * lead, 0, 0);
    turn_neck(cast, goal, 0.8 * lead, 0);
    turn_head(cast, goal, 0.3 * lead, 0);
    swing_tail(cast, goal, steps * phase, 0.08 * pace, 0, 0.1);
    for (const Chain& tail : cast.poser.map().tails) {
      for (const int joint : tail.joints) add_angle(goal, joint, {-0.25 * lead, 0, 0});
    }
    const auto path = [&](double at) { return PathPoint{{}, yaw_at(at / steps)}; };
    for (std::size_t l = 0; l < goal.feet.size(); ++l) {
      goal.feet[l] = foot_on_path(cast.poser, l, steps * phase, feet[l], path, cast.poser.rest_sole(l),
                                  {0.14 * leg, 0.4, 0.6, 0, 0, 0.9});
    }
    return goal;
  };
  const double amount = best_effort(cast, goal_at);
  script.seconds = 0.75 * steps_for(amount) * std::sqrt(leg / 0.4) * urgency(cast);
  script.goal = [goal_at, amount](double phase) { return goal_at(amount, phase); };
  return script;
}

namespace {

/// The moments of a jump, as shares of the whole.
constexpr double kCrouched = 0.24, kTakeOff = 0.4, kLanding = 0.66, kCaught = 0.78;

/// Wings and arms that help a jump.
void swing_arms(const Cast& cast, BodyGoal& goal, double phase) {
  const double back = hold(0.02, kCrouched, kCrouched, kTakeOff, phase);
  const double up = hold(kCrouched, kTakeOff, kLanding - 0.05, 0.9, phase);
  const BodyMap& map = cast.poser.map();
  if (has_hands(cast)) {
    for (const Chain& arm : map.arms) {
      add_limb_angle(goal, arm, 0, {0.8 * back - 1.5 * up, 0, -0.1});
      add_limb_angle(goal, arm, 1, {-0.4 * back - 0.5 * up, 0, 0});
    }
  } else {
    for (const Chain& arm : map.arms) add_limb_angle(goal, arm, 0, {0.3 * back - 0.5 * up, 0, 0});
  }
  fold_wings(cast, goal, -0.75 * up);
  for (const Chain& wing : map.wings) add_wing_angle(goal, wing, 0, {0.5 * up * wave(6 * phase), 0, 0});
}

}  // namespace

Script jump_script(const Cast& cast) {
  const Poser& poser = cast.poser;
  const double leg = poser.leg_length(), power = cast.settings.amplitude * (1 + 0.2 * cast.personality.bounce);
  const bool low = poser.map().crawls;
  const double height = 0.5 * leg * power, leap = cast.settings.in_place ? 0 : (low ? 1.2 : 1.0) * leg * power,
               dip = (low ? 0.35 : 0.2) * leg;
  Script script;
  script.seconds = 1.25 * std::sqrt(leg / 0.4) * urgency(cast);

  const auto goal_at = [&cast, leg, height, leap](double crouch, double effort, double phase) {
    const double distance = effort * leap;
    BodyGoal goal = start_goal(cast);
    const double flight = std::clamp((phase - kTakeOff) / (kLanding - kTakeOff), 0.0, 1.0);
    const double loaded = hold(0, kCrouched, kCrouched, kTakeOff, phase);
    const double caught = hold(kLanding - 0.02, kCaught, kCaught, 1, phase);
    // Forward speed builds up in the push, is constant in the air, and dies in the landing.
    const double lean_in = 0.16, lean_out = 0.16;
    const double progress = lean_in * ease(kCrouched, kTakeOff + 0.12, phase) +
                            lean_out * ease(kLanding - 0.12, 0.95, phase) + (1 - lean_in - lean_out) * flight;
    goal.travel = {0, 0, distance * progress};
    goal.shift = goal.travel + Vec3d{0, height * 4 * flight * (1 - flight) - crouch * loaded - crouch * caught, 0};
    const double nose = -0.22 * hold(kTakeOff - 0.1, kTakeOff + 0.06, kTakeOff + 0.06, 0.64, phase) +
                        0.2 * hold(0.5, kLanding, kLanding, 0.85, phase) + 0.1 * loaded;
    goal.turn.z = effort * nose;
    bend_trunk(cast, goal, 0, 0, 0.25 * loaded - 0.2 * hold(kCrouched, kTakeOff, 0.5, 0.66, phase) + 0.2 * caught);
    steady_head(cast, goal, 0.8);
    lift_tail(cast, goal, 0.5 * hold(kTakeOff, 0.6, 0.6, 0.9, phase) - 0.25 * loaded);
    swing_arms(cast, goal, phase);

    for (std::size_t l = 0; l < goal.feet.size(); ++l) {
      FootGoal& foot = goal.feet[l];
      foot.active = true;
      // Forelegs leave the ground first and come back first.
      const bool fore = cast.poser.creature().legs[l].kind == LegKind::kForeleg;
      const double air =
          std::clamp((phase - kTakeOff + (fore ? 0.08 : 0)) / (kLanding - kTakeOff + (fore ? 0.06 : 0.02)), 0.0, 1.0);
      foot.planted = air <= 0 || air >= 1;
      foot.sole = cast.poser.rest_sole(l) + Vec3d{0, 0, distance * ease(0, 1, air)};
      foot.pitch = 0.7 * hold(0, 0.4, 0.4, 0.9, air);
      foot.fold = fore ? 0.9 * hold(0, 0.45, 0.5, 1, air) : 0;
      foot.sole.y +=
          height * 4 * air * (1 - air) + 0.3 * leg * hold(0, 0.5, 0.5, 1, air) + cast.poser.dip(l, foot.pitch);
    }
    return goal;
  };
  // As deep as the legs allow, and deep enough that they reach the ground before take-off and after landing.
  const double crouch = dip * deepest(cast, [&](double amount) { return goal_at(amount * dip, 1, kCrouched); });
  const double effort =
      best_effort(cast, [&](double amount, double at) { return goal_at(amount * crouch, amount, at); });
  script.stride = effort * leap;
  script.goal = [goal_at, crouch, effort](double phase) { return goal_at(effort * crouch, effort, phase); };
  return script;
}

}  // namespace limber::zoo
