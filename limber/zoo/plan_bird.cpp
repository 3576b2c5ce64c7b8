// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/zoo/limbs.h"

/// Birds and theropods: a body balanced over two digitigrade legs.
namespace limber::zoo {
namespace {

// --- Bird: lengths in units of the body ------------------------------------------------------------------------------

struct Bird {
  double leg, girth, tilt, neck, neck_slope, head, beak, beak_girth, hooked;
  double span, chord, tail, tail_width, shin;
};

Bird draw_bird(Rng& rng) {
  Bird b;
  b.leg = std::exp(rng.uniform(std::log(0.38), std::log(1.1)));
  b.girth = rng.uniform(0.2, 0.29);
  b.tilt = rng.uniform(0.15, 0.6);
  b.neck = std::max(rng.uniform(0.12, 0.3), 0.55 * b.leg * rng.uniform(0.4, 1.1));
  b.neck_slope = rng.uniform(0.7, 1.15);
  b.head = rng.uniform(0.12, 0.17);
  b.beak = b.head * rng.uniform(0.9, 2.2);
  b.beak_girth = rng.uniform(0.35, 0.55);
  b.hooked = rng.uniform(0, 0.5);
  b.span = rng.uniform(0.75, 1.15);
  b.chord = rng.uniform(0.32, 0.5);
  b.tail = rng.uniform(0.25, 0.6);
  b.tail_width = rng.uniform(0.1, 0.18);
  b.shin = rng.uniform(0.032, 0.045);
  return b;
}

void build_wing(const Bird& b, int chest, Vec3d shoulder, int side, BodyPlan& plan) {
  const double s = side;
  const std::array<double, 4> out = {0, 0.3 * b.span, 0.62 * b.span, b.span};
  const std::array<double, 4> chord = {0.95 * b.chord, 0.9 * b.chord, 0.75 * b.chord, 0.42 * b.chord};
  const int limb = plan.limb(shoulder, 0.12, 0.45, 0.02);
  int parent = chest;
  Vec3d from = shoulder;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3d to = shoulder + Vec3d{s * out[k + 1], 0, k == 0 ? 0.03 : (k == 1 ? 0.02 : -0.08)};
    parent = plan.joint(sided("wing." + std::to_string(k + 1), side), parent, from, JointAxes::kWing,
                        {-1.5, -0.9, -1.8}, {1.5, 0.9, 1.8});
    plan.belongs(parent, rig::LimbKind::kWing, 1);
    // Flat flesh that reaches back from the leading edge.
    const auto behind = [&](Vec3d p, double c) { return p + Vec3d{0, 0, -0.32 * c}; };
    plan.flesh(parent, limb, behind(from, chord[k]), 0.5 * chord[k], behind(to, chord[k + 1]), 0.5 * chord[k + 1],
               {1, 0.2, 1});
    plan.flesh(parent, limb, from, 0.05, to, 0.035, {1, 0.8, 1});
    from = to;
  }
}

void build_bird_head(const Bird& b, int head, int limb, Vec3d at, BodyPlan& plan) {
  const Vec3d skull = at + Vec3d{0, 0.3 * b.head, 0.25 * b.head};
  plan.ball(head, limb, skull, b.head);
  const Vec3d root = skull + b.head * Vec3d{0, -0.12, 0.7};
  const Vec3d tip = root + Vec3d{0, -0.15 * b.beak - b.hooked * b.head * 0.5, b.beak};
  const double girth = b.beak_girth * b.head;
  const Vec3d middle = lerp(root, tip, 0.55) + Vec3d{0, 0.3 * b.hooked * b.head, 0};
  plan.flesh(head, limb, root, girth, middle, 0.75 * girth);
  plan.flesh(head, limb, middle, 0.75 * girth, tip, 0.35 * girth);
  const Vec3d hinge = skull + b.head * Vec3d{0, -0.45, 0.35};
  const int jaw = plan.joint("jaw", head, hinge, JointAxes::kTrunk, {-0.1, -0.1, -0.05}, {0.1, 0.1, 0.6});
  plan.belongs(jaw, rig::LimbKind::kJaw, 1);
  plan.flesh(jaw, limb, hinge, 0.8 * girth, lerp(root, tip, 0.6) + Vec3d{0, -0.65 * girth, 0}, 0.45 * girth);
  const Vec3d horn{0.75, 0.42, 0.06};
  plan.spots.push_back({lerp(root, tip, 0.75) + Vec3d{0, -0.2 * girth, 0.05}, 0.72 * b.beak, horn});
  for (const int side : {1, -1}) {
    plan.eye(head, limb, skull + b.head * Vec3d{0.72 * side, 0.25, 0.5}, 0.24 * b.head);
  }
}

}  // namespace

BodyPlan plan_bird(Rng rng) {
  const Bird b = draw_bird(rng);
  BodyPlan plan;
  plan.coat = draw_coat(rng);
  plan.coat.socks = 0;
  plan.cell_aspect = {1, 0.6, 1};
  const int trunk = plan.limb({}, 0, 1, 0.06);
  const double c = std::cos(b.tilt), s = std::sin(b.tilt);
  const double middle = b.leg + 0.55 * b.girth;
  const Vec3d hips{0, middle, -0.04}, spine{0, middle + 0.14 * s, -0.04 + 0.14 * c},
      chest{0, middle + 0.28 * s, -0.04 + 0.28 * c}, rump{0, middle - 0.26 * s, -0.04 - 0.26 * c};
  const int root = plan.joint("hips", -1, hips, JointAxes::kTrunk, {6.3, 1.3, 1.5});
  const int j_spine = plan.joint("spine.1", root, spine, JointAxes::kTrunk, {0.4, 0.3, 0.4});
  const int j_chest = plan.joint("chest", j_spine, chest, JointAxes::kTrunk, {0.4, 0.3, 0.4});
  plan.flesh(root, trunk, rump, 0.55 * b.girth, spine, b.girth, {0.95, 1, 1});
  plan.flesh(j_spine, trunk, spine, b.girth, chest, 0.97 * b.girth, {0.95, 1, 1});
  plan.flesh(j_chest, trunk, chest, 0.97 * b.girth, chest + Vec3d{0, 0.05, 0.08}, 0.8 * b.girth, {0.95, 1, 1});

  // Neck with the slight S of birds.
  ChainShape neck;
  neck.name = "neck", neck.kind = rig::LimbKind::kNeck, neck.station = 1, neck.range = {1.0, 0.5, 1.4};
  neck.limb = trunk, neck.points = {chest + Vec3d{0, 0.55 * b.girth, 0.55 * b.girth}};
  for (int i = 0; i < 2; ++i) {
    const double slope = b.neck_slope + (i == 0 ? -0.15 : 0.2);
    neck.points.push_back(neck.points.back() + 0.5 * b.neck * Vec3d{0, std::sin(slope), std::cos(slope)});
  }
  neck.radii = {0.62 * b.girth, 0.62 * b.head, 0.62 * b.head};
  const int parent = add_chain(plan, j_chest, neck);
  const Vec3d point = neck.points.back();
  const int head = plan.joint("head", parent, point, JointAxes::kTrunk, {1.1, 0.7, 1.4});
  plan.belongs(head, rig::LimbKind::kHead, 1);
  build_bird_head(b, head, plan.limb(point, 0.06, 0.35, 0.03), point, plan);

  // Tail fan.
  const int fan = plan.limb(rump, 0.12, 0.4, 0.03);
  const int tail1 = plan.joint("tail.1", root, rump, JointAxes::kTrunk, {0.6, 0.5, 0.8});
  plan.belongs(tail1, rig::LimbKind::kTail);
  const Vec3d back{0, -0.55 * s, -c};
  plan.flesh(tail1, fan, rump, 0.5 * b.girth, rump + 0.5 * b.tail * back, b.tail_width, {1, 0.4, 1});
  const int tail2 = plan.joint("tail.2", tail1, rump + 0.5 * b.tail * back, JointAxes::kTrunk, {0.6, 0.5, 0.8});
  plan.flesh(tail2, fan, rump + 0.5 * b.tail * back, b.tail_width, rump + b.tail * back, 1.25 * b.tail_width,
             {1, 0.25, 1});

  for (const int side : {1, -1}) {
    build_wing(b, j_chest, chest + Vec3d{side * 0.72 * b.girth, 0.5 * b.girth, -0.03}, side, plan);
  }
  const Vec3d hip{0.56 * b.girth, b.leg + 0.1 * b.girth, 0.03};
  for (const int side : {1, -1}) {
    add_leg(plan, root, raptor_leg(hip, b.leg, 0.42 * b.girth + 0.02, b.shin, 1.05 * b.shin, 3), side);
  }
  return plan;
}

// --- Theropod: lengths in units of the trunk -------------------------------------------------------------------------

namespace {

struct Theropod {
  double leg, girth, neck, neck_slope, head, snout, arm, tail, shin, tilt, crest;
};

Theropod draw_theropod(Rng& rng) {
  Theropod t;
  t.leg = rng.uniform(0.75, 1.15);
  t.girth = rng.uniform(0.19, 0.27);
  t.neck = rng.uniform(0.3, 0.55);
  t.neck_slope = rng.uniform(0.6, 1.1);
  t.head = rng.uniform(0.13, 0.2);
  t.snout = t.head * rng.uniform(1.2, 2.0);
  t.arm = rng.uniform(0.22, 0.5);
  t.tail = rng.uniform(0.9, 1.35);
  t.shin = rng.uniform(0.055, 0.08);
  t.tilt = rng.uniform(0.05, 0.35);
  t.crest = rng.chance(0.4) ? rng.uniform(0.3, 0.7) : 0;
  return t;
}

void build_theropod_head(const Theropod& t, int head, int limb, BodyPlan& plan) {
  const Vec3d skull = plan.at(head) + t.head * Vec3d{0, 0.25, 0.4};
  const Vec3d nose = skull + Vec3d{0, -0.3 * t.head, t.snout + 0.3 * t.head};
  plan.flesh(head, limb, plan.at(head), 0.8 * t.head, skull, t.head, {0.85, 1, 1});
  plan.flesh(head, limb, skull + t.head * Vec3d{0, 0.05, 0.3}, 0.75 * t.head, nose, 0.42 * t.head, {0.85, 1, 1});
  const Vec3d hinge = skull + t.head * Vec3d{0, -0.7, 0.0};
  const int jaw = plan.joint("jaw", head, hinge, JointAxes::kTrunk, {-0.1, -0.1, -0.1}, {0.1, 0.1, 0.9});
  plan.belongs(jaw, rig::LimbKind::kJaw, 1);
  plan.flesh(jaw, limb, hinge, 0.4 * t.head, nose + t.head * Vec3d{0, -0.38, -0.25}, 0.28 * t.head, {0.85, 1, 1});
  for (const int side : {1, -1}) {
    plan.eye(head, limb, skull + t.head * Vec3d{0.62 * side, 0.42, 0.4}, 0.22 * t.head);
  }
  if (t.crest > 0) {
    const Vec3d base = skull + t.head * Vec3d{0, 0.7, -0.1};
    const int crest = plan.limb(base, 0.2 * t.head, 1.2 * t.head, 0.05);
    plan.flesh(head, crest, base, 0.45 * t.head, base + t.crest * t.head * Vec3d{0, 0.9, -1.0}, 0.25 * t.head,
               {0.5, 1, 1});
  }
}

void build_theropod_arm(const Theropod& t, int chest, int side, BodyPlan& plan) {
  const double s = side;
  const Vec3d shoulder = plan.at(chest) + Vec3d{s * 0.72 * t.girth, -0.45 * t.girth, 0.1};
  const Vec3d elbow = shoulder + 0.5 * t.arm * Vec3d{s * 0.12, -0.9, -0.35};
  const Vec3d wrist = elbow + 0.45 * t.arm * Vec3d{0, -0.5, 0.85};
  const int j1 = plan.joint(sided("shoulder", side), chest, shoulder, JointAxes::kLimb, {1.4, 0.5, 0.9});
  plan.belongs(j1, rig::LimbKind::kArm, 1);
  const int j2 = plan.joint(sided("elbow", side), j1, elbow, JointAxes::kLimb, {-1.4, -0.3, -0.3}, {1.2, 0.3, 0.3});
  const int j3 = plan.joint(sided("wrist", side), j2, wrist, JointAxes::kLimb, {0.9, 0.4, 0.6});
  const int limb = plan.limb(shoulder, 0.09, 0.3, 0.02);
  plan.flesh(j1, limb, shoulder, 0.3 * t.girth, elbow, 0.75 * t.shin);
  plan.flesh(j2, limb, elbow, 0.75 * t.shin, wrist, 0.6 * t.shin);
  plan.flesh(j3, limb, wrist, 0.6 * t.shin, wrist + 0.22 * t.arm * Vec3d{0, -0.5, 0.7}, 0.55 * t.shin);
}

}  // namespace

BodyPlan plan_theropod(Rng rng) {
  const Theropod t = draw_theropod(rng);
  BodyPlan plan;
  plan.coat = draw_coat(rng);
  const int trunk = plan.limb({}, 0, 1, 0.05);
  const double c = std::cos(t.tilt), s = std::sin(t.tilt), line = t.leg + 0.2 * t.girth;
  const auto on_axis = [&](double along) { return Vec3d{0, line + along * s, along * c}; };
  const int root = plan.joint("hips", -1, on_axis(0), JointAxes::kTrunk, {6.3, 1.2, 1.5});
  const int spine1 = plan.joint("spine.1", root, on_axis(0.22), JointAxes::kTrunk, {0.5, 0.4, 0.6});
  const int chest = plan.joint("chest", spine1, on_axis(0.46), JointAxes::kTrunk, {0.5, 0.4, 0.6});
  const Vec3d slim{0.85, 1, 1};
  plan.flesh(root, trunk, on_axis(-0.06), 0.95 * t.girth, on_axis(0.22), t.girth, slim);
  plan.flesh(spine1, trunk, on_axis(0.22), t.girth, on_axis(0.46), 0.9 * t.girth, slim);
  plan.flesh(chest, trunk, on_axis(0.46), 0.9 * t.girth, on_axis(0.6), 0.62 * t.girth, slim);

  ChainShape neck;
  neck.name = "neck", neck.kind = rig::LimbKind::kNeck, neck.station = 1, neck.range = {0.7, 0.4, 1.0};
  neck.limb = trunk, neck.points = {on_axis(0.6) + Vec3d{0, 0.15 * t.girth, 0}}, neck.radii = {0.62 * t.girth};
  for (int i = 0; i < 3; ++i) {
    const double slope = t.neck_slope + 0.35 * (1 - i);
    neck.points.push_back(neck.points.back() + (t.neck / 3) * Vec3d{0, std::sin(slope), std::cos(slope)});
    neck.radii.push_back((0.56 - 0.06 * i) * t.girth);
  }
  const int parent = add_chain(plan, chest, neck);
  const Vec3d point = neck.points.back();
  const int head = plan.joint("head", parent, point, JointAxes::kTrunk, {0.8, 0.6, 1.2});
  plan.belongs(head, rig::LimbKind::kHead, 1);
  build_theropod_head(t, head, plan.limb(point, 0.07, 0.5, 0.04), plan);

  // The tail balances the body: straight back, slowly rising.
  ChainShape tail;
  tail.name = "tail", tail.range = {0.6, 0.4, 0.6}, tail.squash = slim, tail.limb = trunk;
  tail.points = {on_axis(-0.16)};
  for (int i = 0; i < 5; ++i) {
    const double slope = -0.1 + 0.08 * i;
    tail.points.push_back(tail.points.back() + (t.tail / 5) * Vec3d{0, std::sin(slope), -std::cos(slope)});
  }
  for (int i = 0; i <= 5; ++i) tail.radii.push_back(t.girth * (0.72 - 0.125 * i));
  add_chain(plan, root, tail);
  for (const int side : {1, -1}) build_theropod_arm(t, chest, side, plan);
  const Vec3d hip{0.7 * t.girth + 0.04, t.leg, 0.0};
  for (const int side : {1, -1}) {
    add_leg(plan, root, raptor_leg(hip, t.leg, 0.62 * t.girth, t.shin, 1.05 * t.shin, 3), side);
  }
  return plan;
}

}  // namespace limber::zoo
