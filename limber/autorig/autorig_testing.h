// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/asset/asset.h"
#include "limber/testing/surfaces.h"

/// Assets to rig, for tests.
namespace limber::autorig {

/// A file that shows the surface.
inline asset::Asset asset_of(const testing::TestSurface& surface) {
  asset::Asset asset;
  asset.name = "test.glb";
  asset.scenes = {{"scene", {0}}};
  asset.scene = 0;
  asset::Primitive primitive;
  primitive.positions = surface.points;
  for (const body::Triangle& t : surface.triangles)
    primitive.indices.insert(primitive.indices.end(), t.begin(), t.end());
  asset.meshes.push_back({"mesh", {primitive}, {}});
  asset::Node node;
  node.name = "mesh", node.mesh = 0;
  asset.nodes.push_back(node);
  return asset;
}

inline testing::TestSurface turned(testing::TestSurface surface, const Mat3d& turn) {
  for (Vec3& p : surface.points) p = (turn * p.cast<double>()).cast<float>();
  return surface;
}

}  // namespace limber::autorig
