// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/surface.h"

#include <algorithm>
#include <utility>

namespace limber::asset {

Surface posed_surface(const Asset& asset, const NodeState& state, bool with_triangles) {
  Surface surface;
  for (const PosedPrimitive& part : posed_geometry(asset, state)) {
    const auto first = static_cast<std::uint32_t>(surface.points.size());
    for (const Vec3d& p : part.positions) surface.points.push_back(p.cast<float>());
    if (!with_triangles) continue;
    const Primitive& primitive =
        asset.meshes[static_cast<std::size_t>(part.mesh)].primitives[static_cast<std::size_t>(part.primitive)];
    for (const auto& [a, b, c] : triangles(primitive))
      surface.triangles.push_back({first + a, first + (part.mirrored ? c : b), first + (part.mirrored ? b : c)});
  }
  return surface;
}

Result<Asset> asset_from_surface(Surface surface, const std::string& name) {
  if (surface.triangles.empty()) return Error{"has no triangles", name};
  Primitive primitive;
  for (std::size_t i = 0; i < surface.points.size(); ++i) {
    if (!is_finite(surface.points[i])) return Error{"is not finite", name + "#/vertices/" + std::to_string(i)};
  }
  for (std::size_t i = 0; i < surface.triangles.size(); ++i) {
    for (const std::uint32_t point : surface.triangles[i]) {
      if (point >= surface.points.size()) {
        return Error{"names vertex " + std::to_string(point) + " of " + std::to_string(surface.points.size()),
                     name + "#/faces/" + std::to_string(i)};
      }
      primitive.indices.push_back(point);
    }
  }
  primitive.positions = std::move(surface.points);
  Asset asset;
  asset.name = name;
  asset.meshes.push_back({name, {std::move(primitive)}, {}});
  Node node;
  node.name = name, node.mesh = 0;
  asset.nodes.push_back(std::move(node));
  asset.scenes.push_back({"", {0}});
  asset.scene = 0;
  return asset;
}

void turn_scene(Asset& asset, Quat turn) {
  Node turned;
  turned.name = "upright";
  turned.local.rotation = turn;
  const auto index = static_cast<int>(asset.nodes.size());
  if (asset.scenes.empty()) {
    asset.scenes.emplace_back();
    const std::vector<int> above = parents(asset);
    for (int n = 0; n < index; ++n) {
      if (above[static_cast<std::size_t>(n)] < 0) asset.scenes[0].roots.push_back(n);
    }
  }
  Scene& scene = asset.scenes[static_cast<std::size_t>(std::max(asset.scene, 0))];
  turned.children = std::exchange(scene.roots, {index});
  asset.nodes.push_back(std::move(turned));
}

}  // namespace limber::asset
