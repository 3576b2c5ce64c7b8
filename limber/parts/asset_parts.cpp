// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/asset_parts.h"

#include <algorithm>

#include "limber/anatomy/find_facing.h"
#include "limber/asset/pose.h"
#include "limber/kinematics/clip.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/skinning.h"
#include "limber/rig/static_subject.h"
#include "limber/rig/subject.h"
#include "limber/scene/textures.h"
#include "limber/splat/surface.h"

namespace limber::parts {
namespace {

constexpr double kFps = 12;  // enough to see what moves
/// Of all clips together, frames times joints: a file may have any number of them.
constexpr std::size_t kMostTurns = std::size_t{1} << 23;

/// Colours of all points that a triangle has.
std::vector<Vec3> point_colors(const asset::Asset& asset, const std::vector<rig::PointRange>& ranges,
                               std::size_t points) {
  std::vector<Vec3> colors(points, Vec3{0.6f, 0.6f, 0.6f});
  const splat::TextureLookup lookup = scene::texture_lookup(scene::load_textures(asset));
  static constexpr Vec3 kCorners[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const rig::PointRange& range : ranges) {
    const asset::Primitive& primitive =
        asset.meshes[static_cast<std::size_t>(range.mesh)].primitives[static_cast<std::size_t>(range.primitive)];
    const splat::SurfaceColor color = splat::primitive_color(asset, primitive, lookup);
    const std::vector<Triangle> triangles = asset::triangles(primitive);
    std::vector<bool> done(range.count, false);
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t corner = triangles[t][k];
        if (corner >= range.count || done[corner]) continue;
        const Vec4 c = color(t, kCorners[k]);
        colors[range.first + corner] = {splat::srgb_from_linear(c.x), splat::srgb_from_linear(c.y),
                                        splat::srgb_from_linear(c.z)};
        done[corner] = true;
      }
    }
  }
  return colors;
}

/// Turned so that it stands along +Y and faces +Z.
Vec3 upright(const rig::Facing& facing, Vec3d p) {
  const Vec3d up = facing.up.cast<double>(), ahead = facing.forward.cast<double>();
  return Vec3d{dot(cross(up, ahead), p), dot(up, p), dot(ahead, p)}.cast<float>();
}

std::vector<Vec3> rest_points(const rig::Subject& subject) {
  const std::vector<Affine> bones = kinematics::bone_matrices(subject.rig, kinematics::rest_pose(subject.rig));
  std::vector<Vec3> posed(subject.points.size());
  kinematics::SkinInput input;
  input.weights = &subject.weights, input.points = subject.points, input.bones = bones;
  input.bone_count = subject.rig.bone_count(), input.frame_count = 1;
  kinematics::skin_forward(input, {posed, {}, {}});
  return posed;
}

}  // namespace

Result<UprightMesh> upright_mesh(const asset::Asset& asset, const std::optional<rig::Facing>& facing) {
  const bool posed = rig::has_skin(asset);
  const asset::Asset still = posed ? asset::bake(asset, asset::rest_state(asset)) : asset::Asset{};
  const asset::Asset& seen = posed ? still : asset;
  LIMBER_TRY(const rig::ShownGeometry shown, rig::gather_shown(seen));
  UprightMesh mesh;
  mesh.facing = facing ? *facing : anatomy::believed_facing(asset);
  mesh.triangles = shown.triangles;
  mesh.points.reserve(shown.points.size());
  for (const Vec3d& p : shown.points) mesh.points.push_back(upright(mesh.facing, p));
  mesh.colors = point_colors(seen, shown.ranges, shown.points.size());
  return mesh;
}

Result<RiggedParts> rigged_parts(const asset::Asset& asset, const MovingPartSettings& settings) {
  LIMBER_TRY(const rig::Subject subject, rig::subject_from_asset(asset));
  std::vector<kinematics::Motion> motions;
  std::size_t turns = 0;
  for (const asset::Clip& clip : asset.clips) {
    Result<kinematics::Motion> motion = kinematics::motion_from_clip(asset, clip, subject, kFps);
    if (!motion.ok()) continue;
    turns += static_cast<std::size_t>(motion->frame_count()) * static_cast<std::size_t>(subject.rig.joint_count());
    if (!motions.empty() && turns > kMostTurns) break;
    motions.push_back(std::move(motion).value());
  }
  std::vector<const kinematics::Motion*> all;
  for (const kinematics::Motion& motion : motions) all.push_back(&motion);
  RiggedParts rigged;
  rigged.mesh.facing = anatomy::believed_facing(asset);
  rigged.mesh.points = rest_points(subject);
  rigged.parts = find_moving_parts(subject.rig, rigged.mesh.points, subject.triangles, subject.weights, all, settings);
  for (Vec3& p : rigged.mesh.points) p = upright(rigged.mesh.facing, p.cast<double>());
  rigged.mesh.triangles = subject.triangles;
  rigged.mesh.colors = point_colors(asset, subject.ranges, subject.points.size());
  return rigged;
}

}  // namespace limber::parts
