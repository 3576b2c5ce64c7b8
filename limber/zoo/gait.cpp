// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/gait.h"

#include <algorithm>
#include <cmath>

namespace limber::zoo {

FootGoal foot_on_path(const Poser& poser, std::size_t leg, double phase, const Footfall& fall,
                      const std::function<PathPoint(double)>& path, Vec3d neutral, const SwingShape& swing) {
  const double since = phase - fall.phase;
  const double cycle = std::floor(since), u = since - cycle;
  // A foothold lies where the body's neutral point is in the middle of the stance.
  const auto foothold = [&](double number) {
    const PathPoint at = path(fall.phase + number + 0.5 * fall.duty);
    const Vec3d around = neutral - poser.pivot();
    const double c = std::cos(at.yaw), s = std::sin(at.yaw);
    return PathPoint{at.position + Vec3d{poser.pivot().x + c * around.x + s * around.z, neutral.y,
                                         poser.pivot().z - s * around.x + c * around.z},
                     at.yaw};
  };
  const PathPoint from = foothold(cycle);
  FootGoal goal;
  goal.active = true;
  goal.sole = from.position, goal.yaw = from.yaw;
  if (u <= fall.duty) {
    goal.planted = true;
    const double roll_in = ease(0, 0.22, u / fall.duty), roll_out = ease(0.55, 1, u / fall.duty);
    if (swing.heel_strike != 0 && roll_in < 1) {
      goal.pitch = -swing.heel_strike * (1 - roll_in), goal.planted = false;
    } else if (swing.heel_rise != 0) {
      goal.pitch = swing.heel_rise * roll_out, goal.toe_lag = 1;
    }
    goal.sole.y += poser.dip(leg, std::min(goal.pitch, 0.0));
    return goal;
  }
  const double t = (u - fall.duty) / (1 - fall.duty);
  const PathPoint to = foothold(cycle + 1);
  // Part of the body's speed is kept at lift-off and touch-down, or the foot would trail far behind.
  const double slope = (1 - swing.grip) * (1 - fall.duty);
  const double s = slope * t * (1 - t) * (1 - 2 * t) + t * t * (3 - 2 * t);
  goal.sole = lerp(from.position, to.position, s);
  goal.yaw = from.yaw + s * (to.yaw - from.yaw);
  // Hardly a step: hardly lifted.
  const double ground = norm(to.position - from.position) / (0.06 * poser.leg_length());
  const double care = ground / std::sqrt(1 + ground * ground);
  const double early = 1.25 - 0.5 * t;  // the foot is highest a little before the middle
  const double arc = 16 * t * t * (1 - t) * (1 - t) * early;
  const double curl = ease(0, 0.45, t) * (1 - ease(0.4, 1, t));
  goal.pitch =
      swing.heel_rise * (1 - ease(0, 0.75, t)) - swing.heel_strike * ease(0.45, 1, t) + care * swing.toe_curl * curl;
  goal.toe_lag = 1 - ease(0, 0.5, t);
  goal.fold = care * swing.wrist_fold * curl;
  goal.sole.y += care * swing.lift * arc + poser.dip(leg, goal.pitch * (1 - goal.toe_lag));
  return goal;
}

Cadence cadence(double froude, double leg_length) {
  constexpr double kGravity = 9.81;
  Cadence c;
  c.duty = std::clamp(0.52 * std::pow(froude, -0.14), 0.2, 0.85);
  c.stride = 2.4 * std::pow(froude, 0.34);
  c.period = c.stride * std::sqrt(leg_length / (kGravity * froude));
  return c;
}

namespace {

/// Twice the speed is four times the Froude number: longer strides, shorter stances, quicker steps.
void hurry(double haste, Gait& gait) {
  if (haste == 0) return;
  const double froude = std::exp2(2 * haste);
  const double stride = std::pow(froude, 0.34), duty = std::pow(froude, -0.14);
  for (Footfall& fall : gait.feet) {
    // A walk stays a walk.
    fall.duty = std::clamp(fall.duty * duty, fall.duty >= 0.5 ? 0.5 : 0.18, 0.88);
  }
  gait.reach *= stride * duty;
  gait.period *= stride / std::sqrt(froude);
}

void tire(double fatigue, Gait& gait) {
  gait.period *= 1 + 0.35 * fatigue;
  gait.reach *= 1 - 0.25 * fatigue;
  gait.lift *= 1 - 0.5 * fatigue;
  gait.crouch += 0.05 * fatigue;
  gait.lean += 0.06 * fatigue;
  gait.toe_curl *= 1 - 0.5 * fatigue, gait.wrist_fold *= 1 - 0.5 * fatigue;
}

/// Hurries off one leg. The body rises while it bears weight, and drops onto its partner.
void spare(const Cast& cast, std::size_t leg, Gait& gait) {
  Footfall& spared = gait.feet[leg];
  spared.duty *= 0.6, spared.lift *= 0.7;
  const double bears = spared.phase + 0.5 * spared.duty, left = cast.poser.creature().legs[leg].left ? 1 : -1;
  const double share = 2.0 / static_cast<double>(std::max<std::size_t>(2, gait.feet.size()));
  gait.reach *= 1 - 0.2 * share;
  gait.bob_per_cycle = 1, gait.bob_phase = bears, gait.bob = std::max(gait.bob, 0.035 * share);
  gait.roll = 0.08 * share, gait.roll_phase = left > 0 ? bears : bears + 0.5;
  gait.nod = -std::max(std::abs(gait.nod), 0.12 * share), gait.nod_phase = bears;
}

/// Leans into the slope with shorter steps; downhill it leans back.
void climb(double slope, Gait& gait) {
  gait.lean += (gait.feet.size() > 2 ? 0.25 : 0.6) * slope;
  gait.neck_pitch += 0.3 * slope;
  gait.reach *= 1 - 0.4 * std::abs(slope);
  gait.period *= 1 + 0.5 * std::abs(slope);
  gait.crouch += 0.08 * std::abs(slope);
}

Gait in_manner(const Cast& cast, Gait gait) {
  const ActionSettings& settings = cast.settings;
  hurry(settings.haste, gait);
  if (settings.fatigue > 0) tire(settings.fatigue, gait);
  if (settings.uphill != 0) climb(settings.uphill, gait);
  if (settings.limping_leg >= 0) spare(cast, static_cast<std::size_t>(settings.limping_leg), gait);
  return gait;
}

}  // namespace

Script gait_script(const Cast& cast, Gait plain) {
  const Poser& poser = cast.poser;
  const double leg = poser.leg_length();
  const Personality& p = cast.personality;
  Gait gait = in_manner(cast, std::move(plain));
  gait.lift *= (1 + 0.35 * p.bounce) * leg * cast.settings.amplitude;
  gait.bob *= (1 + 0.5 * p.bounce) * leg;
  gait.crouch *= leg;
  for (double* sway : {&gait.roll, &gait.bend_yaw, &gait.tail_yaw}) *sway *= 1 + 0.5 * p.sway;
  double excursion = gait.reach * leg * cast.settings.amplitude;  // of a planted foot, either way

  double longest_stance = 0;
  for (const Footfall& fall : gait.feet) longest_stance = std::max(longest_stance, fall.duty);

  Script script;
  script.cyclic = true;
  script.seconds = gait.period * (1 - 0.15 * p.rhythm) / cast.settings.speed;
  // Played in reverse a turn changes sides.
  script.turn = cast.settings.backward ? -cast.settings.turning : cast.settings.turning;
  const auto make = [&cast, &gait, turn = script.turn](double stride, double crouch) {
    return [&cast, gait = gait, stride, turn, crouch](double phase) {
      return gait_goal(cast, gait, stride, turn, crouch, phase);
    };
  };
  // Lower the body, and if that is not enough shorten the stride, until no planted leg is overstretched.
  constexpr double kMostStretch = 0.985;
  constexpr int kAttempts = 60, kPatience = 20;
  double lowest = gait.crouch + 0.09 * leg;
  for (int attempt = 0;; ++attempt) {
    script.stride = 2 * excursion / longest_stance;
    script.goal = make(script.stride, gait.crouch);
    double stretch = 0;
    for (int k = 0; k < 48; ++k) {
      BodyGoal goal = script.goal(k / 48.0);
      cast.disturb(k / 48.0, goal);
      for (FootGoal& foot : goal.feet) foot.active = foot.planted;
      stretch = std::max(stretch, poser.stretch(goal));
    }
    Trouble found;
    if (stretch < kMostStretch) found = trouble(cast, script.goal);
    const bool misses = found.miss > 5e-4 * leg, sinks = found.depth > 0.003 * poser.height();
    if ((stretch < kMostStretch && !misses && !sinks) || attempt == kAttempts) break;
    if (attempt > kPatience) {
      // Hardly room to move: whatever else moves the hips moves them less.
      for (double* part : {&gait.bend_yaw, &gait.roll, &gait.sway, &gait.lean}) *part *= 0.85;
    }
    if (misses) {
      // Legs fold too far: less movement of the body.
      for (double* part : {&gait.bend_pitch, &gait.pitch, &gait.bob, &gait.crouch}) *part *= 0.8;
      excursion *= 0.96;
    } else if (sinks) {
      gait.crouch -= found.depth, lowest = gait.crouch;
    } else if (gait.crouch < lowest) {
      gait.crouch = std::min(lowest, gait.crouch + std::max(0.006, 0.8 * (stretch - kMostStretch)) * leg);
    } else {
      // Neither is the stride alone to blame: the body's own movement stretches legs too.
      excursion *= 0.95;
      for (double* part : {&gait.bend_pitch, &gait.pitch, &gait.bob}) *part *= 0.93;
    }
  }
  return cast.settings.backward ? reversed(std::move(script)) : script;
}

BodyGoal gait_goal(const Cast& cast, const Gait& gait, double stride, double turn, double crouch, double phase) {
  BodyGoal goal = start_goal(cast);
  const auto path = [stride, turn](double at) {
    if (turn == 0) return PathPoint{{0, 0, stride * at}, 0};
    const double yaw = turn * at, radius = stride / turn;
    return PathPoint{{radius * (1 - std::cos(yaw)), 0, radius * std::sin(yaw)}, yaw};
  };
  const PathPoint here = path(phase);
  goal.travel = here.position, goal.heading = here.yaw;
  const double amplitude = std::min(1.3, 0.4 + 0.6 * cast.settings.amplitude);
  const Vec3d sway{gait.sway * cast.poser.leg_length() * wave(phase - gait.sway_phase), 0, 0};
  goal.shift = here.position + (turn == 0 ? sway : turned_by(here.yaw, sway));
  goal.shift.y = gait.bob * amplitude * wave(gait.bob_per_cycle * (phase - gait.bob_phase)) - crouch;
  goal.turn = {here.yaw, gait.roll * wave(phase - gait.roll_phase),
               gait.lean + gait.pitch * amplitude * wave(gait.pitch_per_cycle * (phase - gait.pitch_phase))};
  bend_trunk(cast, goal, gait.bend_yaw * amplitude * wave(phase - gait.bend_yaw_phase), 0,
             gait.bend_pitch * amplitude * wave(phase - gait.bend_pitch_phase));
  steady_head(cast, goal, 0.85);
  turn_neck(cast, goal, 0.5 * turn, gait.neck_pitch + gait.nod * wave(gait.bob_per_cycle * (phase - gait.nod_phase)));
  turn_head(cast, goal, 0.3 * turn,
            -0.6 * gait.neck_pitch - 0.5 * gait.nod * wave(gait.bob_per_cycle * (phase - gait.nod_phase)));
  swing_tail(cast, goal, phase, gait.tail_yaw, gait.tail_pitch, 0.09);
  lift_tail(cast, goal, gait.tail_lift);
  if (gait.arms) gait.arms(cast, goal, phase);

  for (std::size_t l = 0; l < goal.feet.size(); ++l) {
    Vec3d neutral = cast.poser.rest_sole(l);
    neutral.x *= gait.width * (1 + 0.15 * cast.personality.width);
    neutral.z += gait.feet[l].ahead * cast.poser.leg_length();
    SwingShape swing{
        gait.lift * gait.feet[l].lift, gait.toe_curl, gait.wrist_fold, gait.heel_strike, gait.heel_rise, gait.grip};
    goal.feet[l] = foot_on_path(cast.poser, l, phase, gait.feet[l], path, neutral, swing);
  }
  return goal;
}

}  // namespace limber::zoo
