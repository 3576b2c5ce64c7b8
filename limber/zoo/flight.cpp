// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "limber/zoo/script.h"

namespace limber::zoo {
namespace {

/// Level body, neck stretched, legs tucked under the tail: the frame of all flight.
BodyGoal airborne(const Cast& cast, double altitude) {
  const Poser& poser = cast.poser;
  BodyGoal goal = poser.rest_goal();
  const Vec3d body = poser.rest(poser.map().chest) - poser.rest(0);
  const double tilt = std::atan2(body.y, body.z);
  goal.shift.y = altitude;
  goal.turn.z = tilt - 0.08;
  turn_neck(cast, goal, 0, 0.45 - 0.25 * cast.personality.posture);
  turn_head(cast, goal, 0, -0.45 - tilt + 0.25 * cast.personality.posture);
  lift_tail(cast, goal, -0.15 + 0.2 * cast.personality.tail);
  for (const int side : {1, -1}) {
    add_limb_angle(cast, goal, "hip", side, {0.55, 0, 0});
    add_limb_angle(cast, goal, "knee", side, {0.75, 0, 0});
    add_limb_angle(cast, goal, "ankle", side, {-0.35, 0, 0});
    add_limb_angle(cast, goal, "toe", side, {1.1, 0, 0});
  }
  return goal;
}

BodyGoal flap_goal(const Cast& cast, double altitude, double stride, double phase) {
  BodyGoal goal = airborne(cast, altitude);
  const double size = 0.7 + 0.3 * cast.settings.amplitude, lively = 1 + 0.25 * cast.personality.bounce;
  // Top of the stroke at 0, bottom at 0.5; the body answers by rising through the downstroke.
  goal.travel = {0, 0, stride * phase};
  goal.shift += goal.travel + Vec3d{0, 0.035 * lively * wave(phase - 0.55), 0};
  goal.turn.z += 0.05 * wave(phase - 0.8);
  turn_head(cast, goal, 0, -0.05 * wave(phase - 0.8));
  const double upstroke = 0.5 + 0.5 * wave(phase - 0.75);
  for (const int side : {1, -1}) {
    add_wing_angle(cast, goal, "wing.1", side,
                   {0.08 + 0.6 * size * lively * wave(phase), 0.22 * wave(phase - 0.25), 0.12 * upstroke});
    add_wing_angle(cast, goal, "wing.2", side,
                   {0.3 * size * wave(phase - 0.14) - 0.05, 0.1 * wave(phase - 0.3), 0.45 * upstroke - 0.1});
    add_wing_angle(cast, goal, "wing.3", side,
                   {0.3 * size * wave(phase - 0.24) - 0.05, 0.1 * wave(phase - 0.35), 0.5 * upstroke - 0.1});
  }
  swing_tail(cast, goal, phase, 0, 0.05, 0.1);
  return goal;
}

BodyGoal glide_goal(const Cast& cast, double altitude, double stride, double phase) {
  BodyGoal goal = airborne(cast, altitude);
  const double sway = 0.14 * (1 + 0.5 * cast.personality.sway) * cast.settings.amplitude;
  goal.travel = {0, 0, stride * phase};
  goal.shift += goal.travel + Vec3d{0.05 * sway * wave(phase - 0.1), 0.012 * wave(phase), 0};
  goal.turn += Vec3d{-0.2 * sway * wave(phase - 0.35), sway * wave(phase - 0.35), 0.03 * wave(phase - 0.2)};
  add_angle(goal, cast.poser.map().head, {0, -0.8 * sway * wave(phase - 0.35), 0});
  for (const int side : {1, -1}) {
    const double trim = 0.06 * side * wave(phase - 0.25) + 0.025 * wave(2 * phase);
    add_wing_angle(cast, goal, "wing.1", side, {0.16 + trim, -0.03, 0.05});
    add_wing_angle(cast, goal, "wing.2", side, {0.02 + 0.5 * trim, 0, 0.1});
    add_wing_angle(cast, goal, "wing.3", side, {0.1 + 0.5 * trim, 0, 0.12});
  }
  for (const int joint : cast.poser.map().tail) add_angle(goal, joint, {0, 0.5 * sway * wave(phase - 0.3), 0});
  return goal;
}

}  // namespace

Script flight_script(const Cast& cast) {
  const bool glide = cast.settings.action == Action::kGlide;
  Script script;
  script.cyclic = true;
  const double rhythm = 1 - 0.15 * cast.personality.rhythm;
  script.seconds = (glide ? 2.4 : 0.55) * rhythm / cast.settings.speed;
  script.stride = (glide ? 1.6 : 0.55) * cast.settings.amplitude;
  const double altitude = 0.6, stride = script.stride;
  script.goal = [&cast, glide, altitude, stride](double phase) {
    return glide ? glide_goal(cast, altitude, stride, phase) : flap_goal(cast, altitude, stride, phase);
  };
  return script;
}

}  // namespace limber::zoo
