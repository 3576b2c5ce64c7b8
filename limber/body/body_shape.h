// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/body/distance_field.h"
#include "limber/body/mirror_plane.h"
#include "limber/body/solid_proxy.h"
#include "limber/body/sphere_graph.h"
#include "limber/body/weld.h"

namespace limber::body {

/// Everything that fitting a skeleton needs to know of a surface, computed once.
struct BodyShape {
  WeldedSurface surface;
  SolidProxy solid;
  DistanceField field;
  SphereGraph graph;
  int centre = 0;                   ///< sphere: the body's middle
  ShortestPaths paths;              ///< from there
  std::vector<Tip> tips;            ///< as seen from there; also faint ones
  std::vector<MirrorPlane> planes;  ///< see find_mirror_planes
  double size = 1;                  ///< longest side of the box

  const MedialSphere& sphere(int s) const { return graph.spheres[static_cast<std::size_t>(s)]; }
  /// Straight from one sphere's centre to another's.
  double distance(int a, int b) const { return norm(sphere(a).centre - sphere(b).centre); }
};

/// Branches at least this many times longer than the radius where they leave count as limbs; `BodyShape::tips` has
/// fainter ones too, for heads without a neck.
inline constexpr double kLimbRatio = 1.5;

/// Finer than for weights: legs that stand close together must not fuse.
inline constexpr SolidSettings kShapeSolid{256, 8000000, 3};

/// What becomes of what is not the body: loose specks, and a sheet that all else stands on.
enum class Debris : std::uint8_t { kLeaveOut, kKeep };

/// Middle, paths and tips of the graph as it is.
void find_paths(BodyShape& body);

/// Works for any input, even none: a single sphere then.
BodyShape study_body(std::span<const Vec3> points, std::span<const Triangle> triangles,
                     const SolidSettings& settings = kShapeSolid, Debris debris = Debris::kLeaveOut);

}  // namespace limber::body
