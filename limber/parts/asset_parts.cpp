// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/asset_parts.h"

#include <algorithm>

#include "limber/anatomy/find_facing.h"
#include "limber/asset/pose.h"
#include "limber/rig/static_subject.h"
#include "limber/scene/textures.h"
#include "limber/splat/surface.h"

namespace limber::parts {
namespace {

/// Colours of all points that a triangle has.
std::vector<Vec3> point_colors(const asset::Asset& asset, const rig::ShownGeometry& shown) {
  std::vector<Vec3> colors(shown.points.size(), Vec3{0.6f, 0.6f, 0.6f});
  const splat::TextureLookup lookup = scene::texture_lookup(scene::load_textures(asset));
  static constexpr Vec3 kCorners[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const rig::PointRange& range : shown.ranges) {
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

}  // namespace

Result<UprightMesh> upright_mesh(const asset::Asset& asset, const std::optional<rig::Facing>& facing) {
  const bool posed = rig::has_skin(asset);
  const asset::Asset still = posed ? asset::bake(asset, asset::rest_state(asset)) : asset::Asset{};
  const asset::Asset& seen = posed ? still : asset;
  LIMBER_TRY(const rig::ShownGeometry shown, rig::gather_shown(seen));
  UprightMesh mesh;
  mesh.facing = facing ? *facing : anatomy::believed_facing(asset);
  mesh.triangles = shown.triangles;
  const Vec3d up = mesh.facing.up.cast<double>(), ahead = mesh.facing.forward.cast<double>(), left = cross(up, ahead);
  mesh.points.reserve(shown.points.size());
  for (const Vec3d& p : shown.points) mesh.points.push_back(Vec3d{dot(left, p), dot(up, p), dot(ahead, p)}.cast<float>());
  mesh.colors = point_colors(seen, shown);
  return mesh;
}

}  // namespace limber::parts
