// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/script.h"

#include <algorithm>
#include <cmath>

#include "limber/zoo/body_plan.h"

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

void add_angle(BodyGoal& goal, int joint, Vec3d angles) {
  if (joint >= 0) goal.angles[static_cast<std::size_t>(joint)] += angles;
}

void bend_trunk(const Cast& cast, BodyGoal& goal, double yaw, double roll, double pitch) {
  const std::vector<int>& spine = cast.poser.map().spine;
  if (spine.empty()) return;
  goal.turn -= 0.5 * Vec3d{yaw, roll, pitch};
  for (const int joint : spine) add_angle(goal, joint, Vec3d{yaw, roll, pitch} / static_cast<double>(spine.size()));
}

void turn_neck(const Cast& cast, BodyGoal& goal, double yaw, double pitch) {
  const std::vector<int>& neck = cast.poser.map().neck;
  for (const int joint : neck) add_angle(goal, joint, Vec3d{yaw, 0, pitch} / static_cast<double>(neck.size()));
}

void turn_head(const Cast& cast, BodyGoal& goal, double yaw, double pitch) {
  add_angle(goal, cast.poser.map().head, {yaw, 0, pitch});
}

void steady_head(const Cast& cast, BodyGoal& goal, double amount) {
  Vec3d sum{goal.turn.x, goal.turn.y, goal.turn.z};
  for (const int joint : cast.poser.map().spine) sum += goal.angles[static_cast<std::size_t>(joint)];
  turn_neck(cast, goal, -0.6 * amount * sum.x, -0.6 * amount * sum.z);
  turn_head(cast, goal, -0.4 * amount * sum.x, -0.4 * amount * sum.z);
  add_angle(goal, cast.poser.map().head, {0, -amount * sum.y, 0});
}

void swing_tail(const Cast& cast, BodyGoal& goal, double phase, double yaw, double pitch, double lag) {
  const std::vector<int>& tail = cast.poser.map().tail;
  for (std::size_t i = 0; i < tail.size(); ++i) {
    const double delayed = phase - lag * static_cast<double>(i + 1);
    const double reach = 0.6 + 0.4 * static_cast<double>(i) / static_cast<double>(tail.size());
    add_angle(goal, tail[i], {reach * yaw * wave(delayed), 0, reach * pitch * wave(2 * delayed)});
  }
}

void lift_tail(const Cast& cast, BodyGoal& goal, double pitch) {
  const std::vector<int>& tail = cast.poser.map().tail;
  for (const int joint : tail) add_angle(goal, joint, {0, 0, pitch / static_cast<double>(tail.size())});
}

void add_limb_angle(const Cast& cast, BodyGoal& goal, std::string_view joint, int side, Vec3d angles) {
  add_angle(goal, cast.poser.joint(sided(joint, side)), {angles.x, side * angles.y, side * angles.z});
}

void add_wing_angle(const Cast& cast, BodyGoal& goal, std::string_view joint, int side, Vec3d angles) {
  add_angle(goal, cast.poser.joint(sided(joint, side)), {side * angles.x, angles.y, side * angles.z});
}

void fold_wings(const Cast& cast, BodyGoal& goal, int side, double amount) {
  if (cast.poser.creature().plan != Plan::kBird) return;
  // Swept back and sloping down along the body's axis.
  const Vec3d body = cast.poser.rest(cast.poser.map().chest) - cast.poser.rest(0);
  // Long wings on short legs stay above the ground.
  const Vec3d shoulder = cast.poser.rest(cast.poser.joint("wing.1.L"));
  const double span = 1.7 * (cast.poser.rest(cast.poser.joint("wing.3.L")).x - shoulder.x);
  const double room = std::asin(std::clamp((shoulder.y - 0.45 * cast.poser.leg_length()) / span, 0.0, 1.0));
  const double slope = std::min(std::atan2(body.y, body.z) + 0.12, room);
  add_wing_angle(cast, goal, "wing.1", side, amount * Vec3d{-0.3, -slope, 1.2});
  add_wing_angle(cast, goal, "wing.2", side, amount * Vec3d{0, 0, 0.3});
  add_wing_angle(cast, goal, "wing.3", side, amount * Vec3d{0, 0, 0.2});
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
    if (k % kSurfaceEvery == 0) worst.depth = std::max(worst.depth, -cast.poser.lowest_point(pose));
  }
  return worst;
}

double best_effort(const Cast& cast, const std::function<BodyGoal(double amount, double phase)>& goal) {
  const double leg = cast.poser.leg_length();
  double amount = 1;
  for (int attempt = 0; attempt < 8; ++attempt, amount *= 0.8) {
    const Trouble found = trouble(cast, [&](double phase) { return goal(amount, phase); });
    if (found.miss < 3e-4 * leg && found.depth < 0.003 * cast.poser.height()) break;
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

BodyGoal start_goal(const Cast& cast) {
  BodyGoal goal = cast.poser.rest_goal();
  if (cast.poser.creature().plan == Plan::kSnake) return goal;  // stays on the ground
  const Personality& p = cast.personality;
  turn_neck(cast, goal, 0, -0.25 * p.posture);
  turn_head(cast, goal, 0, 0.2 * p.posture);
  lift_tail(cast, goal, 0.5 * p.tail);
  for (const int side : {1, -1}) {
    fold_wings(cast, goal, side, 1);
    if (cast.poser.creature().plan != Plan::kBiped) continue;
    // Arms hang down, elbows a little bent.
    add_limb_angle(cast, goal, "shoulder", side, {0, 0, -0.22});
    add_limb_angle(cast, goal, "elbow", side, {-0.2, 0, 0});
  }
  return goal;
}

}  // namespace limber::zoo
