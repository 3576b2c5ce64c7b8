// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skin/skin_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"

namespace limber::skin {
namespace {

Mat3d unit_columns(const Mat3d& m) {
  return Mat3d::from_columns(normalized(m.column(0)), normalized(m.column(1)), normalized(m.column(2)));
}

/// Sums over the triangles at each point.
void measure_points(SkinBody& body) {
  const body::WeldedSurface& surface = body.surface;
  body.normals.assign(surface.points.size(), {});
  body.areas.assign(surface.points.size(), 0);
  for (const auto& [a, b, c] : surface.triangles) {
    const Vec3d& origin = surface.points[a];
    const Vec3d normal = cross(surface.points[b] - origin, surface.points[c] - origin);
    const double area = norm(normal) / 6;
    for (const std::uint32_t corner : {a, b, c}) body.normals[corner] += normal, body.areas[corner] += area;
  }
  for (Vec3d& normal : body.normals) normal = normalized(normal, Vec3d{});
}

}  // namespace

SkinBody make_skin_body(std::span<const Vec3> points, std::span<const body::Triangle> triangles,
                        const body::SolidSettings& settings) {
  return make_skin_body(body::weld(points, triangles), settings);
}

SkinBody make_skin_body(body::WeldedSurface surface, const body::SolidSettings& settings) {
  body::SolidProxy solid = body::make_solid(surface, settings);
  body::DistanceField field(solid);
  SkinBody body{std::move(surface), {}, {}, std::move(solid), std::move(field)};
  measure_points(body);
  return body;
}

std::vector<SkinJoint> skin_joints(const rig::Rig& rig, const std::vector<bool>& deforms) {
  LIMBER_EXPECT(deforms.empty() || deforms.size() == rig.joints().size(), fmt::format("{} flags", deforms.size()));
  std::vector<SkinJoint> joints(rig.joints().size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    joints[j].parent = rig.joints()[j].parent;
    joints[j].position = rig.world_from_rest()[j].translation.cast<double>();
    joints[j].axes = unit_columns(rig.world_from_rest()[j].linear.cast<double>());
    joints[j].deforms = deforms.empty() || deforms[j];
  }
  // Where a bone binds the joint, its place at the time of binding counts.
  std::vector<bool> bound(joints.size(), false);
  for (const rig::Bone& bone : rig.bones()) {
    const Affined joint_from_bind = bone.joint_from_bind.cast<double>();
    if (bound[at(bone.joint)] || determinant(joint_from_bind.linear) == 0) continue;
    const Affined bind_from_joint = inverse(joint_from_bind);
    if (!is_finite(bind_from_joint)) continue;
    joints[at(bone.joint)].position = bind_from_joint.translation;
    joints[at(bone.joint)].axes = unit_columns(bind_from_joint.linear);
    bound[at(bone.joint)] = true;
  }
  return joints;
}

double way_outside(const body::DistanceField& field, Vec3d point, Vec3d on_bone) {
  const double length = norm(on_bone - point), cell = field.grid().cell;
  const Vec3d direction = length > 0 ? (on_bone - point) / length : Vec3d{};
  // Bounded, as a bone may be any number of cells away.
  const double least = std::max(0.5 * cell, length / 256);
  double outside = 0;
  for (double way = 0; way < length;) {
    const double depth = field.depth(point + way * direction) + cell;
    const double step = std::min(std::max(std::abs(depth), least), length - way);
    if (!(step > 0)) break;
    if (depth < 0) outside += step;
    way += step;
  }
  return outside;
}

}  // namespace limber::skin
