// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/asset/pose.h"
#include "limber/base/result.h"

/// An asset as one list of points and triangles, for those who want no more of it, and back.
namespace limber::asset {

struct Surface {
  std::vector<Vec3> points;
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< counter-clockwise from outside
};

/// Everything that the default scene shows, in the asset's world: `posed_geometry` in its order, rounded to float.
/// `with_triangles` false: the points alone, for states of an asset whose triangles are known.
Surface posed_surface(const Asset& asset, const NodeState& state, bool with_triangles = true);

/// One mesh on one node. Fails where there is no triangle, one names a point that is not there, or a number is not
/// finite; `name` is the asset's, in errors too.
Result<Asset> asset_from_surface(Surface surface, const std::string& name);

/// One node above all that the default scene shows, which turns it.
void turn_scene(Asset& asset, Quat turn);

}  // namespace limber::asset
