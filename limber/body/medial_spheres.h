// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/base/math.h"
#include "limber/body/distance_field.h"

namespace limber::body {

/// A ball in the solid that touches its boundary on several sides.
struct MedialSphere {
  Vec3d centre;
  double radius = 0;
};

struct MedialSettings {
  /// A cell is medial where its nearest boundary points lie this far apart, as the cosine of the angle at the cell: 0
  /// is 90 degrees, -0.5 the 120 of the paper.
  double min_cosine = -0.3;
  double spacing = 0.6;        ///< of a sphere's radius: no smaller one has its centre nearer (1 in the paper)
  double min_spacing = 0.012;  ///< of the grid's longest side: distance between the centres of thin spheres
  int max_spheres = 1200;      ///< where there would be more, thin ones are farther apart; >= 1
};

/// Packs a solid with spheres on its medial axis, in the manner of Pinocchio (Baran and Popovic 2007, 3.1): largest
/// first, each centre outside all larger ones (shrunk by `spacing`). Sorted by radius, descending. At least one,
/// whatever the solid.
std::vector<MedialSphere> pack_spheres(const DistanceField& field, const MedialSettings& settings = {});

}  // namespace limber::body
