// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/zoo/limbs.h"

namespace limber::zoo {
namespace {

/// Lengths in units of the trunk, hip to shoulder.
struct Quadruped {
  double leg;       // ground to shoulder
  double girth;     // radius of the rib cage
  double slimness;  // width / depth of the trunk
  double waist, rump;
  double neck, neck_slope, neck_girth;  // slope: radians above the horizon
  double head, snout, snout_girth;
  double ear, ear_spread, ear_width;
  double tail, tail_girth, tail_slope;  // slope at the root, radians below the horizon
  double shin;                          // radius of the lower leg
  double hock;                          // height of the ankle, of the leg
  double crouch;                        // how much knees and elbows bend at rest
  double paw;
  bool horns;
};

Quadruped draw(Rng& rng) {
  Quadruped q;
  q.leg = std::exp(rng.uniform(std::log(0.42), std::log(1.15)));
  const double tallness = (q.leg - 0.42) / 0.73;
  const double bulk = rng.uniform();
  q.girth = 0.155 + 0.075 * bulk;
  q.slimness = rng.uniform(0.72, 0.95);
  q.waist = rng.uniform(0.72, 1.0);
  q.rump = rng.uniform(0.82, 0.98);
  q.neck = std::max(rng.uniform(0.16, 0.34), q.leg * rng.uniform(0.42, 0.78));
  q.neck_slope = rng.uniform(0.35, 0.75) + 0.45 * tallness;
  q.neck_girth = q.girth * rng.uniform(0.42, 0.62);
  q.head = rng.uniform(0.115, 0.165) * (1 - 0.2 * tallness) + 0.12 * (q.girth - 0.155);
  q.snout = q.head * rng.uniform(0.7, 1.9);
  q.snout_girth = rng.uniform(0.42, 0.68);
  q.ear = q.head * rng.uniform(0.5, 1.5);
  q.ear_spread = rng.uniform(0.15, 1.0);
  q.ear_width = rng.uniform(0.28, 0.5);
  q.tail = rng.uniform(0.12, 0.75);
  q.tail_girth = rng.uniform(0.035, 0.075);
  q.tail_slope = rng.uniform(-0.7, 0.9);
  q.shin = (0.036 + 0.05 * bulk * bulk) * (0.8 + 0.4 * std::min(1.0, q.leg));
  q.hock = rng.uniform(0.2, 0.34);
  q.crouch = rng.uniform(0.6, 1.1);
  q.paw = rng.uniform(1.15, 1.5);
  q.horns = rng.chance(0.2);
  return q;
}

struct Trunk {
  int root, chest, head, trunk_limb, head_limb;
};

Trunk build_trunk(const Quadruped& q, BodyPlan& plan) {
  const double line = q.leg + 0.22 * q.girth;  // height of the spine's axis
  const Vec3d width{q.slimness, 1, 1};
  Trunk t{};
  t.trunk_limb = plan.limb({}, 0, 1, 0.2 * q.girth);
  t.root = plan.joint("hips", -1, {0, line, -0.5}, JointAxes::kTrunk, {3.2, 1.2, 1.5});
  const int spine1 = plan.joint("spine.1", t.root, {0, line + 0.02, -0.2}, JointAxes::kTrunk, {0.5, 0.4, 0.7});
  const int spine2 = plan.joint("spine.2", spine1, {0, line + 0.02, 0.1}, JointAxes::kTrunk, {0.5, 0.4, 0.7});
  t.chest = plan.joint("chest", spine2, {0, line, 0.36}, JointAxes::kTrunk, {0.5, 0.4, 0.7});
  plan.flesh(t.root, t.trunk_limb, {0, line - 0.02, -0.54}, q.rump * q.girth, plan.at(spine1), q.waist * q.girth,
             width);
  plan.flesh(spine1, t.trunk_limb, plan.at(spine1), q.waist * q.girth, plan.at(spine2), 0.96 * q.girth, width);
  plan.flesh(spine2, t.trunk_limb, plan.at(spine2), 0.96 * q.girth, plan.at(t.chest), q.girth, width);
  plan.flesh(t.chest, t.trunk_limb, plan.at(t.chest), q.girth, {0, line - 0.1 * q.girth, 0.52}, 0.82 * q.girth, width);

  // Neck: from the upper front of the chest, in two or three pieces that curve up a little.
  const int pieces = q.neck > 0.45 ? 3 : 2;
  ChainShape neck;
  neck.name = "neck", neck.kind = rig::LimbKind::kNeck, neck.station = 1;
  neck.range = {0.7, 0.5, 1.1}, neck.squash = {0.85, 1, 1}, neck.limb = t.trunk_limb;
  neck.points = {{0, line + 0.3 * q.girth, 0.5}};
  neck.radii = {std::min(1.35 * q.neck_girth, 0.75 * q.girth)};
  for (int i = 0; i < pieces; ++i) {
    const double slope = q.neck_slope + 0.25 * (i - 0.5 * (pieces - 1));
    neck.points.push_back(neck.points.back() + (q.neck / pieces) * Vec3d{0, std::sin(slope), std::cos(slope)});
    neck.radii.push_back(i + 1 == pieces ? 0.9 * q.neck_girth : q.neck_girth);
  }
  const int parent = add_chain(plan, t.chest, neck);
  const Vec3d point = neck.points.back();
  t.head = plan.joint("head", parent, point, JointAxes::kTrunk, {0.8, 0.6, 1.3});
  plan.belongs(t.head, rig::LimbKind::kHead, 1);
  t.head_limb = plan.limb(point, 0.5 * q.head, 3 * q.head, 0.3 * q.head);
  return t;
}

void build_head(const Quadruped& q, const Trunk& t, BodyPlan& plan) {
  const Vec3d neck_end = plan.at(t.head);
  const Vec3d skull = neck_end + q.head * Vec3d{0, 0.35, 0.45};
  const Vec3d nose = skull + Vec3d{0, -0.4 * q.head - 0.18 * q.snout, 0.5 * q.head + q.snout};
  const Vec3d muzzle = skull + q.head * Vec3d{0, -0.25, 0.35};
  const double tip = q.snout_girth * q.head;
  plan.flesh(t.head, t.head_limb, neck_end, 0.85 * q.head, skull, q.head, {0.9, 1, 1});
  plan.flesh(t.head, t.head_limb, muzzle, 0.72 * q.head, nose, 0.82 * tip, {0.9, 1, 1});

  // The jaw closes the mouth from below.
  const Vec3d hinge = skull + q.head * Vec3d{0, -0.62, 0.1};
  const Vec3d chin = nose + Vec3d{0, -0.55 * tip, -0.25 * q.head};
  const int jaw = plan.joint("jaw", t.head, hinge, JointAxes::kTrunk, {-0.15, -0.1, -0.1}, {0.15, 0.1, 0.7});
  plan.belongs(jaw, rig::LimbKind::kJaw, 1);
  plan.flesh(jaw, t.head_limb, hinge, 0.4 * q.head, chin, 0.62 * tip, {0.85, 0.8, 1});
  plan.spots.push_back({nose + Vec3d{0, 0.25 * tip, 0.75 * tip}, 0.55 * tip, {0.03, 0.02, 0.02}});

  for (const int side : {1, -1}) {
    const double s = side;
    plan.eye(t.head, t.head_limb, skull + q.head * Vec3d{0.66 * s, 0.22, 0.58}, 0.27 * q.head);
    // Ears: flat leaves that stand up or out.
    const Vec3d base = skull + q.head * Vec3d{0.5 * s, 0.62, -0.25};
    const double lean = 0.35 + q.ear_spread;
    const Vec3d tip_at = base + q.ear * Vec3d{std::sin(lean) * s, std::cos(lean), -0.12};
    const int ear = plan.limb(base, 0.3 * q.head, 1.2 * q.head, 0.1 * q.head);
    const double wide = q.ear_width * q.head;
    plan.flesh(t.head, ear, base, 0.8 * wide, lerp(base, tip_at, 0.45), wide, {1, 1, 0.55});
    plan.flesh(t.head, ear, lerp(base, tip_at, 0.45), wide, tip_at, 0.35 * wide, {1, 1, 0.55});
    if (q.horns) {
      const Vec3d root = skull + q.head * Vec3d{0.3 * s, 0.75, 0.2};
      const Vec3d middle = root + q.head * Vec3d{0.35 * s, 0.7, 0.05};
      const int horn = plan.limb(root, 0.1 * q.head, 0.7 * q.head, 0.05 * q.head);
      plan.flesh(t.head, horn, root, 0.24 * q.head, middle, 0.19 * q.head);
      plan.flesh(t.head, horn, middle, 0.19 * q.head, middle + q.head * Vec3d{0.1 * s, 0.55, -0.2}, 0.1 * q.head);
    }
  }
}

void build_tail(const Quadruped& q, const Trunk& t, BodyPlan& plan) {
  const int pieces = q.tail < 0.3 ? 2 : (q.tail < 0.5 ? 3 : 4);
  ChainShape tail;
  tail.name = "tail", tail.range = {0.9, 0.5, 1.0};
  tail.points = {plan.at(t.root) + Vec3d{0, 0.45 * q.rump * q.girth, -0.04 - 0.72 * q.rump * q.girth}};
  tail.limb = plan.limb(tail.points[0], 0.1, 0.2, 0.02);
  double slope = q.tail_slope;
  for (int i = 0; i <= pieces; ++i) {
    tail.radii.push_back((1 - 0.55 * i / pieces) * q.tail_girth);
    if (i == pieces) break;
    // Hanging tails curve up again towards the tip, and stay off the ground.
    slope = slope * 0.75;
    Vec3d next = tail.points.back() + (q.tail / pieces) * Vec3d{0, -std::sin(slope), -std::cos(slope)};
    next.y = std::max(next.y, 0.25 * q.leg);
    tail.points.push_back(next);
  }
  add_chain(plan, t.root, tail);
}

LegShape common_leg(const Quadruped& q) {
  LegShape leg;
  leg.shin = 0.95 * q.shin;
  leg.foot = 1.1 * q.shin * q.paw, leg.foot_length = 1.3 * q.shin * q.paw;
  leg.blend = 0.45 * q.girth;
  return leg;
}

LegShape hind_leg(const Quadruped& q) {
  LegShape leg = common_leg(q);
  leg.kind = LegKind::kDigitigrade, leg.name = "hindleg", leg.joint_names = {"hip", "knee", "ankle", "toe"};
  leg.pair = 1;
  const double x = 0.62 * q.girth, top = q.leg, sole = 1.05 * q.shin * q.paw;
  leg.hip = {0.9 * x, top, -0.52};
  leg.knee = {1.12 * x, 0.56 * top, leg.hip.z + 0.14 * q.crouch * top + 0.02};
  leg.ankle = {x, q.hock * top + 0.4 * sole, leg.hip.z - 0.13 * q.crouch * top};
  leg.toe = {x, 0.8 * sole, leg.ankle.z + 0.1 * q.hock * top + 0.02};
  leg.thigh = std::max(0.55 * q.girth, 1.5 * q.shin);
  leg.calf = std::max(1.25 * q.shin, 0.5 * leg.thigh);
  return leg;
}

LegShape foreleg(const Quadruped& q) {
  LegShape leg = common_leg(q);
  leg.kind = LegKind::kForeleg, leg.name = "foreleg", leg.joint_names = {"shoulder", "elbow", "wrist", "paw"};
  leg.station = 1;
  const double x = 0.62 * q.girth, top = q.leg, sole = 1.05 * q.shin * q.paw;
  leg.hip = {0.85 * x, 0.98 * top, 0.44};
  leg.knee = {1.05 * x, 0.58 * top, leg.hip.z - 0.11 * q.crouch * top - 0.01};
  leg.ankle = {x, 0.22 * top + 0.4 * sole, leg.knee.z + 0.06 * q.crouch * top};
  leg.toe = {x, 0.8 * sole, leg.ankle.z + 0.02};
  leg.thigh = std::max(0.45 * q.girth, 1.4 * q.shin);
  leg.calf = std::max(1.2 * q.shin, 0.55 * leg.thigh);
  return leg;
}

}  // namespace

BodyPlan plan_quadruped(Rng rng) {
  const Quadruped q = draw(rng);
  BodyPlan plan;
  plan.coat = draw_coat(rng);
  const Trunk trunk = build_trunk(q, plan);
  build_head(q, trunk, plan);
  build_tail(q, trunk, plan);
  for (const int side : {1, -1}) add_leg(plan, trunk.chest, foreleg(q), side);
  for (const int side : {1, -1}) add_leg(plan, trunk.root, hind_leg(q), side);
  return plan;
}

}  // namespace limber::zoo
