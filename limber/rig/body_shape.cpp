// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/body_shape.h"

#include <algorithm>

namespace limber::rig {
namespace {

constexpr int kSamples = 2000;
constexpr double kFaintRatio = 0.6;

}  // namespace

BodyShape study_body(std::span<const Vec3> points, std::span<const Triangle> triangles, const SolidSettings& settings) {
  WeldedSurface surface = weld(points, triangles);
  SolidProxy solid = make_solid(surface, settings);
  DistanceField field(solid);
  SphereGraph graph = join_spheres(pack_spheres(field), field);
  const int centre = central_sphere(graph);
  ShortestPaths paths = shortest_paths(graph, centre);
  std::vector<Tip> tips = find_tips(graph, paths, kFaintRatio);
  const double size = std::max(surface.longest_side(), 8 * solid.grid.cell);
  std::vector<MirrorPlane> planes = find_mirror_planes(sample_surface(surface, kSamples), field, size);
  return {std::move(surface),
          std::move(solid),
          std::move(field),
          std::move(graph),
          centre,
          std::move(paths),
          std::move(tips),
          std::move(planes),
          size};
}

}  // namespace limber::rig
