// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/body_shape.h"

#include <algorithm>
#include <cmath>

namespace limber::rig {
namespace {

constexpr int kSamples = 2000;
constexpr double kFaintRatio = 0.6;
constexpr double kWhole = 0.8;  // share of the surface that makes a piece the whole
constexpr double kGap = 1.2;    // cells: how wide gaps between the pieces of a body are that do not part it, halved

/// Whether a body is made of pieces that matter, not of one and its eyes.
bool is_pieced(const WeldedSurface& surface) {
  std::vector<double> area(static_cast<std::size_t>(surface.component_count), 0);
  double total = 0;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const Triangle& c = surface.triangles[t];
    const double piece =
        norm(cross(surface.points[c[1]] - surface.points[c[0]], surface.points[c[2]] - surface.points[c[0]]));
    area[static_cast<std::size_t>(surface.component[c[0]])] += piece, total += piece;
  }
  return !area.empty() && *std::max_element(area.begin(), area.end()) < kWhole * total;
}

/// Fills gaps between the pieces of a body (a morphological closing): plates over flesh, limbs that almost touch their
/// trunk. Bodies of one piece keep their legs apart.
void close_gaps(SolidProxy& solid) {
  const auto reach = static_cast<float>(kGap * solid.grid.cell);
  SolidProxy grown = solid;
  {
    const DistanceField field(solid);
    for (std::size_t c = 0; c < grown.solid.size(); ++c) grown.solid[c] = field.at(c) > -reach ? 1 : 0;
  }
  const DistanceField field(grown);
  for (std::size_t c = 0; c < solid.solid.size(); ++c) {
    if (solid.solid[c] != 0 || !(field.at(c) > reach)) continue;
    solid.solid[c] = 1, ++solid.solid_cells;
  }
}

}  // namespace

void find_ways(BodyShape& body) {
  body.centre = central_sphere(body.graph);
  body.paths = shortest_paths(body.graph, body.centre);
  body.tips = find_tips(body.graph, body.paths, kFaintRatio);
}

BodyShape study_body(std::span<const Vec3> points, std::span<const Triangle> triangles, const SolidSettings& settings) {
  WeldedSurface surface = weld(points, triangles);
  SolidProxy solid = make_solid(surface, settings);
  if (is_pieced(surface)) close_gaps(solid);
  DistanceField field(solid);
  SphereGraph graph = join_spheres(pack_spheres(field), field);
  const double size = std::max(surface.longest_side(), 8 * solid.grid.cell);
  std::vector<MirrorPlane> planes = find_mirror_planes(sample_surface(surface, kSamples), field, size);
  BodyShape body{
      std::move(surface), std::move(solid), std::move(field), std::move(graph), 0, {}, {}, std::move(planes), size};
  find_ways(body);
  return body;
}

}  // namespace limber::rig
