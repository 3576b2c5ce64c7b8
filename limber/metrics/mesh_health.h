// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "limber/asset/asset.h"
#include "limber/base/math.h"

namespace limber::metrics {

/// Size and topology of what an asset's default scene shows at rest.
///
/// glTF splits vertices at seams, so topology is measured after welding by position, to 1e-5 of the bounding box's
/// diagonal; pieces of different nodes are never welded to each other. Skinned meshes are welded as they were bound.
struct MeshHealth {
  std::size_t vertices = 0;   ///< as stored, once per node that shows them
  std::size_t triangles = 0;  ///< strips and fans counted as triangles
  std::size_t welded_vertices = 0;
  std::size_t unreferenced_vertices = 0;  ///< that no triangle uses
  std::size_t components = 0;             ///< connected pieces
  std::size_t boundary_edges = 0;         ///< with one triangle: holes
  std::size_t nonmanifold_edges = 0;      ///< with three triangles or more
  std::size_t flipped_edges = 0;          ///< whose two triangles run along it the same way
  std::size_t degenerate_triangles = 0;   ///< with a corner twice, or hardly any area
  std::size_t duplicate_triangles = 0;    ///< beyond the first with the same corners
  bool inside_out = false;                ///< the enclosed volume is negative; only meaningful for closed surfaces
  Vec3d bounds_min, bounds_max;           ///< of the triangles (or points) as posed at rest; zero if there are none

  /// Triangles, and none of the defects above.
  bool closed_manifold() const {
    return triangles > 0 && boundary_edges + nonmanifold_edges + flipped_edges + degenerate_triangles == 0 &&
           duplicate_triangles == 0;
  }
};

/// In time linear in the size of the asset.
MeshHealth mesh_health(const asset::Asset& asset);

}  // namespace limber::metrics
