// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "limber/zoo/limbs.h"

/// Six- and eight-legged creatures: a body carried between legs that fold upwards.
namespace limber::zoo {
namespace {

/// Lengths in units of the thorax.
struct Arthropod {
  double ride;         // height of the hips
  double knee_height;  // above the hips
  double reach;        // hip to foot, along the ground
  double girth, abdomen_length, abdomen_girth, waist, head, feeler, jaw, leg_girth;
  double fan;  // angle between the first and the last leg of a side
};

Arthropod draw(Rng& rng, bool spider) {
  Arthropod a;
  a.ride = rng.uniform(0.4, 0.75);
  a.knee_height = rng.uniform(0.25, 0.55);
  a.reach = rng.uniform(0.85, 1.3);
  a.girth = rng.uniform(0.2, 0.28);
  a.abdomen_length = spider ? rng.uniform(0.45, 0.7) : rng.uniform(0.5, 1.0);
  a.abdomen_girth = a.girth * (spider ? rng.uniform(1.1, 1.6) : rng.uniform(0.95, 1.4));
  a.waist = rng.uniform(0.5, 0.8);
  a.head = rng.uniform(0.17, 0.25);
  a.feeler = rng.uniform(0.3, 0.6);
  a.jaw = rng.uniform(0.12, 0.28);
  a.leg_girth = rng.uniform(0.05, 0.075);
  a.fan = spider ? rng.uniform(1.7, 2.1) : rng.uniform(1.2, 1.6);
  return a;
}

void build_leg(const Arthropod& a, int root, int number, int count, int side, BodyPlan& plan) {
  const double s = side, line = plan.at(root).y;
  const double place = count > 1 ? 1 - 2.0 * number / (count - 1) : 0;  // 1: foremost
  const double angle = 0.5 * a.fan * place;                             // from sideways towards the front
  const Vec3d out{s * std::cos(angle), 0, std::sin(angle)};
  const Vec3d hip = Vec3d{s * 0.75 * a.girth, line - 0.25 * a.girth, 0.34 * place};
  // Middle legs are shorter, as in most insects and spiders.
  const double reach = a.reach * (0.82 + 0.18 * std::abs(place));
  const Vec3d tip{hip.x + reach * out.x, 0, hip.z + reach * out.z};
  PointLegShape leg;
  leg.name = numbered("leg", number + 1), leg.pair = number, leg.station = static_cast<float>(0.5 + 0.5 * place);
  leg.out = out, leg.hip = hip, leg.tip = tip, leg.girth = a.leg_girth;
  leg.knee = hip + 0.42 * reach * out + Vec3d{0, a.knee_height, 0};
  leg.ankle = lerp(leg.knee, tip, 0.62) + 0.1 * reach * out;
  add_point_leg(plan, root, leg, side);
}

BodyPlan build(const Arthropod& a, int pairs, Rng& rng) {
  const bool spider = pairs == 4;
  BodyPlan plan;
  plan.coat = draw_coat(rng);
  plan.coat.socks = 0;
  plan.cell_aspect = {1.1, 1.1, 1.1};
  const int trunk = plan.limb({}, 0, 1, 0.05);
  const double line = a.ride + 0.25 * a.girth;
  const Vec3d wide{1.1, 0.85, 1};
  const int root = plan.joint("thorax", -1, {0, line, 0}, JointAxes::kTrunk, {6.3, 1.2, 1.3});
  plan.flesh(root, trunk, {0, line, -0.28}, 0.85 * a.girth, {0, line, 0.3}, a.girth, wide);

  const Vec3d neck{0, line + 0.02, 0.46};
  const int head = plan.joint("head", root, neck, JointAxes::kTrunk, {0.8, 0.5, 0.8});
  plan.belongs(head, rig::LimbKind::kHead, 1);
  const int head_limb = plan.limb(neck, 0.06, 0.4, 0.03);
  const Vec3d skull = neck + Vec3d{0, 0, spider ? 0.02 : 0.6 * a.head};
  const double skull_girth = spider ? 0.85 * a.head : a.head;
  plan.flesh(head, head_limb, neck, 0.7 * a.head, skull, skull_girth, {1.05, 0.9, 1});
  for (const int side : {1, -1}) {
    plan.eye(head, head_limb, skull + skull_girth * Vec3d{0.6 * side, 0.42, 0.6}, (spider ? 0.26 : 0.34) * a.head);
    if (spider) plan.eye(head, head_limb, skull + skull_girth * Vec3d{0.24 * side, 0.35, 0.9}, 0.24 * a.head);
    // Mandibles, or a spider's fangs.
    const Vec3d hinge = skull + skull_girth * Vec3d{0.62 * side, -0.35, 0.6};
    const int jaw =
        plan.joint(sided("mandible", side), head, hinge, JointAxes::kWing, {-0.5, -0.4, -0.7}, {0.5, 0.4, 0.7});
    plan.belongs(jaw, rig::LimbKind::kJaw, 1);
    const int limb = plan.limb(hinge, 0.04, 0.2, 0.02);
    const Vec3d point = hinge + a.jaw * Vec3d{0.05 * side, spider ? -0.7 : -0.15, spider ? 0.5 : 0.95};
    plan.flesh(jaw, limb, hinge, 0.055, point, 0.035);
    if (spider) continue;
    const Vec3d base = skull + skull_girth * Vec3d{0.3 * side, 0.7, 0.45};
    const int feeler = plan.limb(base, 0.03, 0.15, 0.01);
    const Vec3d bend = base + a.feeler * Vec3d{0.35 * side, 0.5, 0.25};
    const int j_feeler = plan.joint(sided("feeler", side), head, base, JointAxes::kLimb, {0.8, 0.5, 0.8});
    plan.belongs(j_feeler, rig::LimbKind::kAntenna, 1);
    plan.flesh(j_feeler, feeler, base, 0.036, bend, 0.032);
    plan.flesh(j_feeler, feeler, bend, 0.032, bend + a.feeler * Vec3d{0.35 * side, 0.1, 0.55}, 0.03);
  }

  // Abdomen behind a narrow waist.
  // A spider's abdomen is wide: it keeps clear of the hind legs.
  const Vec3d waist{0, line, spider ? -0.54 : -0.46};
  const double rise = rng.uniform(0.0, 0.3);
  const auto behind = [&](double along) { return waist + along * a.abdomen_length * Vec3d{0, rise, -1}; };
  const int abdomen = plan.limb(waist, 0.08, 0.4, 0.05);
  const int ab1 = plan.joint("abdomen.1", root, waist, JointAxes::kTrunk, {0.5, 0.4, 0.6});
  const int ab2 = plan.joint("abdomen.2", ab1, behind(0.55), JointAxes::kTrunk, {0.5, 0.4, 0.6});
  plan.flesh(ab1, abdomen, waist + Vec3d{0, 0, spider ? 0.13 : 0.05}, a.waist * a.girth, behind(0.55), a.abdomen_girth,
             {1, 0.9, 1});
  plan.flesh(ab2, abdomen, behind(0.55), a.abdomen_girth, behind(1.0), (spider ? 0.6 : 0.4) * a.abdomen_girth,
             {1, 0.9, 1});
  for (int number = 0; number < pairs; ++number) {
    for (const int side : {1, -1}) build_leg(a, root, number, pairs, side, plan);
  }
  return plan;
}

}  // namespace

BodyPlan plan_hexapod(Rng rng) {
  const Arthropod a = draw(rng, false);
  return build(a, 3, rng);
}

BodyPlan plan_octopod(Rng rng) {
  const Arthropod a = draw(rng, true);
  return build(a, 4, rng);
}

}  // namespace limber::zoo
