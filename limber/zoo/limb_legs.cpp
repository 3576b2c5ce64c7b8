// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/zoo/limbs.h"

namespace limber::zoo {
namespace {

/// Forward and back about the upright, twist about the leg, lift about the third.
Quatd outward_axes(Vec3d out) { return to_quat(Mat3d::from_columns(Vec3d{0, 1, 0}, out, cross(Vec3d{0, 1, 0}, out))); }

Vec3d mirrored(Vec3d p, int side) { return {side * p.x, p.y, p.z}; }

}  // namespace

LegShape raptor_leg(Vec3d hip, double height, double thigh, double shin, double foot, int claws) {
  LegShape leg;
  leg.kind = LegKind::kDigitigrade, leg.name = "leg", leg.joint_names = {"hip", "knee", "ankle", "toe"};
  leg.hip = hip;
  leg.knee = {1.1 * hip.x, 0.62 * height, hip.z + 0.2 * height};
  leg.ankle = {hip.x, 0.32 * height, hip.z - 0.12 * height};
  leg.toe = {hip.x, 0.85 * foot, hip.z + 0.06 * height};
  leg.thigh = thigh, leg.calf = std::max(0.55 * thigh, 1.15 * shin), leg.shin = shin;
  leg.foot = foot, leg.foot_length = 0.16 * height + foot, leg.claws = claws;
  leg.blend = 0.7 * thigh;
  return leg;
}

int add_chain(BodyPlan& plan, int parent, const ChainShape& shape) {
  for (std::size_t k = 0; k + 1 < shape.points.size(); ++k) {
    parent = plan.joint(numbered(shape.name, static_cast<int>(k) + 1) + shape.suffix, parent, shape.points[k],
                        shape.axes, shape.range);
    plan.belongs(parent, shape.kind, shape.station);
    plan.flesh(parent, shape.limb, shape.points[k], shape.radii[k], shape.points[k + 1], shape.radii[k + 1],
               shape.squash);
  }
  return parent;
}

void add_point_leg(BodyPlan& plan, int parent, const PointLegShape& shape, int side) {
  const Quatd axes = outward_axes(shape.out);
  const auto name = [&](const char* joint) { return sided(shape.name + joint, side); };
  const int hip = plan.joint(name(".hip"), parent, shape.hip, axes, {-1.3, -0.8, -1.4}, {1.3, 0.8, 1.4});
  plan.belongs(hip, rig::LimbKind::kLeg, shape.station);
  const int knee = plan.joint(name(".knee"), hip, shape.knee, axes, {-0.6, -0.6, -1.7}, {0.6, 0.6, 1.7});
  const int ankle = plan.joint(name(".ankle"), knee, shape.ankle, axes, {-0.5, -0.5, -1.2}, {0.5, 0.5, 1.2});
  const int limb = plan.limb(shape.hip, 0.05, 0.25, 0.015);
  const double g = shape.girth;
  plan.flesh(hip, limb, shape.hip, 1.15 * g, shape.knee, 0.9 * g);
  plan.flesh(knee, limb, shape.knee, 0.9 * g, shape.ankle, 0.75 * g);
  plan.flesh(ankle, limb, shape.ankle, 0.75 * g, shape.tip + Vec3d{0, 0.6 * g, 0}, 0.6 * g);
  plan.legs.push_back({sided(shape.name, side), LegKind::kPoint, {hip, knee, ankle}, shape.tip, side > 0, shape.pair});
}

void add_sprawling_leg(BodyPlan& plan, int parent, const SprawlingLegShape& shape, int side) {
  const std::array<Vec3d, 4> at = {mirrored(shape.hip, side), mirrored(shape.knee, side), mirrored(shape.ankle, side),
                                   mirrored(shape.toe, side)};
  static constexpr const char* kNames[] = {".hip", ".knee", ".ankle", ".toe"};
  static constexpr Vec3d kRange[] = {{1.4, 1.0, 1.4}, {0.9, 0.9, 1.9}, {1.2, 1.0, 1.6}, {1.2, 0.9, 1.2}};
  const Vec3d out = normalized(Vec3d{at[2].x - at[0].x, 0, at[2].z - at[0].z});
  std::vector<int> joints;
  for (std::size_t k = 0; k < 4; ++k) {
    joints.push_back(plan.joint(sided(shape.name + kNames[k], side), k == 0 ? parent : joints.back(), at[k],
                                outward_axes(out), -kRange[k], kRange[k]));
    plan.belongs(joints.back(), rig::LimbKind::kLeg, shape.station);
  }
  plan.joints.back().sole = true;
  const int limb = plan.limb(at[0], shape.blend, 2.2 * shape.thigh, 0.4 * shape.shin);
  plan.flesh(joints[0], limb, at[0], shape.thigh, at[1], 0.75 * shape.thigh);
  plan.flesh(joints[1], limb, at[1], 0.75 * shape.thigh, at[2], shape.shin);
  plan.flesh(joints[2], limb, at[2], shape.shin, at[3], shape.foot);
  const Vec3d ahead = normalized(Vec3d{0.35 * out.x, 0, 1});
  const int toes = std::max(1, shape.claws);
  for (int k = 0; k < toes; ++k) {
    const double spread = toes == 1 ? 0 : side * (0.9 * k / (toes - 1) - 0.35);
    const Vec3d along = rotate(axis_angle(Vec3d{0, 1, 0}, spread), ahead);
    const Vec3d tip = at[3] + shape.foot_length * along;
    plan.flesh(joints[3], limb, at[3], shape.foot, {tip.x, 0.8 * shape.foot, tip.z},
               (toes == 1 ? 0.9 : 0.7) * shape.foot);
  }
  plan.legs.push_back({sided(shape.name, side), LegKind::kSprawling, joints,
                       Vec3d{at[3].x, 0, at[3].z} + 0.4 * shape.foot_length * ahead, side > 0, shape.pair});
}

void add_chain_leg(BodyPlan& plan, int parent, const ChainLegShape& shape, int side) {
  const Quatd axes = outward_axes(normalized(mirrored(shape.out, side)));
  const std::size_t count = shape.points.size() - 1;
  const int limb = plan.limb(mirrored(shape.points[0], side), 0.05, 0.25, 0.3 * shape.girth);
  std::vector<int> joints;
  for (std::size_t k = 0; k < count; ++k) {
    const Vec3d from = mirrored(shape.points[k], side), to = mirrored(shape.points[k + 1], side);
    joints.push_back(plan.joint(sided(numbered(shape.name, static_cast<int>(k) + 1), side),
                                k == 0 ? parent : joints.back(), from, axes, {-1.4, -0.7, -1.9}, {1.4, 0.7, 1.9}));
    plan.belongs(joints.back(), rig::LimbKind::kLeg, shape.station);
    const auto radius = [&](std::size_t i) { return shape.girth * (1.15 - 0.45 * double(i) / double(count)); };
    const bool last = k + 1 == count;
    plan.flesh(joints.back(), limb, from, radius(k), last ? to + Vec3d{0, 0.8 * radius(count), 0} : to, radius(k + 1));
  }
  plan.legs.push_back(
      {sided(shape.name, side), LegKind::kChain, joints, mirrored(shape.points.back(), side), side > 0, shape.pair});
}

}  // namespace limber::zoo
