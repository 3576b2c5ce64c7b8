// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/math.h"
#include "limber/base/result.h"
#include "limber/rig/rig.h"

namespace limber::rig {

/// Where a run of a subject's points comes from.
struct PointRange {
  int node = -1, mesh = -1, primitive = -1;  ///< in the asset; the points are the primitive's vertices in order
  std::size_t first = 0, count = 0;
};

/// Something to animate: a rig and all the geometry that it moves, in one list. Its world is the asset's world,
/// uniformly scaled and shifted: height one, standing on y = 0, centred over the origin.
struct Subject {
  Rig rig;
  std::vector<Vec3> points;   ///< bind space
  std::vector<Vec3> normals;  ///< bind space, unit; computed where the asset has none
  std::vector<std::array<std::uint32_t, 3>> triangles;
  SkinWeights weights;  ///< one row per point
  std::vector<PointRange> ranges;
  float asset_scale = 1;  ///< asset_world = asset_scale * subject_world + asset_offset
  Vec3 asset_offset;
  std::vector<std::string> notes;  ///< decisions worth knowing: roots attached, points without weight ...
};

/// Builds the kinematic tree of an asset that has a skin or animated nodes.
///
/// Joints are the joints of all skins, and every node that a clip moves. Meshes below a joint without a skin hang on it
/// rigidly. Joint trees beside the main one (IK roots, hands without hierarchy) are attached to the joint whose skin
/// they touch most, or else to the nearest one; `Joint::node` still tells whose transform it is. Meshes that nothing
/// moves are left out.
Result<Subject> subject_from_asset(const asset::Asset& asset);

}  // namespace limber::rig
