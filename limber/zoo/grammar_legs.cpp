// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/zoo/grammar.h"

namespace limber::zoo {
namespace {

/// What all legs of a body have in common.
struct LegStyleShape {
  double shin, foot, hock, crouch, spread, knee_height, reach, fan;
};

LegStyleShape draw_legs(GrammarBody& body) {
  Rng& rng = body.rng;
  LegStyleShape shape{};
  const double bulk = rng.uniform();
  shape.shin = (0.036 + 0.04 * bulk * bulk) * (0.8 + 0.4 * std::min(1.0, body.ride));
  if (body.spec.leg_pairs == 1) shape.shin = body.upright() ? 0.05 + 0.022 * bulk : rng.uniform(0.036, 0.06);
  if (body.spec.leg_pairs > 3) shape.shin *= 0.8;
  const bool hoof = body.spec.feet == FootStyle::kHoof;
  shape.foot = shape.shin * (hoof ? rng.uniform(1.0, 1.2) : rng.uniform(1.15, 1.5));
  shape.hock = body.spec.leg_style == LegStyle::kUnguligrade ? rng.uniform(0.34, 0.42) : rng.uniform(0.2, 0.33);
  shape.crouch = body.spec.leg_style == LegStyle::kUnguligrade ? rng.uniform(0.4, 0.8) : rng.uniform(0.6, 1.1);
  shape.spread = rng.uniform(0.9, 1.15);
  shape.knee_height = rng.uniform(0.25, 0.55);
  shape.reach = rng.uniform(0.85, 1.3);
  shape.fan = (body.spec.leg_pairs > 3 ? 1.9 : 1.4) * rng.uniform(0.88, 1.1);
  return shape;
}

std::string leg_name(const GrammarBody& body, int pair) {
  return body.spec.leg_pairs == 1 ? "leg" : numbered("leg", pair + 1);
}

int claw_count(FootStyle feet) { return feet == FootStyle::kClaw ? 3 : feet == FootStyle::kToes ? 4 : 0; }

/// A leg that stands under the body: places for its kind in the order of pairs, the foremost first.
LegShape standing_leg(const GrammarBody& body, const LegStyleShape& style, const Station& place, int pair) {
  const BodySpec& spec = body.spec;
  const double sole = 1.05 * style.foot,
               top = body.ride + (place.centre.y - body.at(0).centre.y) * (body.upright() ? 0 : 1);
  const double x = std::max(0.62 * style.spread * place.half_width, 1.45 * style.foot + 0.015), z = place.centre.z;
  if (spec.leg_pairs == 1 && spec.leg_style != LegStyle::kPlantigrade) {
    return raptor_leg({x, top, z}, top, 0.5 * body.girth, style.shin, 1.05 * style.shin, claw_count(spec.feet));
  }
  LegShape leg;
  leg.shin = 0.95 * style.shin, leg.foot = style.foot;
  leg.foot_length = (spec.feet == FootStyle::kHoof ? 0.5 : 1.2) * style.foot;
  leg.claws = claw_count(spec.feet), leg.blend = 0.45 * body.girth;
  if (leg.claws > 0) leg.foot *= 0.75, leg.foot_length = 2.4 * style.foot;
  const bool last = pair + 1 == spec.leg_pairs;
  if (spec.leg_style == LegStyle::kPlantigrade && last) {
    leg.kind = LegKind::kPlantigrade;
    leg.hip = {x, top, z};
    leg.knee = {x + 0.012, 0.53 * top, z + 0.045 * top};
    leg.ankle = {x, 0.05 * std::min(1.0, top) + 1.1 * leg.foot, z - 0.02};
    leg.toe = {x + 0.015, 0.8 * leg.foot, z + 0.17 * std::min(1.0, top)};
    leg.thigh = std::min(0.62 * body.girth, 0.1) + 0.015, leg.calf = 1.25 * style.shin, leg.heel = 0.015;
    return leg;
  }
  if (pair == 0 && spec.leg_pairs > 1) {
    const double wrist = spec.leg_style == LegStyle::kUnguligrade   ? 0.36
                         : spec.leg_style == LegStyle::kPlantigrade ? 0.14
                                                                    : 0.22;
    leg.kind = LegKind::kForeleg;
    leg.hip = {0.85 * x, 0.98 * top, z};
    leg.knee = {1.05 * x, (0.58 + 0.2 * (wrist - 0.22)) * top, z - 0.11 * style.crouch * top - 0.01};
    leg.ankle = {x, wrist * top + 0.4 * sole, leg.knee.z + 0.06 * style.crouch * top};
    leg.toe = {x, 0.8 * leg.foot, leg.ankle.z + 0.02};
    leg.thigh = std::max(0.45 * body.girth, 1.4 * style.shin), leg.calf = std::max(1.2 * style.shin, 0.55 * leg.thigh);
    return leg;
  }
  leg.kind = LegKind::kDigitigrade;
  leg.hip = {0.9 * x, top, z};
  leg.knee = {1.12 * x, 0.56 * top, z + 0.14 * style.crouch * top + 0.02};
  leg.ankle = {x, style.hock * top + 0.4 * sole, z - 0.13 * style.crouch * top};
  leg.toe = {x, 0.8 * leg.foot, leg.ankle.z + 0.1 * style.hock * top + 0.02};
  leg.thigh = std::max(0.52 * body.girth, 1.5 * style.shin), leg.calf = std::max(1.25 * style.shin, 0.5 * leg.thigh);
  return leg;
}

void build_standing_pair(GrammarBody& body, const LegStyleShape& style, const Station& place, int pair) {
  LegShape leg = standing_leg(body, style, place, pair);
  // Many pairs stand close: thighs must not meet.
  const double room = 0.9 * body.length / std::max(1, body.spec.leg_pairs - 1);
  if (body.spec.leg_pairs > 2) leg.thigh = std::min(leg.thigh, 0.28 * room), leg.calf = std::min(leg.calf, 0.22 * room);
  const std::string name = leg_name(body, pair), stem = body.spec.leg_pairs == 1 ? "" : name + ".";
  const std::array<std::string, 4> joints = {stem + "hip", stem + "knee", stem + "ankle", stem + "toe"};
  leg.name = name;
  for (std::size_t k = 0; k < 4; ++k) leg.joint_names[k] = joints[k];
  leg.pair = pair, leg.station = place.at;
  for (const int side : {1, -1}) add_leg(body.plan, place.joint, leg, side);
}

void build_sprawling_pair(GrammarBody& body, const LegStyleShape& style, const Station& place, int pair) {
  SprawlingLegShape leg;
  const double reach = (0.6 * body.ride + 0.12) * style.reach, front = place.at > 0.5 ? 1 : -1;
  leg.name = leg_name(body, pair), leg.pair = pair, leg.station = place.at;
  leg.thigh = 0.055 + 0.2 * body.girth, leg.shin = 1.1 * style.shin, leg.foot = 0.95 * style.foot;
  leg.foot_length = 1.6 * style.foot, leg.claws = claw_count(body.spec.feet), leg.blend = 0.3 * body.girth;
  if (leg.claws > 0) leg.foot *= 0.8, leg.foot_length *= 1.3;
  leg.hip = {0.72 * place.half_width, place.centre.y - 0.15 * place.radius, place.centre.z};
  leg.knee = leg.hip + Vec3d{0.55 * reach, (0.02 + 0.2 * style.knee_height) * body.ride, -0.22 * front * reach};
  leg.ankle = {leg.hip.x + 0.85 * reach, 1.35 * leg.foot + 0.1 * body.ride, leg.hip.z + 0.1 * front * reach};
  // Thick feet raise the ankles of a low body: knees stay above them, for a leg that is straight at rest cannot step.
  leg.knee.y = std::max(leg.knee.y, leg.ankle.y + 0.3 * reach);
  leg.toe = {leg.hip.x + 0.95 * reach, 0.8 * leg.foot, leg.ankle.z + 0.06 + 0.5 * leg.foot};
  for (const int side : {1, -1}) add_sprawling_leg(body.plan, place.joint, leg, side);
}

/// Which way a leg of a fan points: sideways in the middle, ahead in front.
Vec3d fan_direction(const GrammarBody& body, double fan, int pair) {
  const int count = body.spec.leg_pairs;
  const double place = count > 1 ? 1 - 2.0 * pair / (count - 1) : 0;
  return {std::cos(0.5 * fan * place), 0, std::sin(0.5 * fan * place)};
}

void build_point_pair(GrammarBody& body, const LegStyleShape& style, const Station& place, int pair) {
  const int count = body.spec.leg_pairs;
  const double middle = count > 1 ? 1 - 2.0 * pair / (count - 1) : 0;  // 1: foremost
  const bool fan = body.thorax || body.upright();
  const Vec3d left = fan_direction(body, fan ? style.fan : 0.3, pair);
  const double reach = fan ? style.reach * (0.82 + 0.18 * std::abs(middle)) * (0.6 + 0.75 * body.ride)
                           : body.ride * (0.7 + 0.6 * style.reach);
  for (const int side : {1, -1}) {
    PointLegShape leg;
    leg.name = numbered("leg", pair + 1), leg.pair = pair, leg.station = place.at;
    leg.girth = fan ? 0.05 + 0.02 * style.knee_height : 0.3 * body.girth;
    if (count > 4 && fan) leg.girth *= 0.8;
    leg.out = {side * left.x, 0, left.z};
    const double z = body.thorax ? 0.34 * middle : place.centre.z;
    leg.hip = {side * 0.75 * place.half_width, place.centre.y - 0.3 * place.radius, z};
    leg.tip = {leg.hip.x + reach * leg.out.x, 0, leg.hip.z + reach * leg.out.z};
    leg.knee = leg.hip + 0.42 * reach * leg.out + Vec3d{0, (fan ? 1.0 : 0.5 * body.ride) * style.knee_height, 0};
    leg.ankle = lerp(leg.knee, leg.tip, 0.62) + 0.1 * reach * leg.out;
    add_point_leg(body.plan, place.joint, leg, side);
  }
}

void build_chain_pair(GrammarBody& body, const LegStyleShape& style, const Station& place, int pair) {
  ChainLegShape leg;
  const int joints = body.spec.leg_joints;
  leg.name = body.spec.leg_pairs == 1 ? "leg" : numbered("leg", pair + 1);
  leg.pair = pair, leg.station = place.at, leg.girth = 1.15 * style.shin;
  leg.out = fan_direction(body, 0.6 * style.fan, pair);
  const double reach = (body.spec.leg_pairs == 1 ? 0.22 : 0.45) * style.reach * body.ride;
  const Vec3d hip{0.72 * place.half_width, place.centre.y - 0.3 * place.radius, place.centre.z};
  const Vec3d sole{hip.x + reach * leg.out.x, 0, hip.z + reach * leg.out.z};
  // A bow outwards and up, with a slight zigzag.
  for (int k = 0; k <= joints; ++k) {
    const double t = static_cast<double>(k) / joints, bow = std::sin(kPi * std::pow(t, 0.8));
    const double zigzag = k == 0 || k == joints ? 0 : (k % 2 == 0 ? -0.05 : 0.05);
    leg.points.push_back(lerp(hip, sole, t) + body.ride * ((0.28 * bow + zigzag) * leg.out + Vec3d{0, 0.12 * bow, 0}));
  }
  for (const int side : {1, -1}) add_chain_leg(body.plan, place.joint, leg, side);
}

}  // namespace

void build_legs(GrammarBody& body) {
  const int pairs = body.spec.leg_pairs;
  if (pairs == 0) return;
  const LegStyleShape style = draw_legs(body);
  for (int pair = 0; pair < pairs; ++pair) {
    const double from_front = pairs > 1 ? static_cast<double>(pair) / (pairs - 1) : 1;
    const double s = body.thorax ? 0.9 - 0.8 * from_front : body.level_end * (0.94 - 0.9 * from_front);
    const Station place = body.at(pairs == 1 ? (body.upright() ? 0 : 0.08) : std::max(0.0, s));
    switch (body.spec.leg_style) {
      case LegStyle::kSprawling:
        build_sprawling_pair(body, style, place, pair);
        break;
      case LegStyle::kInsect:
        build_point_pair(body, style, place, pair);
        break;
      case LegStyle::kChain:
        build_chain_pair(body, style, place, pair);
        break;
      default:
        build_standing_pair(body, style, place, pair);
    }
  }
}

}  // namespace limber::zoo
