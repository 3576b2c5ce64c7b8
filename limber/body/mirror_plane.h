// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/body/distance_field.h"
#include "limber/body/weld.h"

namespace limber::body {

/// The plane dot(normal, x) = offset, and how well a body is its own mirror image in it.
struct MirrorPlane {
  Vec3d normal{1, 0, 0};
  double offset = 0;
  double error = 1;  ///< mean distance of mirrored surface points from the surface, of the body's longest side

  double side(Vec3d p) const { return dot(normal, p) - offset; }
  Vec3d mirror(Vec3d p) const { return p - 2 * side(p) * normal; }
};

/// `count` points spread over a surface by area, always the same ones; corners where the surface has no area.
std::vector<Vec3d> sample_surface(const WeldedSurface& surface, int count);

/// The three planes across the axes, shifted to fit best, and then any tilted plane that is clearly better than those
/// near it. At most six, best first among the tilted ones.
std::vector<MirrorPlane> find_mirror_planes(std::span<const Vec3d> samples, const DistanceField& field, double size);

}  // namespace limber::body
