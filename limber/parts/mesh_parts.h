// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "limber/base/progress.h"
#include "limber/base/result.h"
#include "limber/parts/parts_denoiser.h"
#include "limber/parts/parts_sample.h"
#include "limber/parts/surface_regions.h"
#include "limber/parts/view_agreement.h"

/// The kinematic parts of a mesh.
namespace limber::parts {

/// A mesh as it stands, +Y up, in any unit.
struct StaticMesh {
  std::span<const Vec3> points;
  std::span<const Triangle> triangles;
  std::span<const Vec3> colors;  ///< per point, as displays show them; empty: grey
};

struct MeshPartsSettings {
  float azimuth = 0;        ///< of its front: 0 faces +Z, growing towards +X
  float elevation = 0.25f;  ///< of the cameras, radians
  bool orbit = true;        ///< all pictures from other sides (`PictureSettings::orbit`); false: frames are all alike
  int view_sets = 3;        ///< looks from all sides, turned against each other
  int steps = 4;            ///< of drawing
  std::uint64_t seed = 0;
  RegionSettings regions;
  DrawParts draw = sample_parts;
  Progress progress;
};

struct MeshParts {
  std::vector<int> triangles;           ///< per triangle: its part
  std::vector<Vec3> colors;             ///< per part: by where its middle is, as displays show them
  std::vector<LabelledPictures> views;  ///< what the network saw, and which of the parts it painted most likely there
  double agreement = 0;                 ///< of what the views say of the same places: `view_agreement`
};

/// Draws a mesh from all sides and lets the network paint its parts. Fails where nothing of it is seen, or when
/// cancelled.
Result<std::vector<PaintedViews>> paint_mesh(const PartsDenoiser& denoiser, const StaticMesh& mesh,
                                             const MeshPartsSettings& settings = {});

/// Brings painted parts, one set of views or more, back onto the mesh, as regions of its surface.
MeshParts decode_parts(const StaticMesh& mesh, const std::vector<PaintedViews>& sets,
                       const MeshPartsSettings& settings = {});

/// Draws a mesh from all sides, lets the network paint its parts, and brings them back onto the mesh. The same bits for
/// any number of threads. Fails where nothing of it is seen, or when cancelled.
Result<MeshParts> find_mesh_parts(const PartsDenoiser& denoiser, const StaticMesh& mesh,
                                  const MeshPartsSettings& settings = {});

}  // namespace limber::parts
