// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>

#include "limber/zoo/script.h"

/// What any body does where it is, with what it has: look, shake, roar, dance, rear, die.
namespace limber::zoo {

BodyGoal at_ease(const Cast& cast, double breath_phase) {
  const BodyMap& map = cast.poser.map();
  if (!cast.poser.creature().legs.empty()) return standing(cast, breath_phase);
  if (map.floats) return afloat(cast, breath_phase);
  if (map.serpentine) return lying(cast, 0);
  BodyGoal goal = start_goal(cast);
  bend_spine(cast, goal, 0, 0.04 * wave(breath_phase - 0.2), 0.03 * wave(breath_phase));
  return goal;
}

namespace {

/// Bends what the body can bend without moving its feet or its base.
void sway_trunk(const Cast& cast, BodyGoal& goal, double yaw, double roll, double pitch) {
  if (cast.poser.map().rooted) return bend_spine(cast, goal, 1.5 * yaw, 2 * roll, 1.5 * pitch);
  if (!cast.poser.map().serpentine) bend_trunk(cast, goal, yaw, roll, pitch);
}

/// To the left, and to the right.
BodyGoal look_goal(const Cast& cast, double size, double phase) {
  const double left = hold(0.04, 0.24, 0.36, 0.52, phase), right = hold(0.48, 0.64, 0.76, 0.96, phase);
  const double yaw = size * (left - right), up = size * 0.12 * hold(0.04, 0.24, 0.76, 0.96, phase);
  BodyGoal goal = cast.poser.map().serpentine ? lying(cast, 0.6) : at_ease(cast, phase);
  sway_trunk(cast, goal, 0.2 * yaw, 0, 0);
  turn_neck(cast, goal, 0.6 * yaw, -up);
  turn_head(cast, goal, 0.5 * yaw, -0.5 * up);
  if (cast.poser.map().heads.empty()) sway_trunk(cast, goal, 0.4 * yaw, 0, -up);
  swing_tail(cast, goal, phase, 0.06 * hold(0, 0.2, 0.8, 1, phase), 0, 0.1);
  return goal;
}

/// A shudder from head to tail.
BodyGoal shake_goal(const Cast& cast, double size, double phase) {
  constexpr double kTimes = 7;
  const auto shudder = [&](double late) {
    return size * hold(0.08 + late, 0.25 + late, 0.6 + late, 0.85 + late, phase) * wave(kTimes * (phase - late) - 0.25);
  };
  BodyGoal goal = at_ease(cast, 0);
  for (const int head : cast.poser.map().heads) add_angle(goal, head, {0.12 * shudder(0), 0.45 * shudder(0), 0});
  turn_neck(cast, goal, 0.15 * shudder(0.02), 0.1 * hold(0, 0.2, 0.7, 0.95, phase));
  sway_trunk(cast, goal, 0.05 * shudder(0.04), 0.16 * shudder(0.04), 0);
  goal.turn.y += cast.poser.map().rooted ? 0 : 0.04 * shudder(0.06);
  for (const Chain& tail : cast.poser.map().tails) {
    for (const int joint : tail.joints) add_angle(goal, joint, {0.12 * shudder(0.1), 0, 0});
  }
  for (const Chain& arm : cast.poser.map().arms) {
    add_limb_angle(goal, arm, 0, {0.1 * shudder(0.03), 0, 0.12 * arm.side * shudder(0.03)});
  }
  for (const Chain& wing : cast.poser.map().wings) {
    pose_wing(goal, wing, {{0.08 * shudder(0.05), 0, -0.15 * size * hold(0.1, 0.3, 0.7, 0.95, phase)}, {}, {}});
  }
  for (const Chain& fin : cast.poser.map().fins) add_wing_angle(goal, fin, 0, {0.2 * shudder(0.05), 0, 0});
  wave_tentacles(cast, goal, kTimes * phase, 0.15 * size * hold(0.1, 0.3, 0.7, 0.95, phase), 0.1);
  return goal;
}

/// Draws breath, throws the head up, and lets go.
BodyGoal roar_goal(const Cast& cast, double size, double phase) {
  const double breath = hold(0.02, 0.2, 0.24, 0.36, phase), loud = hold(0.24, 0.4, 0.76, 0.96, phase);
  const double tremble = 0.03 * loud * wave(12 * phase), leg = cast.poser.leg_length();
  BodyGoal goal = cast.poser.map().serpentine ? lying(cast, 0.9 * loud) : at_ease(cast, 0);
  if (!cast.poser.creature().legs.empty()) {
    goal.shift += size * leg * (breath * Vec3d{0, -0.04, -0.05} + loud * Vec3d{0, -0.03, 0.04});
  }
  sway_trunk(cast, goal, 0, 0, size * (0.12 * breath - 0.18 * loud));
  turn_neck(cast, goal, 0, size * (0.3 * breath - 0.45 * loud + tremble));
  turn_head(cast, goal, tremble, size * (0.2 * breath - 0.2 * loud));
  open_jaws(cast, goal, 1.2 * loud + tremble);
  lift_tail(cast, goal, size * (0.4 * loud - 0.2 * breath));
  fold_wings(cast, goal, -0.6 * size * loud);
  for (const Chain& arm : cast.poser.map().arms) {
    add_limb_angle(goal, arm, 0, size * Vec3d{0.35 * loud, 0, 0.35 * loud});
    add_limb_angle(goal, arm, 1, {-0.4 * size * loud, 0, 0});
  }
  return goal;
}

/// Every other foot is lifted on every other beat; the body leans away from it.
void step_on_the_spot(const Cast& cast, BodyGoal& goal, double size, double phase) {
  const double leg = cast.poser.leg_length();
  for (std::size_t l = 0; l < goal.feet.size(); ++l) {
    const Leg& which = cast.poser.creature().legs[l];
    const bool first = (which.pair % 2 == 0) == which.left;
    const double t = (fraction(phase + (first ? 0 : 0.5)) - 0.08) / 0.34;
    if (t <= 0 || t >= 1) continue;
    FootGoal& foot = goal.feet[l];
    foot.planted = false;
    foot.sole.y += 0.16 * size * leg * 16 * t * t * (1 - t) * (1 - t);
    foot.pitch = 0.3 * size * std::sin(kPi * t);
    foot.sole.y += cast.poser.dip(l, foot.pitch);
  }
  goal.shift += leg * size * Vec3d{0.05 * wave(phase - 0.75), -0.04 - 0.03 * wave(2 * phase), 0};
}

BodyGoal dance_goal(const Cast& cast, double size, double phase) {
  const BodyMap& map = cast.poser.map();
  BodyGoal goal = map.serpentine ? lying(cast, 1.0) : at_ease(cast, 2 * phase);
  if (!goal.feet.empty()) step_on_the_spot(cast, goal, size, phase);
  if (map.floats && !map.aground) {
    goal.turn += size * Vec3d{0.4 * wave(phase), 0.4 * wave(phase - 0.25), 0.15 * wave(2 * phase)};
    goal.shift += size * Vec3d{0.06 * wave(phase - 0.1), 0.05 * wave(2 * phase), 0};
  }
  sway_trunk(cast, goal, 0.22 * size * wave(phase - 0.25), 0.12 * size * wave(phase - 0.1),
             0.06 * size * wave(2 * phase));
  turn_neck(cast, goal, 0.15 * size * wave(phase - 0.35), 0.12 * size * wave(2 * phase - 0.1));
  turn_head(cast, goal, 0.35 * size * wave(phase - 0.4), 0.15 * size * wave(2 * phase - 0.2));
  swing_tail(cast, goal, phase, 0.25 * size, 0.05 * size, 0.08);
  for (const Chain& arm : map.arms) {
    const double up = 0.5 + 0.5 * arm.side * wave(phase - 0.2);
    add_limb_angle(goal, arm, 0, size * Vec3d{-0.7 * up - 0.1, 0, 0.8 * up});
    add_limb_angle(goal, arm, 1, {-0.7 * size - 0.35 * size * wave(2 * phase), 0, 0});
  }
  fold_wings(cast, goal, -0.45 * size * (0.6 - 0.4 * wave(2 * phase)));
  for (const Chain& fin : map.fins) add_wing_angle(goal, fin, 0, {0.3 * size * wave(2 * phase), 0, 0});
  wave_tentacles(cast, goal, 2 * phase, 0.2 * size, 0.12);
  return goal;
}

}  // namespace

Script gesture_script(const Cast& cast) {
  struct Entry {
    BodyGoal (*goal)(const Cast&, double size, double phase);
    double seconds;
  };
  const auto entry = [](Action action) -> Entry {
    switch (action) {
      case Action::kLook:
        return {look_goal, 2.8};
      case Action::kShake:
        return {shake_goal, 1.7};
      case Action::kRoar:
        return {roar_goal, 2.2};
      default:
        return {dance_goal, 1.3};
    }
  }(cast.settings.action);
  // Bodies without legs have nothing that could miss the ground; they are lifted out of it.
  const bool legs = !cast.poser.creature().legs.empty();
  const bool lies = !legs && (!cast.poser.map().floats || cast.poser.map().aground);
  const double asked = std::min(1.3, cast.settings.amplitude);
  const double size =
      asked * (legs ? best_effort(cast, [&](double a, double p) { return entry.goal(cast, a * asked, p); }) : 1);
  Script script;
  script.cyclic = is_cyclic(cast.settings.action);
  script.seconds = entry.seconds * tempo(cast);
  script.goal = [&cast, pose = entry.goal, size, lies](double phase) {
    BodyGoal goal = pose(cast, size, phase);
    if (lies) rest_on_ground(cast, goal);
    return goal;
  };
  return script;
}

namespace {

/// The pairs that stay on the ground when the rest is raised: the hind half.
bool stays(const BodyMap& map, const Leg& leg) { return leg.pair >= (map.leg_pairs + 1) / 2; }

/// Up on the hind legs, by turning about their hips.
BodyGoal rearing(const Cast& cast, double size, double phase) {
  const Poser& poser = cast.poser;
  const double up = hold(0.04, 0.36, 0.68, 0.96, phase), leg = poser.leg_length();
  const double angle = -(poser.map().crawls ? 0.55 : 0.8) * size * up;
  BodyGoal goal = standing(cast, 0);
  Vec3d hips;
  double count = 0;
  for (const Leg& which : poser.creature().legs) {
    if (stays(poser.map(), which)) hips += poser.rest(which.joints[0]), count += 1;
  }
  const Vec3d arm = hips / count - poser.pivot();
  const Vec3d turned{arm.x, std::cos(angle) * arm.y - std::sin(angle) * arm.z,
                     std::sin(angle) * arm.y + std::cos(angle) * arm.z};
  goal.turn.z = angle;
  goal.shift += Vec3d{0, arm.y - turned.y, arm.z - turned.z} + size * up * leg * Vec3d{0, -0.1, 0.06};
  steady_head(cast, goal, 0.6);
  lift_tail(cast, goal, 0.2 * size * up);
  open_jaws(cast, goal, 0.4 * hold(0.4, 0.5, 0.6, 0.7, phase));
  fold_wings(cast, goal, -0.6 * size * up);
  for (std::size_t l = 0; l < goal.feet.size(); ++l) {
    const Leg& which = poser.creature().legs[l];
    if (stays(poser.map(), which)) continue;
    // The raised feet go with the body, drawn in, and paw the air in turn.
    const Vec3d hip = poser.rest(which.joints[0]), rest = poser.rest_sole(l);
    const double pawing = up * 0.12 * wave(3 * phase + (which.left ? 0 : 0.5));
    const Vec3d drawn = lerp(rest, hip, 0.3) + leg * Vec3d{0, pawing, 0.12 + pawing};
    FootGoal& foot = goal.feet[l];
    foot.sole = lerp(rest, poser.in_world(goal, drawn), ease(0, 0.5, up));
    foot.sole.y = std::max(foot.sole.y, rest.y + 0.05 * leg * ease(0, 0.3, up));
    foot.pitch = 0.5 * up, foot.fold = 0.6 * up;
    foot.planted = up <= 0;
  }
  return goal;
}

}  // namespace

Script rear_script(const Cast& cast) {
  const double asked = std::min(1.2, cast.settings.amplitude);
  const auto pose = [&cast, asked](double amount, double phase) {
    BodyGoal goal = rearing(cast, amount * asked, phase);
    cast.poser.keep_tail_up(goal);
    return goal;
  };
  const double effort = best_effort(cast, pose);
  Script script;
  script.seconds = 2.4 * tempo(cast);
  script.goal = [pose, effort](double phase) { return pose(effort, phase); };
  return script;
}

namespace {

/// What hangs down when nothing holds it any more.
void droop(const Cast& cast, BodyGoal& goal, double amount) {
  turn_neck(cast, goal, 0.4 * amount, 0.9 * amount);
  turn_head(cast, goal, 0.3 * amount, -0.2 * amount);
  for (const int head : cast.poser.map().heads) add_angle(goal, head, {0, 0.35 * amount, 0});
  lift_tail(cast, goal, -0.3 * amount);
  open_jaws(cast, goal, 0.3 * amount);
  for (const Chain& feeler : cast.poser.map().feelers) add_limb_angle(goal, feeler, 0, {0.5 * amount, 0, 0});
}

/// The largest amount, of a few, for which a pose stays above the ground.
double lowest_amount(const Cast& cast, const std::function<BodyGoal(double amount)>& goal) {
  for (double amount = 1; amount > 0.1; amount -= 0.125) {
    if (cast.poser.lowest_point(cast.poser.solve(goal(amount), nullptr)) > -0.004 * cast.poser.height()) return amount;
  }
  return 0;
}

Script fall_on_legs(const Cast& cast) {
  Script script = settle_script(cast);
  const auto fallen = [&cast, down = script.goal](double limp, double over, double phase) {
    BodyGoal goal = down(phase);
    droop(cast, goal, limp);
    goal.turn.y += 0.25 * over;
    cast.poser.keep_tail_up(goal);
    return goal;
  };
  const double limp = lowest_amount(cast, [&](double amount) { return fallen(amount, 0, 1); });
  const double over = deepest(cast, [&](double amount) { return fallen(limp, amount, 1); });
  script.seconds *= 0.85;
  const auto falling = [fallen, limp, over](double amount, double phase) {
    const double weak = amount * ease(0.3, 0.85, phase);
    return fallen(limp * weak, over * weak, phase);
  };
  // What the legs can hold at the end they may not on the way there.
  script.goal = [falling, amount = enough_effort(cast, falling)](double phase) { return falling(amount, phase); };
  return script;
}

/// Floating bodies turn over, rooted ones topple, long ones go slack.
BodyGoal fallen_goal(const Cast& cast, double phase) {
  const BodyMap& map = cast.poser.map();
  const double over = ease(0.25, 0.7, phase), weak = hold(0, 0.2, 0.25, 0.5, phase);
  if (map.serpentine) {
    BodyGoal goal = lying(cast, 0.9 * weak);
    swing_tail(cast, goal, 5 * phase, 0.2 * weak, 0, 0.1);
    turn_head(cast, goal, 0.5 * over, 0);
    open_jaws(cast, goal, 0.4 * over);
    return goal;
  }
  BodyGoal goal = map.floats ? start_goal(cast) : at_ease(cast, 0);
  if (map.floats) {
    goal.turn.y = 1.2 * over, goal.turn.x = 0.3 * over;
    goal.shift.y = 0.04 * weak - (map.aground ? 0 : 0.1 * over);
    for (const Chain& fin : map.fins) add_wing_angle(goal, fin, 0, {0.5 * over * fin.side, 0, 0.3 * over});
    wave_tentacles(cast, goal, 2 * phase, 0.2 * weak, 0.1);
  } else {
    goal.turn.z = -0.08 * weak + 1.2 * over;
    bend_spine(cast, goal, 0, 0, -0.3 * weak + 0.25 * over);
  }
  droop(cast, goal, 0.5 * over);
  return goal;
}

}  // namespace

Script collapse_script(const Cast& cast) {
  if (!cast.poser.creature().legs.empty()) return fall_on_legs(cast);
  const bool drifts = cast.poser.map().floats && !cast.poser.map().aground;
  Script script;
  script.seconds = 2.2 * tempo(cast);
  script.goal = [&cast, drifts](double phase) {
    BodyGoal goal = fallen_goal(cast, phase);
    if (!drifts) rest_on_ground(cast, goal, true);
    return goal;
  };
  return script;
}

}  // namespace limber::zoo
