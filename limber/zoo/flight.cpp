// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/zoo/script.h"

/// Everything on wings: any number of pairs, with any legs.
namespace limber::zoo {
namespace {

/// Insects beat their wings quickly and hardly travel; their bodies hang below.
bool hovers(const Cast& cast) { return cast.poser.map().crawls; }

/// Legs trail under the tail; forelegs are folded to the chest, legs that stand sideways drawn in.
void tuck_legs(const Cast& cast, BodyGoal& goal) {
  const Poser& poser = cast.poser;
  const auto add = [&](const Leg& leg, std::size_t k, double swing) {
    if (k < leg.joints.size()) add_angle(goal, leg.joints[k], {swing, 0, 0});
  };
  for (std::size_t l = 0; l < goal.feet.size(); ++l) {
    const Leg& leg = poser.creature().legs[l];
    switch (leg.kind) {
      case LegKind::kForeleg:
        add(leg, 0, 0.5), add(leg, 1, -1.3), add(leg, 2, 1.0), add(leg, 3, 0.4);
        break;
      case LegKind::kPlantigrade:
        add(leg, 0, 0.25), add(leg, 1, 0.35), add(leg, 2, 0.7), add(leg, 3, 0.2);
        break;
      case LegKind::kDigitigrade:
        add(leg, 0, 0.55), add(leg, 1, 0.75), add(leg, 2, -0.35), add(leg, 3, 1.1);
        break;
      default: {
        // Where the foot is, seen from the body: drawn in to the hip, and back.
        const Vec3d hip = poser.rest(leg.joints[0]), down = poser.rest_sole(l) - hip;
        FootGoal& foot = goal.feet[l];
        foot.active = true;
        const Vec3d tucked = hip + Vec3d{0.6 * down.x, 0.4 * down.y, 0.6 * down.z - 0.25 * poser.leg_length()};
        foot.sole = poser.in_world(goal, tucked), foot.pitch = 0.6;
      }
    }
  }
}

/// Level body, neck stretched: the frame of all flight.
BodyGoal airborne(const Cast& cast, double altitude) {
  const Poser& poser = cast.poser;
  BodyGoal goal = poser.rest_goal();
  const Vec3d body = poser.map().chest >= 0 ? poser.rest(poser.map().chest) - poser.rest(0) : Vec3d{0, 0, 1};
  const double tilt = std::atan2(body.y, body.z);
  goal.shift.y = altitude;
  goal.turn.z = hovers(cast) ? -0.25 : std::min(tilt - 0.08, 1.2);
  turn_neck(cast, goal, 0, 0.45 - 0.25 * cast.personality.posture);
  turn_head(cast, goal, 0, -0.45 - tilt + 0.25 * cast.personality.posture);
  lift_tail(cast, goal, -0.15 + 0.2 * cast.personality.tail);
  for (const Chain& wing : poser.map().wings) {
    // Wings that rest folded are opened first.
    const double folded = 1 - wing_spread(poser, wing);
    pose_wing(goal, wing, {-folded * Vec3d{0, 0, 1.5}, -folded * Vec3d{0, 0, 0.3}, -folded * Vec3d{0, 0, 0.2}});
  }
  for (const Chain& arm : poser.map().arms) {
    add_limb_angle(goal, arm, 0, {0.3, 0, -0.2});
    add_limb_angle(goal, arm, 1, {-0.5, 0, 0});
  }
  return goal;
}

/// The hind pair of four wings is a quarter of a beat ahead, as a dragonfly's is.
double beat_of(const Cast& cast, const Chain& wing, double phase) {
  double foremost = wing.station;
  for (const Chain& other : cast.poser.map().wings) foremost = std::max(foremost, other.station);
  return wing.station < foremost - 1e-6 ? phase + 0.25 : phase;
}

BodyGoal flap_goal(const Cast& cast, double altitude, double stride, double phase) {
  BodyGoal goal = airborne(cast, altitude);
  const double size = 0.7 + 0.3 * cast.settings.amplitude, lively = 1 + 0.25 * cast.personality.bounce;
  // Top of the stroke at 0, bottom at 0.5; the body answers by rising through the downstroke.
  goal.travel = {0, 0, stride * phase};
  goal.shift += goal.travel + Vec3d{0, 0.035 * lively * wave(phase - 0.55), 0};
  goal.turn.z += 0.05 * wave(phase - 0.8);
  turn_head(cast, goal, 0, -0.05 * wave(phase - 0.8));
  for (const Chain& wing : cast.poser.map().wings) {
    const double beat = beat_of(cast, wing, phase), upstroke = 0.5 + 0.5 * wave(beat - 0.75);
    pose_wing(goal, wing,
              {{0.08 + 0.6 * size * lively * wave(beat), 0.22 * wave(beat - 0.25), 0.12 * upstroke},
               {0.3 * size * wave(beat - 0.14) - 0.05, 0.1 * wave(beat - 0.3), 0.45 * upstroke - 0.1},
               {0.3 * size * wave(beat - 0.24) - 0.05, 0.1 * wave(beat - 0.35), 0.5 * upstroke - 0.1}});
  }
  swing_tail(cast, goal, phase, 0, 0.05, 0.1);
  tuck_legs(cast, goal);
  return goal;
}

/// The wings sweep fore and aft, turning over at both ends.
BodyGoal hover_goal(const Cast& cast, double altitude, double stride, double phase) {
  BodyGoal goal = airborne(cast, altitude);
  const double size = 0.7 + 0.3 * cast.settings.amplitude;
  goal.travel = {0, 0, stride * phase};
  goal.shift += goal.travel + Vec3d{0, 0.01 * wave(phase - 0.3), 0};
  for (const Chain& wing : cast.poser.map().wings) {
    const double beat = beat_of(cast, wing, phase);
    pose_wing(goal, wing,
              {{0.25 + 0.45 * size * wave(beat), 0.4 * wave(beat - 0.25), 0.3 * size * wave(beat - 0.1)},
               {0.1 * wave(beat - 0.15), 0, 0},
               {0.15 * wave(beat - 0.2), 0, 0}});
  }
  for (const Chain& feeler : cast.poser.map().feelers) add_limb_angle(goal, feeler, 0, {0.05 * wave(phase), 0, 0});
  tuck_legs(cast, goal);
  return goal;
}

BodyGoal glide_goal(const Cast& cast, double altitude, double stride, double phase) {
  BodyGoal goal = airborne(cast, altitude);
  const double sway = 0.14 * (1 + 0.5 * cast.personality.sway) * cast.settings.amplitude;
  goal.travel = {0, 0, stride * phase};
  goal.shift += goal.travel + Vec3d{0.05 * sway * wave(phase - 0.1), 0.012 * wave(phase), 0};
  goal.turn += Vec3d{-0.2 * sway * wave(phase - 0.35), sway * wave(phase - 0.35), 0.03 * wave(phase - 0.2)};
  for (const int head : cast.poser.map().heads) add_angle(goal, head, {0, -0.8 * sway * wave(phase - 0.35), 0});
  for (const Chain& wing : cast.poser.map().wings) {
    const double trim = 0.06 * wing.side * wave(phase - 0.25) + 0.025 * wave(2 * phase);
    pose_wing(goal, wing, {{0.16 + trim, -0.03, 0.05}, {0.02 + 0.5 * trim, 0, 0.1}, {0.1 + 0.5 * trim, 0, 0.12}});
  }
  for (const Chain& tail : cast.poser.map().tails) {
    for (const int joint : tail.joints) add_angle(goal, joint, {0, 0.5 * sway * wave(phase - 0.3), 0});
  }
  tuck_legs(cast, goal);
  return goal;
}

}  // namespace

Script flight_script(const Cast& cast) {
  const bool glide = cast.settings.action == Action::kGlide, hover = !glide && hovers(cast);
  const auto pose = glide ? glide_goal : hover ? hover_goal : flap_goal;
  Script script;
  script.cyclic = true;
  script.seconds = (glide ? 2.4 : hover ? 0.24 : 0.55) * tempo(cast);
  script.stride = (glide ? 1.6 : hover ? 0.08 : 0.55) * cast.settings.amplitude;
  // Banks into a turn.
  const double altitude = 0.6, stride = script.stride, bank = -0.6 * cast.settings.turning;
  script.goal = [&cast, pose, altitude, stride, bank](double phase) {
    BodyGoal goal = pose(cast, altitude, stride, phase);
    goal.turn.y += bank;
    return goal;
  };
  return on_arc(cast, std::move(script), cast.settings.turning);
}

}  // namespace limber::zoo
