// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/math.h"
#include "limber/base/result.h"
#include "limber/rig/asset_skeleton.h"
#include "limber/rig/rig.h"
#include "limber/rig/subject.h"

/// The geometry that a skeleton moves, bound to it. In the asset's units; private to `rig`.
namespace limber::rig {

/// Stands for the root of the whole tree, which is known only after the forest is joined.
inline constexpr int kRootJoint = -1;

struct SkeletonBone {
  int joint = kRootJoint;
  Affined joint_from_bind;
};

struct SubjectGeometry {
  std::vector<Vec3d> points, normals;  ///< bind space
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<std::vector<Influence>> influences;  ///< per point, as fractions of their sum
  std::vector<PointRange> ranges;
  std::vector<SkeletonBone> bones;
  std::size_t unweighted = 0;     ///< points of skinned meshes that have no weight
  std::size_t static_meshes = 0;  ///< shown mesh nodes that nothing moves, left out
};

Result<SubjectGeometry> gather_geometry(const asset::Asset& asset, const AssetSkeleton& skeleton,
                                        const std::vector<bool>& shown, const std::vector<bool>& skins);

/// The points at rest, world space.
std::vector<Vec3d> rest_points(const SubjectGeometry& geometry, const AssetSkeleton& skeleton);

}  // namespace limber::rig
