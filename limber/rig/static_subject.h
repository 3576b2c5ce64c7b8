// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/asset/asset.h"
#include "limber/base/result.h"
#include "limber/rig/subject.h"

/// Assets that have no rig yet, and their geometry.
namespace limber::rig {

/// Whether a mesh of the asset hangs on a skeleton.
bool has_skin(const asset::Asset& asset);

/// asset_world = scale * subject_world + offset.
struct Similarity {
  float scale = 1;
  Vec3 offset;

  Affined asset_from_subject() const { return {double(scale) * Mat3d::identity(), offset.cast<double>()}; }
};

/// Height one, standing on the ground, centred. Things that lie flat (a ray, a snake) have length one instead.
Similarity fit_similarity(const std::vector<Vec3d>& points);

/// A subject but for its rig and weights.
struct StaticSubject {
  std::vector<Vec3> points, normals;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<PointRange> ranges;
  Similarity similarity;
};

/// Everything that an asset shows, in its own world and unit.
struct ShownGeometry {
  std::vector<Vec3d> points;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<PointRange> ranges;
};

/// As it stands. Fails where `exporter::add_rig` would: no mesh, a skin, instances.
Result<ShownGeometry> gather_shown(const asset::Asset& asset);

/// Set on the ground, with normals.
StaticSubject make_static(ShownGeometry shown);

/// Both.
Result<StaticSubject> gather_static(const asset::Asset& asset);

}  // namespace limber::rig
