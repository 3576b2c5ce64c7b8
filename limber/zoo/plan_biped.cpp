// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/zoo/body_plan.h"

namespace limber::zoo {
namespace {

/// Lengths in units of about half the body height.
struct Biped {
  double leg, torso, arm, neck, head;
  double hips, shoulders;  // half widths of the skeleton
  double belly, chest;     // radii
  double thigh, shin, upper_arm, hand, foot;
  double arm_slope;  // from the vertical, radians
  double ear, snout;
  double tail;  // 0: none
};

Biped draw(Rng& rng) {
  Biped b;
  const double bulk = rng.uniform(), childish = rng.uniform();
  b.leg = rng.uniform(0.72, 1.05) - 0.12 * childish;
  b.torso = rng.uniform(0.56, 0.74);
  b.arm = b.torso * rng.uniform(1.0, 1.3);
  b.neck = rng.uniform(0.05, 0.12);
  b.head = rng.uniform(0.13, 0.17) + 0.06 * childish;
  b.hips = rng.uniform(0.115, 0.15) + 0.05 * bulk;
  b.belly = rng.uniform(0.14, 0.17) + 0.09 * bulk * rng.uniform();
  b.chest = rng.uniform(0.15, 0.18) + 0.05 * bulk;
  b.shoulders = b.chest + rng.uniform(0.05, 0.1);
  b.thigh = 0.085 + 0.04 * bulk, b.shin = 0.052 + 0.022 * bulk;
  b.upper_arm = 0.058 + 0.02 * bulk;
  b.hand = rng.uniform(0.06, 0.085);
  b.foot = b.shin * rng.uniform(1.1, 1.35);
  b.arm_slope = rng.uniform(0.45, 0.8);
  b.ear = rng.chance(0.5) ? b.head * rng.uniform(0.35, 1.1) : 0;
  b.snout = b.head * rng.uniform(0.1, 0.6);
  b.tail = rng.chance(0.35) ? rng.uniform(0.3, 0.7) : 0;
  return b;
}

struct Torso {
  int root, chest, head, head_limb;
};

Torso build_torso(const Biped& b, BodyPlan& plan) {
  Torso t{};
  const int trunk = plan.limb({}, 0, 1, 0.05);
  const double bottom = b.leg + 0.04, top = bottom + b.torso;
  const Vec3d deep{1.15, 1, 0.82};
  t.root = plan.joint("hips", -1, {0, bottom, 0}, JointAxes::kTrunk, {6.3, 1.4, 1.6});
  const int spine1 = plan.joint("spine.1", t.root, {0, bottom + 0.25 * b.torso, 0}, JointAxes::kTrunk, {0.6, 0.5, 0.8});
  const int spine2 =
      plan.joint("spine.2", spine1, {0, bottom + 0.5 * b.torso, -0.005}, JointAxes::kTrunk, {0.6, 0.5, 0.8});
  t.chest = plan.joint("chest", spine2, {0, bottom + 0.74 * b.torso, 0}, JointAxes::kTrunk, {0.6, 0.5, 0.8});
  plan.flesh(t.root, trunk, plan.at(t.root) + Vec3d{0, -0.01, 0}, b.hips + 0.045, plan.at(spine1), b.belly, deep);
  plan.flesh(spine1, trunk, plan.at(spine1), b.belly, plan.at(spine2), 0.97 * std::max(b.belly, 0.9 * b.chest), deep);
  plan.flesh(spine2, trunk, plan.at(spine2), 0.97 * std::max(b.belly, 0.9 * b.chest), plan.at(t.chest), b.chest, deep);
  plan.flesh(t.chest, trunk, plan.at(t.chest), b.chest, {0, top - 0.6 * b.chest, -0.01}, 0.85 * b.chest, deep);
  const int neck = plan.joint("neck.1", t.chest, {0, top, 0}, JointAxes::kTrunk, {0.9, 0.5, 0.8});
  plan.belongs(neck, rig::LimbKind::kNeck, 1);
  const Vec3d head_at{0, top + b.neck, 0.02};
  plan.flesh(neck, trunk, plan.at(neck) + Vec3d{0, -0.05, 0}, 0.45 * b.head + 0.03, head_at, 0.45 * b.head + 0.02);
  t.head = plan.joint("head", neck, head_at, JointAxes::kTrunk, {1.0, 0.6, 0.9});
  plan.belongs(t.head, rig::LimbKind::kHead, 1);
  t.head_limb = plan.limb(head_at, 0.06, 2.5 * b.head, 0.25 * b.head);
  return t;
}

void build_head(const Biped& b, const Torso& t, BodyPlan& plan) {
  const Vec3d centre = plan.at(t.head) + Vec3d{0, 0.85 * b.head, 0.03};
  plan.flesh(t.head, t.head_limb, centre + Vec3d{0, 0.12 * b.head, -0.05 * b.head}, b.head,
             centre + Vec3d{0, -0.3 * b.head, 0.15 * b.head}, 0.8 * b.head);
  plan.flesh(t.head, t.head_limb, centre + Vec3d{0, -0.2 * b.head, 0.7 * b.head}, 0.3 * b.head,
             centre + Vec3d{0, -0.25 * b.head, 0.8 * b.head + b.snout}, 0.24 * b.head);
  for (const int side : {1, -1}) {
    plan.eye(t.head, t.head_limb, centre + b.head * Vec3d{0.4 * side, 0.2, 0.86}, 0.17 * b.head);
    if (b.ear == 0) continue;
    const Vec3d base = centre + b.head * Vec3d{0.8 * side, 0.45, -0.1};
    const int ear = plan.limb(base, 0.15 * b.head, 0.8 * b.head, 0.05);
    plan.flesh(t.head, ear, base, 0.3 * b.head, base + b.ear * Vec3d{0.55 * side, 0.8, 0}, 0.2 * b.head, {1, 1, 0.7});
  }
}

LegShape leg_shape(const Biped& b) {
  LegShape leg;
  leg.kind = LegKind::kPlantigrade, leg.name = "leg", leg.joint_names = {"hip", "knee", "ankle", "toe"};
  leg.hip = {b.hips, b.leg, 0};
  leg.knee = {b.hips + 0.012, 0.53 * b.leg, 0.035};
  leg.ankle = {b.hips, 0.05 + 1.1 * b.foot, -0.02};
  leg.toe = {b.hips + 0.015, 0.8 * b.foot, 0.15};
  leg.thigh = b.thigh + 0.015, leg.calf = 1.25 * b.shin, leg.shin = b.shin;
  leg.foot = b.foot, leg.foot_length = 0.5 * b.foot + 0.03, leg.heel = 0.015;
  leg.blend = 0.07;
  return leg;
}

void build_arm(const Biped& b, const Torso& t, int side, BodyPlan& plan) {
  const double s = side, top = plan.at(t.chest).y + 0.16 * b.torso;
  const Vec3d along{s * std::sin(b.arm_slope), -std::cos(b.arm_slope), 0};
  const Vec3d shoulder{s * b.shoulders, top, -0.01};
  const Vec3d elbow = shoulder + 0.46 * b.arm * along + Vec3d{0, 0, -0.015};
  const Vec3d wrist = elbow + 0.42 * b.arm * along + Vec3d{0, 0, 0.03};
  // The second axis lies along the arm: twist has the smallest range.
  const Quatd axes = axis_angle(Vec3d{0, 0, 1}, s * b.arm_slope);
  const int j_shoulder =
      plan.joint(sided("shoulder", side), t.chest, shoulder, axes, {-2.9, -0.9, -2.4}, {1.2, 0.9, 2.4});
  plan.belongs(j_shoulder, rig::LimbKind::kArm, 1);
  const int j_elbow = plan.joint(sided("elbow", side), j_shoulder, elbow, axes, {-2.5, -0.8, -0.3}, {0.05, 0.8, 0.3});
  const int j_wrist = plan.joint(sided("wrist", side), j_elbow, wrist, axes, {-1.2, -0.6, -0.9}, {1.2, 0.6, 0.9});
  const int limb = plan.limb(shoulder, 0.07, 0.3, 0.02);
  plan.flesh(j_shoulder, limb, shoulder, 1.2 * b.upper_arm, elbow, 0.9 * b.upper_arm);
  plan.flesh(j_elbow, limb, elbow, 0.9 * b.upper_arm, wrist, 0.72 * b.upper_arm);
  plan.flesh(j_wrist, limb, wrist, 0.75 * b.upper_arm, wrist + 1.2 * b.hand * along, b.hand, {0.8, 1, 1});
}

void build_tail(const Biped& b, const Torso& t, BodyPlan& plan) {
  Vec3d point = plan.at(t.root) + Vec3d{0, 0.0, -0.7 * (b.hips + 0.03)};
  const int limb = plan.limb(point, 0.06, 0.2, 0.02);
  int parent = t.root;
  for (int i = 0; i < 3; ++i) {
    const double slope = 0.5 - 0.55 * i;
    const Vec3d next = point + (b.tail / 3) * Vec3d{0, -std::sin(slope), -std::cos(slope)};
    parent = plan.joint(numbered("tail", i + 1), parent, point, JointAxes::kTrunk, {0.9, 0.5, 1.0});
    plan.belongs(parent, rig::LimbKind::kTail);
    plan.flesh(parent, limb, point, 0.05 - 0.006 * i, next, 0.044 - 0.006 * i);
    point = next;
  }
}

}  // namespace

BodyPlan plan_biped(Rng rng) {
  const Biped b = draw(rng);
  BodyPlan plan;
  plan.coat = draw_coat(rng);
  const Torso torso = build_torso(b, plan);
  build_head(b, torso, plan);
  for (const int side : {1, -1}) build_arm(b, torso, side, plan);
  for (const int side : {1, -1}) add_leg(plan, torso.root, leg_shape(b), side);
  if (b.tail > 0) build_tail(b, torso, plan);
  return plan;
}

}  // namespace limber::zoo
