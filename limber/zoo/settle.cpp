// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/zoo/script.h"

/// Sitting and lying down: to the ground, and staying there.
namespace limber::zoo {
namespace {

/// Moves a foot over the ground to a new place while `progress` goes from 0 to 1, with a small step.
void step_to(const Cast& cast, FootGoal& foot, Vec3d offset, double progress) {
  foot.sole += ease(0, 1, progress) * offset;
  foot.sole.y += 0.07 * cast.poser.leg_length() * hold(0, 0.5, 0.5, 1, progress);
  foot.planted = progress <= 0 || progress >= 1;
}

/// A quadruped sits on its haunches: the rump sinks, the chest stays.
BodyGoal haunches(const Cast& cast, double amount, double progress, double reach) {
  const Poser& poser = cast.poser;
  BodyGoal goal = start_goal(cast);
  plant_feet(cast, goal);
  Vec3d shoulders, hips;
  for (const Leg& leg : poser.creature().legs) (leg.pair == 0 ? shoulders : hips) += 0.5 * poser.rest(leg.joints[0]);
  // Turn about the shoulders until the hips are low.
  const double drop = 0.85 * amount * hips.y;
  const double angle = -std::asin(std::clamp(drop / norm(hips - shoulders), 0.0, 0.75));
  const Vec3d arm = shoulders - poser.pivot();
  const Vec3d turned{arm.x, std::cos(angle) * arm.y - std::sin(angle) * arm.z,
                     std::sin(angle) * arm.y + std::cos(angle) * arm.z};
  goal.turn.z = angle;
  goal.shift = arm - turned + Vec3d{0, -0.03 * amount, -0.1 * amount} * poser.leg_length();
  bend_trunk(cast, goal, 0, 0, 0.25 * amount);
  steady_head(cast, goal, 0.75);
  lift_tail(cast, goal, 0.2 * amount);
  // The hind feet come forward under the body, one after the other.
  for (std::size_t l = 0; l < goal.feet.size(); ++l) {
    if (poser.creature().legs[l].pair == 0) continue;
    const double side = poser.creature().legs[l].left ? 1 : -1;
    step_to(cast, goal.feet[l], poser.leg_length() * Vec3d{0.06 * side, 0, 0.1 + reach},
            std::clamp((progress - (side > 0 ? 0.05 : 0.3)) / 0.35, 0.0, 1.0));
  }
  return goal;
}

/// A quadruped lies on its belly, paws before it.
BodyGoal belly(const Cast& cast, double amount, double progress, double reach) {
  const Poser& poser = cast.poser;
  const double leg = poser.leg_length();
  BodyGoal goal = start_goal(cast);
  plant_feet(cast, goal);
  // Front first, as most animals do.
  goal.shift.y = -0.95 * amount * poser.pivot().y;
  goal.shift.z = -0.06 * leg * amount;
  goal.turn.z = 0.12 * hold(0.1, 0.5, 0.5, 0.95, progress);
  steady_head(cast, goal, 0.8);
  turn_neck(cast, goal, 0, 0.12 * amount);
  for (std::size_t l = 0; l < goal.feet.size(); ++l) {
    const bool fore = poser.creature().legs[l].pair == 0;
    const double side = poser.creature().legs[l].left ? 1 : -1;
    const double from = fore ? 0.05 : 0.2;
    step_to(cast, goal.feet[l], leg * (fore ? Vec3d{0.05 * side, 0, reach} : Vec3d{0.14 * side, 0, 0.8 * reach}),
            std::clamp((progress - from) / 0.5, 0.0, 1.0));
  }
  return goal;
}

/// Two digitigrade legs, or six and eight pointed ones, fold under the body.
BodyGoal squat(const Cast& cast, double amount, double, double) {
  const Poser& poser = cast.poser;
  BodyGoal goal = start_goal(cast);
  plant_feet(cast, goal);
  const bool two_legs = goal.feet.size() == 2;
  goal.shift.y = -0.95 * amount * poser.pivot().y;
  goal.shift.z = (two_legs ? -0.04 : 0) * amount * poser.leg_length();
  if (cast.settings.action != Action::kSit) {
    turn_neck(cast, goal, 0, (two_legs ? 0.5 : 0.1) * amount);
    turn_head(cast, goal, 0, -0.3 * amount);
  }
  for (const Chain& feeler : poser.map().feelers) add_limb_angle(goal, feeler, 0, {0.3 * amount, 0, 0});
  return goal;
}

/// A biped sits down on the ground, feet before it, and may lie back.
BodyGoal biped_seat(const Cast& cast, double amount, double progress, double) {
  const Poser& poser = cast.poser;
  const double leg = poser.leg_length();
  const bool lies = cast.settings.action != Action::kSit;
  BodyGoal goal = start_goal(cast);
  plant_feet(cast, goal);
  const double down = amount * ease(0, lies ? 0.6 : 0.9, progress), back = lies ? ease(0.5, 1, progress) : 0;
  goal.shift.y = -0.98 * down * poser.pivot().y;
  goal.shift.z = -0.25 * leg * down;
  goal.turn.z = (lies ? 0.12 : 0.3) * hold(0, 0.35, 0.4, 0.8, progress) - 0.12 * down - 1.3 * back;
  bend_trunk(cast, goal, 0, 0, 0.2 * down * (1 - back));
  steady_head(cast, goal, 0.5 * (1 - back));
  for (std::size_t l = 0; l < goal.feet.size(); ++l) {
    const double from = l == 0 ? 0.02 : 0.2;
    const double reach = (lies ? 0.45 : 0.32) * leg;
    step_to(cast, goal.feet[l], {0, 0, reach}, std::clamp((progress - from) / 0.28, 0.0, 1.0));
  }
  for (const Chain& arm : poser.map().arms) {
    add_limb_angle(goal, arm, 0, {-0.45 * down * (1 - back), 0, 0.25 * back});
    add_limb_angle(goal, arm, 1, {-0.35 * down * (1 - 0.7 * back), 0, 0});
  }
  return goal;
}

/// One of the poses above, as deep as the body can go with it.
struct Settled {
  std::function<BodyGoal(double phase)> goal;
  double effort = 0;  ///< of the depth that can be held at the end: 0 if there is no way down to it
};

Settled settle_into(const Cast& cast, BodyGoal (*pose)(const Cast&, double, double, double)) {
  const auto settled = [&cast, pose](double amount, double progress, double reach) {
    BodyGoal goal = pose(cast, amount, progress, reach);
    cast.poser.keep_tail_up(goal);
    return goal;
  };
  const auto lifted = [&cast](BodyGoal goal) {
    for (int round = 0; round < 3; ++round) {
      goal.shift.y -= std::min(0.0, 0.0005 + cast.poser.lowest_point(cast.poser.solve(goal, nullptr)));
    }
    return goal;
  };
  // How far the feet come forward decides how low the body gets: the best of a few.
  double depth = -1, reach = 0;
  for (const double tried : {0.2, 0.05, 0.35, 0.5}) {
    const double found = deepest(cast, [&](double amount) { return settled(amount, 1, tried); });
    if (found > depth + 0.02) depth = found, reach = tried;
    if (pose != belly && pose != haunches) break;  // the others have no choice
  }
  depth *= std::min(1.0, 0.55 + 0.45 * cast.settings.amplitude);
  const bool biped = pose == biped_seat;
  const auto goal_at = [&cast, settled, lifted, reach, biped](double deep, double phase) {
    const double progress = std::clamp((phase - 0.04) / 0.7, 0.0, 1.0);
    // Bipeds time their parts themselves; the rest sinks with one ease and breathes at the end.
    const double amount = biped ? deep : deep * ease(0, 1, progress);
    BodyGoal goal = settled(amount, progress, reach);
    const double calm = ease(0.75, 0.9, phase);
    turn_head(cast, goal, 0.06 * calm * (1 - wave(2 * phase)), 0);
    // Long backs breathe no deeper as a whole than short ones.
    const auto& spine = cast.poser.map().spine;
    const double breath = 0.008 * std::min(1.0, 4 / std::max(1.0, static_cast<double>(spine.size())));
    for (const int joint : spine) add_angle(goal, joint, {0, 0, -breath * calm * (1 - wave(4 * phase))});
    return lifted(std::move(goal));
  };
  const double effort = enough_effort(cast, [&](double amount, double at) { return goal_at(amount * depth, at); });
  return {[goal_at, deep = effort * depth](double phase) { return goal_at(deep, phase); }, effort};
}

}  // namespace

Script settle_script(const Cast& cast) {
  const BodyMap& map = cast.poser.map();
  const bool lies = cast.settings.action != Action::kSit;
  const bool biped = map.leg_pairs == 1 && !map.crawls &&
                     (map.upright || cast.poser.creature().legs.front().kind == LegKind::kPlantigrade);
  const bool quadruped = map.leg_pairs == 2 && !map.crawls;
  Settled way = settle_into(cast, biped ? biped_seat : !quadruped ? squat : lies ? belly : haunches);
  // Legs too short or too stiff for it fold where they stand.
  if (way.effort == 0 && (biped || quadruped)) way = settle_into(cast, squat);
  Script script;
  script.seconds = (lies ? 2.6 : 2.0) * tempo(cast);
  script.goal = std::move(way.goal);
  return script;
}

}  // namespace limber::zoo
