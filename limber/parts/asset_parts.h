// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/result.h"
#include "limber/parts/mesh_parts.h"
#include "limber/parts/moving_parts.h"
#include "limber/rig/facing.h"

/// The kinematic parts of what an asset shows.
namespace limber::parts {

/// What an asset shows, standing along +Y and facing +Z. Triangles are in the order of `rig::gather_shown`.
struct UprightMesh {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  std::vector<Vec3> colors;  ///< per point, by materials, textures and vertex colours, as displays show them
  rig::Facing facing;        ///< of the asset

  StaticMesh view() const { return {points, triangles, colors}; }
};

/// As it stands in its file; where it has a skin, as that is posed at rest. `facing` is found where nobody says.
Result<UprightMesh> upright_mesh(const asset::Asset& asset, const std::optional<rig::Facing>& facing = std::nullopt);

/// A rigged asset and its true parts, by all its clips.
struct RiggedParts {
  UprightMesh mesh;  ///< at rest; triangles are those of `rig::Subject`
  MovingParts parts;
};

/// Fails where nothing can move. Clips that cannot be read as motions are left out, and so are those after the first
/// few million turns of joints.
Result<RiggedParts> rigged_parts(const asset::Asset& asset, const MovingPartSettings& settings = {});

}  // namespace limber::parts
