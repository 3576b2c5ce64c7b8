// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/zoo/grammar.h"

/// Things worn and held: each a limb of its own that moves as a whole with what carries it.
namespace limber::zoo {
namespace {

int add_prop(BodyPlan& plan, std::string name, int parent, Vec3d at, float station = 0.5f) {
  const int joint = plan.joint(std::move(name), parent, at, JointAxes::kLimb, {0.3, 0.2, 0.3});
  const int above = plan.joints[static_cast<std::size_t>(parent)].role.limb;
  // Always a limb of its own, also where a prop hangs on a prop.
  const rig::Side side = at.x > 1e-9 ? rig::Side::kLeft : at.x < -1e-9 ? rig::Side::kRight : rig::Side::kMiddle;
  plan.joints.back().role = {static_cast<int>(plan.anatomy.size()), 0};
  plan.joints.back().whole = true;
  plan.anatomy.push_back({rig::LimbKind::kProp, side, above, station});
  return joint;
}

/// Cloth that hangs in a row of plates.
void add_cape(GrammarBody& body) {
  const Station top = body.at(body.upright() ? 0.92 : 0.85);
  const double width = 1.15 * top.half_width;
  const bool up = body.upright() && body.spec.leg_pairs < 2;
  const double length = up ? std::min(0.8 * top.centre.y, body.rise + 0.5 * body.ride) : 0.5 * body.length;
  const Vec3d base = top.centre + 0.9 * top.radius * top.dorsal,
              down = up ? normalized(Vec3d{0, -1, -0.3}) : normalized(Vec3d{0, 0.05, -1});
  const Vec3d normal = normalized(cross(Vec3d{1, 0, 0}, down));
  const int limb = body.plan.limb(base, 0.03, 0.2, 0.02);
  int parent = top.joint;
  for (int k = 0; k < 3; ++k) {
    const Vec3d a = base + (k * length / 3) * down, b = base + ((k + 1) * length / 3) * down;
    if (k == 0) {
      parent = add_prop(body.plan, "cape.1", parent, a, top.at);
    } else {
      parent = body.plan.joint(numbered("cape", k + 1), parent, a, JointAxes::kLimb, {0.8, 0.3, 0.5});
    }
    body.plan.joints.back().whole = false;
    for (const double x : {0.45, -0.45}) {
      const Vec3d shift{x * width * (1 + 0.2 * k), 0, 0};
      body.plan.plate(parent, limb, a + shift, 0.5 * width * (1 + 0.15 * k), b + shift, 0.5 * width * (1.15 + 0.15 * k),
                      normal, 0.2);
    }
  }
}

/// Rings that widen downwards, on one joint.
void add_skirt(GrammarBody& body) {
  const Station hips = body.at(0.05);
  const double drop = body.spec.leg_pairs > 0 ? 0.45 * body.ride : 0.25, wide = 1.1 * hips.half_width;
  const Vec3d base = hips.centre;
  const int limb = body.plan.limb(base, 0.03, 0.2, 0.03);
  const int joint = add_prop(body.plan, "skirt", hips.joint, base, 0);
  constexpr int kRings = 3;
  for (int k = 0; k < kRings; ++k) {
    const auto ring = [&](int i) { return base - Vec3d{0, i * drop / kRings, 0}; };
    body.plan.plate(joint, limb, ring(k), wide * (1 + 0.16 * k), ring(k + 1), wide * (1.16 + 0.16 * k), {0, 1, 0.02},
                    0.3);
  }
}

void add_saddle(GrammarBody& body) {
  const Station back = body.at(0.5 * body.level_end);
  const Vec3d base = back.centre + 0.85 * back.radius * Vec3d{0, 1, 0};
  const int limb = body.plan.limb(base, 0.02, 0.1, 0.03);
  const int joint = add_prop(body.plan, "saddle", back.joint, base);
  const double size = 0.75 * back.half_width;
  body.plan.flesh(joint, limb, base + Vec3d{0, 0, -0.8 * size}, size, base + Vec3d{0, 0.02, 0.8 * size}, size,
                  {1.15, 0.45, 1});
  body.plan.ball(joint, limb, base + Vec3d{0, 0.4 * size, 1.3 * size}, 0.4 * size);
}

void add_armour(GrammarBody& body) {
  const int plates = std::min(4, body.spec.segments);
  for (int k = 0; k < plates; ++k) {
    const Station place = body.at((k + 0.5) / plates);
    const Vec3d base = place.centre + 0.85 * place.radius * place.dorsal;
    const int limb = body.plan.limb(base, 0.02, 0.1, 0.02);
    const int joint = add_prop(body.plan, numbered("plate", k + 1), place.joint, base, place.at);
    const double size = 0.9 * place.half_width;
    body.plan.plate(joint, limb, base - 0.3 * size * place.along, size,
                    base + 0.3 * size * place.along + 0.2 * size * place.dorsal, 0.7 * size,
                    normalized(place.dorsal + 0.3 * place.along), 0.35);
  }
  for (std::size_t k = 0; k < std::min<std::size_t>(2, body.arms.size()); ++k) {
    const int shoulder = body.arms[k].shoulder;
    const Vec3d at = body.plan.at(shoulder) + Vec3d{0, 0.03, 0};
    const int limb = body.plan.limb(at, 0.02, 0.1, 0.02);
    const int joint = add_prop(body.plan, sided("pauldron", at.x > 0 ? 1 : -1), shoulder, at, 0);
    body.plan.ball(joint, limb, at, 0.1, {1, 0.8, 1});
  }
}

void add_weapons(GrammarBody& body) {
  if (body.arms.size() < 2) return;
  BodyPlan& plan = body.plan;
  if (body.spec.props.sword) {
    const BuiltArm& arm = body.arms[1];
    const Vec3d grip = arm.grip, way = normalized(Vec3d{-0.1, 0.25, 1});
    const double length = body.rng.uniform(0.5, 0.9);
    const int limb = plan.limb(grip, 0.02, 0.1, 0.01);
    const int joint = add_prop(plan, "sword", arm.wrist, grip, 1);
    plan.flesh(joint, limb, grip - 0.08 * way, 0.028, grip + 0.12 * way, 0.028);
    plan.flesh(joint, limb, grip + 0.12 * way + Vec3d{0, 0.09, 0}, 0.025, grip + 0.12 * way - Vec3d{0, 0.09, 0}, 0.025);
    plan.plate(joint, limb, grip + 0.12 * way, 0.04, grip + length * way, 0.025, {1, 0, 0.1}, 0.5);
    plan.spots.push_back({grip + 0.6 * length * way, 0.45 * length, {0.5, 0.52, 0.56}});
  }
  if (body.spec.props.shield) {
    const BuiltArm& arm = body.arms[0];
    const Vec3d at = lerp(plan.at(arm.elbow), plan.at(arm.wrist), 0.7) + Vec3d{0.07, 0, 0.03};
    const double size = body.rng.uniform(0.16, 0.26);
    const int limb = plan.limb(at, 0.02, 0.1, 0.01);
    const int joint = add_prop(plan, "shield", arm.elbow, at, 1);
    plan.plate(joint, limb, at + Vec3d{0, 0.3 * size, 0}, size, at - Vec3d{0, 0.4 * size, 0}, 0.75 * size,
               {1, 0.2, 0.35}, 0.16);
  }
}

/// Bits that hover beside the body and follow its root.
void add_specks(GrammarBody& body) {
  BodyPlan& plan = body.plan;
  plan.loose = true;
  Vec3d lower{1e9, 1e9, 1e9}, upper = -lower;
  for (const RoundCone& cone : plan.cones) {
    lower = min(lower, min(cone.a, cone.b) - Vec3d{0.1, 0.1, 0.1}),
    upper = max(upper, max(cone.a, cone.b) + Vec3d{0.1, 0.1, 0.1});
  }
  const int count = 3 + static_cast<int>(body.rng.below(4));
  for (int k = 0; k < count; ++k) {
    // Beside the box around the body, so that they touch nothing.
    const double side = k % 2 == 0 ? 1 : -1, radius = body.rng.uniform(0.03, 0.05);
    const Vec3d at{(side > 0 ? upper.x : lower.x) + side * body.rng.uniform(0.1, 0.2),
                   body.rng.uniform(std::max(0.15, lower.y), upper.y), body.rng.uniform(lower.z, upper.z)};
    const int limb = plan.limb(at, 0, 0.01, 0.01);
    const int joint = add_prop(plan, numbered("speck", k + 1), 0, at);
    plan.flesh(joint, limb, at, radius, at + Vec3d{0, 0.5 * radius, 0}, 0.8 * radius);
  }
}

/// A plate under the feet; everything stands higher by its thickness.
void add_pedestal(GrammarBody& body) {
  BodyPlan& plan = body.plan;
  const double thick = body.rng.uniform(0.06, 0.12);
  plan.lift(thick);
  Vec3d lower{1e9, 0, 1e9}, upper{-1e9, 0, -1e9};
  for (const PlanLeg& leg : plan.legs) lower = min(lower, leg.sole), upper = max(upper, leg.sole);
  const Vec3d middle{0, 0.5 * thick, 0.5 * (lower.z + upper.z)};
  const double radius = 0.5 * std::max(upper.x - lower.x, upper.z - lower.z) + 0.16;
  const int limb = plan.limb(middle, 0, 0.1, 0.01);
  const int joint = add_prop(plan, "pedestal", 0, middle, 0);
  // Flat above and below: a thin ball that the ground cuts in half would be a dome.
  plan.flesh(joint, limb, middle - Vec3d{0, 0.5 * thick, 0}, radius, middle, radius, {1, 0.5 * thick / radius, 1});
}

}  // namespace

void build_props(GrammarBody& body) {
  const PropSpec& props = body.spec.props;
  if (props.cape) add_cape(body);
  if (props.skirt) add_skirt(body);
  if (props.saddle) add_saddle(body);
  if (props.armour) add_armour(body);
  if (props.sword || props.shield) add_weapons(body);
  if (props.specks) add_specks(body);
  if (props.pedestal) add_pedestal(body);
}

}  // namespace limber::zoo
