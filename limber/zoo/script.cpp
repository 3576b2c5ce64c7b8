// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/script.h"

#include <algorithm>
#include <cmath>

namespace limber::zoo {

Personality draw_personality(Rng rng, double strength) {
  Personality p;
  for (double* trait : {&p.posture, &p.bounce, &p.tail, &p.sway, &p.width, &p.rhythm}) {
    *trait = strength * rng.uniform(-1, 1);
  }
  return p;
}

double wave(double phase) { return std::cos(2 * kPi * phase); }

double ease(double from, double to, double x) {
  const double t = std::clamp((x - from) / (to - from), 0.0, 1.0);
  return t * t * t * (10 - 15 * t + 6 * t * t);
}

double hold(double a, double b, double c, double d, double x) { return ease(a, b, x) * (1 - ease(c, d, x)); }

double fraction(double phase) { return phase - std::floor(phase); }

Vec3d turned_by(double yaw, Vec3d v) {
  const double c = std::cos(yaw), s = std::sin(yaw);
  return {c * v.x + s * v.z, v.y, c * v.z - s * v.x};
}

void add_angle(BodyGoal& goal, int joint, Vec3d angles) {
  if (joint >= 0) goal.angles[static_cast<std::size_t>(joint)] += angles;
}

void bend_trunk(const Cast& cast, BodyGoal& goal, double yaw, double roll, double pitch) {
  const std::vector<int>& spine = cast.poser.map().spine;
  if (spine.empty()) return;
  goal.turn -= 0.5 * Vec3d{yaw, roll, pitch};
  for (const int joint : spine) add_angle(goal, joint, Vec3d{yaw, roll, pitch} / static_cast<double>(spine.size()));
}

void bend_spine(const Cast& cast, BodyGoal& goal, double yaw, double roll, double pitch) {
  const std::vector<int>& spine = cast.poser.map().spine;
  for (const int joint : spine) add_angle(goal, joint, Vec3d{yaw, roll, pitch} / static_cast<double>(spine.size()));
}

void turn_neck(const Cast& cast, BodyGoal& goal, double yaw, double pitch) {
  for (const Chain& neck : cast.poser.map().necks) {
    for (const int joint : neck.joints) {
      add_angle(goal, joint, Vec3d{yaw, 0, pitch} / static_cast<double>(neck.joints.size()));
    }
  }
}

void turn_head(const Cast& cast, BodyGoal& goal, double yaw, double pitch) {
  for (const int head : cast.poser.map().heads) add_angle(goal, head, {yaw, 0, pitch});
}

void steady_head(const Cast& cast, BodyGoal& goal, double amount) {
  Vec3d sum{goal.turn.x - goal.heading, goal.turn.y, goal.turn.z};
  for (const int joint : cast.poser.map().spine) sum += goal.angles[static_cast<std::size_t>(joint)];
  turn_neck(cast, goal, -0.6 * amount * sum.x, -0.6 * amount * sum.z);
  turn_head(cast, goal, -0.4 * amount * sum.x, -0.4 * amount * sum.z);
  for (const int head : cast.poser.map().heads) add_angle(goal, head, {0, -amount * sum.y, 0});
}

void swing_tail(const Cast& cast, BodyGoal& goal, double phase, double yaw, double pitch, double lag) {
  for (const Chain& chain : cast.poser.map().tails) {
    const std::vector<int>& tail = chain.joints;
    for (std::size_t i = 0; i < tail.size(); ++i) {
      const double delayed = phase - lag * static_cast<double>(i + 1);
      const double reach = 0.6 + 0.4 * static_cast<double>(i) / static_cast<double>(tail.size());
      add_angle(goal, tail[i], {reach * yaw * wave(delayed), 0, reach * pitch * wave(2 * delayed)});
    }
  }
}

void lift_tail(const Cast& cast, BodyGoal& goal, double pitch) {
  for (const Chain& tail : cast.poser.map().tails) {
    for (const int joint : tail.joints) {
      add_angle(goal, joint, {0, 0, pitch / static_cast<double>(tail.joints.size())});
    }
  }
}

void add_turn(const Cast& cast, BodyGoal& goal, int joint, Vec3d turn) {
  const rig::Joint& at = cast.poser.creature().subject.rig.joints()[static_cast<std::size_t>(joint)];
  add_angle(goal, joint, transposed(to_matrix(at.axes.cast<double>())) * turn);
}

void add_limb_angle(BodyGoal& goal, const Chain& limb, std::size_t section, Vec3d angles) {
  if (section >= limb.joints.size()) return;
  add_angle(goal, limb.joints[section], {angles.x, limb.side * angles.y, limb.side * angles.z});
}

void add_wing_angle(BodyGoal& goal, const Chain& limb, std::size_t section, Vec3d angles) {
  if (section >= limb.joints.size()) return;
  add_angle(goal, limb.joints[section], {limb.side * angles.x, angles.y, limb.side * angles.z});
}

void pose_wing(BodyGoal& goal, const Chain& wing, const WingPose& pose) {
  const std::size_t count = wing.joints.size();
  add_wing_angle(goal, wing, 0, pose.shoulder);
  for (std::size_t k = 1; k + 1 < count; ++k) {
    add_wing_angle(goal, wing, k, pose.elbow / static_cast<double>(count - 2));
  }
  if (count > 1) add_wing_angle(goal, wing, count - 1, pose.tip);
}

double wing_spread(const Poser& poser, const Chain& wing) {
  const Vec3d along = poser.rest(wing.joints.back()) - poser.rest(wing.joints.front());
  const double spread = wing.joints.size() < 2 ? 1 : std::abs(along.x) / std::max(norm(along), 1e-9);
  return spread > 0.8 ? 1 : spread;
}

void fold_wings(const Cast& cast, BodyGoal& goal, double amount) {
  for (const Chain& wing : cast.poser.map().wings) fold_wing(cast, goal, wing, amount);
}

void fold_wing(const Cast& cast, BodyGoal& goal, const Chain& wing, double amount) {
  const Poser& poser = cast.poser;
  const Vec3d shoulder = poser.rest(wing.joints.front());
  amount *= wing_spread(poser, wing);
  // Swept back and sloping down along the body's axis.
  const Vec3d body = poser.map().chest >= 0 ? poser.rest(poser.map().chest) - poser.rest(0) : Vec3d{0, 0, 1};
  // Long wings on short legs stay above the ground.
  const double span = 1.7 * std::abs(poser.rest(wing.joints.back()).x - shoulder.x);
  const double room = std::asin(std::clamp((shoulder.y - 0.45 * poser.leg_length()) / std::max(span, 1e-6), 0.0, 1.0));
  const double slope = std::min(std::atan2(body.y, body.z) + 0.12, room);
  pose_wing(goal, wing, {amount * Vec3d{-0.3, -slope, 1.2}, amount * Vec3d{0, 0, 0.3}, amount * Vec3d{0, 0, 0.2}});
}

void open_jaws(const Cast& cast, BodyGoal& goal, double amount) {
  for (const Chain& jaw : cast.poser.map().jaws) {
    if (jaw.side == 0) {
      add_angle(goal, jaw.joints[0], {0, 0, 0.6 * amount});
    } else {
      add_wing_angle(goal, jaw, 0, {0, 0, -0.5 * amount});
    }
  }
}

void wave_tentacles(const Cast& cast, BodyGoal& goal, double phase, double size, double lag) {
  for (const Chain& tentacle : cast.poser.map().tentacles) {
    Vec3d out = cast.poser.rest(tentacle.joints[0]) - cast.poser.pivot();
    out.y = 0;
    const Vec3d about = cross(normalized(out, Vec3d{0, 0, 1}), Vec3d{0, 1, 0});
    for (std::size_t k = 0; k < tentacle.joints.size(); ++k) {
      const double beat = size * wave(phase - lag * static_cast<double>(k));
      add_turn(cast, goal, tentacle.joints[k], beat * about);
    }
  }
}

void rest_on_ground(const Cast& cast, BodyGoal& goal, bool both) {
  const double lowest = cast.poser.lowest_point(cast.poser.solve(goal, nullptr));
  goal.shift.y -= both ? lowest : std::min(0.0, lowest);
}

double urgency(const Cast& cast) {
  return std::exp2(-0.7 * cast.settings.haste) * (1 + 0.35 * cast.settings.fatigue) / cast.settings.speed;
}

double tempo(const Cast& cast) { return (1 - 0.15 * cast.personality.rhythm) * urgency(cast); }

int turn_side(const Cast& cast) {
  if (cast.settings.turning != 0) return cast.settings.turning > 0 ? 1 : -1;
  return cast.settings.seed % 2 == 0 ? 1 : -1;
}

Script on_arc(const Cast& cast, Script script, double turn) {
  if (turn == 0 || script.stride == 0) return script;
  script.turn = turn;
  script.goal = [straight = script.goal, stride = script.stride, turn, pivot = cast.poser.pivot()](double phase) {
    BodyGoal goal = straight(phase);
    // Where the straight path is s from the start, the arc has turned by so much.
    goal.heading = turn * goal.travel.z / stride;
    const double radius = stride / turn;
    const Vec3d before = goal.travel;
    goal.travel = {radius * (1 - std::cos(goal.heading)), 0, radius * std::sin(goal.heading)};
    goal.shift = goal.travel + turned_by(goal.heading, goal.shift - before);
    goal.turn.x += goal.heading;
    for (FootGoal& foot : goal.feet) {
      foot.sole = goal.travel + pivot + turned_by(goal.heading, foot.sole - before - pivot);
      foot.yaw += goal.heading;
    }
    return goal;
  };
  return script;
}

Script reversed(Script script) {
  script.goal = [forward = script.goal](double phase) { return forward(-phase); };
  script.stride = -script.stride, script.turn = -script.turn;
  return script;
}

Trouble trouble(const Cast& cast, const std::function<BodyGoal(double phase)>& goal) {
  constexpr int kSamples = 72, kSurfaceEvery = 3;  // the surface costs more than the skeleton
  Trouble worst;
  for (int k = 0; k < kSamples; ++k) {
    const double phase = static_cast<double>(k) / kSamples;
    BodyGoal at = goal(phase);
    cast.disturb(phase, at);
    const SolvedPose pose = cast.poser.solve(at, nullptr);
    worst.miss = std::max(worst.miss, cast.poser.miss(at, pose));
    for (FootGoal& foot : at.feet) foot.active = foot.planted;
    worst.stretch = std::max(worst.stretch, cast.poser.stretch(at));
    if (k % kSurfaceEvery == 0) worst.depth = std::max(worst.depth, -cast.poser.lowest_point(pose));
  }
  return worst;
}

double enough_effort(const Cast& cast, const std::function<BodyGoal(double amount, double phase)>& goal) {
  double amount = 1;
  for (int attempt = 0; attempt < 10; ++attempt, amount *= 0.8) {
    const Trouble found = trouble(cast, [&](double phase) { return goal(amount, phase); });
    if (found.miss < 0.9 * Poser::kMostMiss && found.depth < 0.005 * cast.poser.height()) return amount;
  }
  return 0;
}

double best_effort(const Cast& cast, const std::function<BodyGoal(double amount, double phase)>& goal) {
  const double leg = cast.poser.leg_length();
  double amount = 1;
  for (int attempt = 0; attempt < 8; ++attempt, amount *= 0.8) {
    const Trouble found = trouble(cast, [&](double phase) { return goal(amount, phase); });
    if (found.miss < 3e-4 * leg && found.stretch < 0.99 && found.depth < 0.003 * cast.poser.height()) break;
  }
  return amount;
}

double deepest(const Cast& cast, const std::function<BodyGoal(double amount)>& goal) {
  if (cast.poser.holds(goal(1))) return 1;
  double good = 0, bad = 1;
  for (int k = 0; k < 12; ++k) {
    const double middle = 0.5 * (good + bad);
    (cast.poser.holds(goal(middle)) ? good : bad) = middle;
  }
  return good;
}

void plant_feet(const Cast& cast, BodyGoal& goal) {
  for (std::size_t l = 0; l < goal.feet.size(); ++l) {
    goal.feet[l] = {};
    goal.feet[l].active = goal.feet[l].planted = true;
    goal.feet[l].sole = cast.poser.rest_sole(l);
  }
}

namespace {

/// Whether an arm sticks out sideways at rest, as most people's models have it.
bool sticks_out(const Poser& poser, const Chain& arm) {
  const Vec3d along = poser.rest(arm.joints.back()) - poser.rest(arm.joints.front());
  return std::abs(along.x) > 0.3 * norm(along);
}

}  // namespace

bool has_hands(const Cast& cast) {
  const BodyMap& map = cast.poser.map();
  return !map.arms.empty() && (map.upright || sticks_out(cast.poser, map.arms.front()));
}

BodyGoal start_goal(const Cast& cast) {
  BodyGoal goal = cast.poser.rest_goal();
  if (cast.poser.map().serpentine) return goal;  // stays on the ground
  const Personality& p = cast.personality;
  const double weary = cast.settings.fatigue;
  turn_neck(cast, goal, 0, -0.25 * p.posture + 0.35 * weary);
  turn_head(cast, goal, 0, 0.2 * p.posture + 0.1 * weary);
  lift_tail(cast, goal, 0.5 * p.tail - 0.4 * weary);
  fold_wings(cast, goal, 1);
  for (const Chain& arm : cast.poser.map().arms) {
    const bool low = cast.poser.rest(arm.joints.back()).y < 0.4 * cast.poser.leg_length();
    if (arm.holds || low) {
      // Off the ground, and what they hold too.
      add_limb_angle(goal, arm, 0, {low ? -0.6 : -0.2, 0, 0});
      add_limb_angle(goal, arm, 1, {-0.8, 0, 0});
    } else if (cast.poser.map().upright && sticks_out(cast.poser, arm)) {
      // Arms hang down, elbows a little bent.
      add_limb_angle(goal, arm, 0, {0, 0, -0.22});
      add_limb_angle(goal, arm, 1, {-0.2, 0, 0});
    }
  }
  return goal;
}

}  // namespace limber::zoo
