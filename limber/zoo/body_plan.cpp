// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/body_plan.h"

#include <cmath>

namespace limber::zoo {
namespace {

Quatd axes_of(JointAxes axes) {
  const Vec3d x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  switch (axes) {
    case JointAxes::kTrunk:
      return to_quat(Mat3d::from_columns(y, z, x));
    case JointAxes::kWing:
      return to_quat(Mat3d::from_columns(z, x, y));
    case JointAxes::kLimb:
      break;
  }
  return {};
}

}  // namespace

std::string sided(std::string_view name, int side) { return std::string(name) + (side > 0 ? ".L" : ".R"); }

std::string numbered(std::string_view name, int number) { return std::string(name) + "." + std::to_string(number); }

int BodyPlan::joint(std::string name, int parent, Vec3d position, JointAxes axes, Vec3d lower, Vec3d upper) {
  return joint(std::move(name), parent, position, axes_of(axes), lower, upper);
}

int BodyPlan::joint(std::string name, int parent, Vec3d position, Quatd axes, Vec3d lower, Vec3d upper) {
  rig::Role role{0, 0};
  if (parent >= 0) role = joints[static_cast<std::size_t>(parent)].role, ++role.section;
  joints.push_back({std::move(name), parent, position, axes, lower, upper, false, false, role});
  return static_cast<int>(joints.size()) - 1;
}

void BodyPlan::belongs(int joint_index, rig::LimbKind kind, float station) {
  PlanJoint& joint = joints[static_cast<std::size_t>(joint_index)];
  const int above = joints[static_cast<std::size_t>(joint.parent)].role.limb;
  if (anatomy[static_cast<std::size_t>(above)].kind == kind) return;
  const rig::Side side = joint.position.x > 0   ? rig::Side::kLeft
                         : joint.position.x < 0 ? rig::Side::kRight
                                                : rig::Side::kMiddle;
  joint.role = {static_cast<int>(anatomy.size()), 0};
  anatomy.push_back({kind, side, above, station});
}

int BodyPlan::limb(Vec3d attach, double blend, double reach, double melt) {
  limbs.push_back({attach, blend, reach, melt, 1e-6});
  return static_cast<int>(limbs.size()) - 1;
}

void BodyPlan::flesh(int joint_index, int limb_index, Vec3d a, double radius_a, Vec3d b, double radius_b,
                     Vec3d squash) {
  cones.push_back({joint_index, limb_index, a, b, radius_a, radius_b, squash, {}});
}

void BodyPlan::plate(int joint_index, int limb_index, Vec3d a, double radius_a, Vec3d b, double radius_b, Vec3d normal,
                     double thickness) {
  flesh(joint_index, limb_index, a, radius_a, b, radius_b, {1, thickness, 1});
  cones.back().turn = rotation_between(Vec3d{0, 1, 0}, normalized(normal));
}

void BodyPlan::lift(double height) {
  const Vec3d up{0, height, 0};
  for (PlanJoint& joint : joints) joint.position += up;
  for (RoundCone& cone : cones) cone.a += up, cone.b += up;
  for (Limb& limb : limbs) limb.attach += up;
  for (PlanLeg& leg : legs) leg.sole += up;
  for (Spot& spot : spots) spot.centre += up;
}

void BodyPlan::eye(int joint_index, int limb_index, Vec3d centre, double radius) {
  ball(joint_index, limb_index, centre, radius);
  spots.push_back({centre, 1.25 * radius, {0.015, 0.012, 0.01}});
}

namespace {

/// Limits of the four joints by the way the leg folds: knees and elbows bend one way.
struct LegLimits {
  std::array<Vec3d, 4> lower, upper;
};
LegLimits leg_limits(LegKind kind) {
  if (kind == LegKind::kForeleg) {
    return {{Vec3d{-1.6, -0.5, -0.9}, {-2.3, -0.35, -0.35}, {-0.6, -0.35, -0.35}, {-1.8, -0.8, -0.8}},
            {Vec3d{1.6, 0.5, 0.9}, {0.9, 0.35, 0.35}, {2.2, 0.35, 0.35}, {1.8, 0.8, 0.8}}};
  }
  if (kind == LegKind::kPlantigrade) {
    return {{Vec3d{-2.7, -0.6, -0.9}, {-0.2, -0.35, -0.35}, {-1.2, -0.6, -0.6}, {-1.1, -0.3, -0.3}},
            {Vec3d{1.0, 0.6, 0.9}, {2.6, 0.35, 0.35}, {1.2, 0.6, 0.6}, {0.6, 0.3, 0.3}}};
  }
  return {{Vec3d{-1.6, -0.5, -0.9}, {-0.9, -0.35, -0.35}, {-2.3, -0.35, -0.35}, {-1.8, -0.8, -0.8}},
          {Vec3d{1.4, 0.5, 0.9}, {2.3, 0.35, 0.35}, {1.1, 0.35, 0.35}, {2.0, 0.8, 0.8}}};
}

}  // namespace

void add_leg(BodyPlan& plan, int parent, const LegShape& shape, int side) {
  const auto mirrored = [side](Vec3d p) { return Vec3d{side * p.x, p.y, p.z}; };
  const std::array<Vec3d, 4> at = {mirrored(shape.hip), mirrored(shape.knee), mirrored(shape.ankle),
                                   mirrored(shape.toe)};
  const LegLimits limits = leg_limits(shape.kind);
  std::array<int, 4> j{};
  for (std::size_t k = 0; k < 4; ++k) {
    j[k] = plan.joint(sided(shape.joint_names[k], side), k == 0 ? parent : j[k - 1], at[k], JointAxes::kLimb,
                      limits.lower[k], limits.upper[k]);
    plan.belongs(j[k], rig::LimbKind::kLeg, shape.station);
  }
  plan.joints.back().sole = shape.kind != LegKind::kPlantigrade;
  const int limb = plan.limb(at[0], shape.blend, 2.2 * shape.thigh, 0.5 * shape.shin);
  plan.flesh(j[0], limb, at[0], shape.thigh, at[1], shape.calf, {0.75, 1, 1});
  plan.flesh(j[1], limb, at[1], shape.calf, at[2], shape.shin, {0.9, 1, 1});
  const Vec3d tip = at[3] + Vec3d{0, -0.15 * shape.foot, shape.foot_length};
  if (shape.kind == LegKind::kPlantigrade) {
    const Vec3d heel{at[2].x, at[3].y, at[2].z - shape.heel};
    plan.flesh(j[2], limb, at[2], shape.shin, at[3], 0.95 * shape.foot);
    plan.flesh(j[2], limb, heel, 0.9 * shape.foot, at[3], 0.95 * shape.foot);
  } else {
    plan.flesh(j[2], limb, at[2], shape.shin, at[3], 1.05 * shape.shin);
  }
  if (shape.claws == 0) plan.flesh(j[3], limb, at[3], shape.foot, tip, 0.82 * shape.foot, {1, 0.95, 1});
  for (int claw = 0; claw < shape.claws; ++claw) {
    const double spread = side * (0.36 * claw - 0.25);  // inwards less, so that the feet keep apart
    const Vec3d end = at[3] + shape.foot_length * Vec3d{std::sin(spread), 0, std::cos(spread)};
    plan.flesh(j[3], limb, at[3], shape.foot, {end.x, 0.75 * shape.foot, end.z}, 0.8 * shape.foot);
  }
  plan.legs.push_back({sided(shape.name, side),
                       shape.kind,
                       {j.begin(), j.end()},
                       {at[3].x, 0, at[3].z + 0.4 * shape.foot_length},
                       side > 0,
                       shape.pair});
}

Coat draw_coat(Rng& rng) {
  struct Palette {
    Vec3d back, belly, accent;
  };
  static constexpr Palette kPalettes[] = {
      {{0.42, 0.20, 0.07}, {0.80, 0.62, 0.40}, {0.08, 0.04, 0.02}},  // fox
      {{0.20, 0.19, 0.18}, {0.55, 0.52, 0.48}, {0.04, 0.04, 0.05}},  // wolf
      {{0.62, 0.42, 0.18}, {0.86, 0.76, 0.58}, {0.20, 0.10, 0.03}},  // lion
      {{0.10, 0.06, 0.04}, {0.28, 0.17, 0.10}, {0.70, 0.60, 0.46}},  // bear
      {{0.72, 0.68, 0.62}, {0.90, 0.88, 0.84}, {0.10, 0.09, 0.09}},  // sheep
      {{0.14, 0.24, 0.10}, {0.55, 0.60, 0.30}, {0.05, 0.09, 0.04}},  // lizard
      {{0.08, 0.20, 0.34}, {0.62, 0.72, 0.76}, {0.80, 0.34, 0.05}},  // kingfisher
      {{0.52, 0.07, 0.05}, {0.84, 0.50, 0.26}, {0.10, 0.03, 0.03}},  // red
      {{0.30, 0.30, 0.34}, {0.46, 0.46, 0.50}, {0.14, 0.14, 0.17}},  // elephant
      {{0.74, 0.50, 0.06}, {0.88, 0.78, 0.40}, {0.10, 0.07, 0.02}},  // yellow
  };
  const Palette& palette = kPalettes[rng.below(std::size(kPalettes))];
  Coat coat;
  const double shade = rng.uniform(0.8, 1.2);
  coat.back = shade * palette.back, coat.belly = shade * palette.belly, coat.accent = palette.accent;
  static constexpr CoatPattern kPatterns[] = {CoatPattern::kPlain,   CoatPattern::kPlain,   CoatPattern::kSpots,
                                              CoatPattern::kStripes, CoatPattern::kPatches, CoatPattern::kSaddle};
  coat.pattern = kPatterns[rng.below(std::size(kPatterns))];
  coat.pattern_size = rng.uniform(0.07, 0.14);
  coat.socks = rng.chance(0.35) ? rng.uniform(0.12, 0.25) : 0;
  return coat;
}

}  // namespace limber::zoo
