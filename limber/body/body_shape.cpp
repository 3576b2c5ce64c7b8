// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/body_shape.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber::body {
namespace {

constexpr int kSamples = 2000;
constexpr double kFaintRatio = 0.6;
constexpr double kWhole = 0.8;       // share of the surface that makes a piece the whole
constexpr double kSpeck = 0.004;     // of the body's size: pieces smaller than this tell nothing of its shape ...
constexpr double kSpecksMost = 0.1;  // ... unless they are more than this share of its surface
constexpr double kUpright = 0.9;     // cosine: the top of a pedestal is level
constexpr double kGap = 1.2;  // cells: how wide gaps between the pieces of a body are that do not part it, halved

/// About the longest side of a body, whatever lies about far from it: by how far its surface spreads.
double spread_size(const WeldedSurface& surface) {
  double area = 0;
  Vec3d middle;
  const auto visit = [&](auto&& use) {
    for (const Triangle& c : surface.triangles) {
      const Vec3d a = surface.points[c[0]], b = surface.points[c[1]], d = surface.points[c[2]];
      use(norm(cross(b - a, d - a)), (1.0 / 3) * (a + b + d));
    }
  };
  visit([&](double piece, Vec3d at) { area += piece, middle += piece * at; });
  if (!(area > 0)) return 0;
  middle = (1 / area) * middle;
  double spread = 0;
  visit([&](double piece, Vec3d at) { spread += piece * squared_norm(at - middle); });
  return std::sqrt(12 * spread / area);  // exact for a rod
}

/// Takes out the triangles of loose specks (scanner noise, dust), each of which would be a limb of its own. Points
/// stay, so that numbers still lead back to the input.
void leave_out_specks(WeldedSurface& surface) {
  const double size = kSpeck * spread_size(surface);
  struct Piece {
    Vec3d low, high;
    double area = 0;
  };
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<Piece> pieces(static_cast<std::size_t>(surface.component_count), {{inf, inf, inf}, {-inf, -inf, -inf}});
  const auto piece_of = [&](const Triangle& t) -> Piece& {
    return pieces[static_cast<std::size_t>(surface.component[t[0]])];
  };
  for (const Triangle& t : surface.triangles) {
    const Vec3d a = surface.points[t[0]], b = surface.points[t[1]], c = surface.points[t[2]];
    Piece& piece = piece_of(t);
    piece.low = min(piece.low, min(a, min(b, c))), piece.high = max(piece.high, max(a, max(b, c)));
    piece.area += norm(cross(b - a, c - a));
  }
  const auto is_speck = [&](const Piece& piece) {
    const Vec3d extent = piece.high - piece.low;
    return std::max({extent.x, extent.y, extent.z}) < size;
  };
  double specks = 0, total = 0;
  for (const Piece& piece : pieces) specks += is_speck(piece) ? piece.area : 0, total += piece.area;
  if (specks == 0 || specks > kSpecksMost * total) return;
  std::size_t kept = 0;
  surface.low = {inf, inf, inf}, surface.high = {-inf, -inf, -inf};
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const Piece& piece = piece_of(surface.triangles[t]);
    if (is_speck(piece)) continue;
    surface.low = min(surface.low, piece.low), surface.high = max(surface.high, piece.high);
    surface.triangles[kept] = surface.triangles[t], surface.source[kept++] = surface.source[t];
  }
  surface.triangles.resize(kept), surface.source.resize(kept);
}

/// How far points reach along a direction.
struct Reach {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void add(double height) { low = std::min(low, height), high = std::max(high, height); }
  double length() const { return high - low; }
};

/// One piece of a surface, seen along the normal of its largest triangle, and all the others.
struct GroundView {
  Vec3d normal;
  Reach piece, others;
  double piece_radius = 0, others_radius = 0;  ///< from the piece's middle, across the normal
  Vec3d others_low, others_high;
};

GroundView view_ground(const WeldedSurface& surface, const Triangle& largest) {
  const int ground = surface.component[largest[0]];
  const Vec3d on = surface.points[largest[0]];
  GroundView view;
  view.normal = normalized(cross(surface.points[largest[1]] - on, surface.points[largest[2]] - on));
  view.others_low = surface.high, view.others_high = surface.low;
  Vec3d middle;
  double corners = 0;
  for (const Triangle& t : surface.triangles) {
    if (surface.component[t[0]] != ground) continue;
    for (const std::uint32_t c : t) middle += surface.points[c], corners += 1;
  }
  middle = (1 / corners) * middle;
  for (const Triangle& t : surface.triangles) {
    const bool of_ground = surface.component[t[0]] == ground;
    for (const std::uint32_t c : t) {
      const Vec3d p = surface.points[c] - middle;
      const double height = dot(p, view.normal), away = norm(p - height * view.normal);
      double& radius = of_ground ? view.piece_radius : view.others_radius;
      radius = std::max(radius, away);
      (of_ground ? view.piece : view.others).add(height);
      if (of_ground) continue;
      view.others_low = min(view.others_low, surface.points[c]);
      view.others_high = max(view.others_high, surface.points[c]);
    }
  }
  return view;
}

/// Takes out what all else stands on and that reaches farther: a flat sheet, the ground of a scan or of a file that was
/// made to be looked at; or a block below, along -Y, that is lower than what stands on it: a pedestal.
void leave_out_ground(WeldedSurface& surface) {
  const double thin = kSpeck * spread_size(surface);
  // The piece of the largest triangle: whoever gives a body a ground gives it few of them.
  const auto area_of = [&](const Triangle& t) {
    return norm(cross(surface.points[t[1]] - surface.points[t[0]], surface.points[t[2]] - surface.points[t[0]]));
  };
  const auto largest = std::max_element(surface.triangles.begin(), surface.triangles.end(),
                                        [&](const Triangle& a, const Triangle& b) { return area_of(a) < area_of(b); });
  if (largest == surface.triangles.end() || surface.component_count < 2) return;
  const int ground = surface.component[(*largest)[0]];
  const GroundView view = view_ground(surface, *largest);
  const bool above = view.others.low >= view.piece.high - thin, below = view.others.high <= view.piece.low + thin;
  const bool sheet = view.piece.length() <= 2 * thin;
  const bool upright = (above && view.normal.y > kUpright) || (below && view.normal.y < -kUpright);
  const bool pedestal = upright && view.piece.length() < view.others.length();
  if (!(sheet && (above || below)) && !pedestal) return;
  if (view.piece_radius < view.others_radius || view.others.length() <= 2 * thin) return;
  std::size_t kept = 0;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    if (surface.component[surface.triangles[t][0]] == ground) continue;
    surface.triangles[kept] = surface.triangles[t], surface.source[kept++] = surface.source[t];
  }
  surface.triangles.resize(kept), surface.source.resize(kept);
  surface.low = view.others_low, surface.high = view.others_high;
}

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

void find_paths(BodyShape& body) {
  body.centre = central_sphere(body.graph);
  body.paths = shortest_paths(body.graph, body.centre);
  body.tips = find_tips(body.graph, body.paths, kFaintRatio);
}

BodyShape study_body(std::span<const Vec3> points, std::span<const Triangle> triangles, const SolidSettings& settings,
                     Debris debris) {
  WeldedSurface surface = weld(points, triangles);
  if (debris == Debris::kLeaveOut) {
    leave_out_ground(surface);
    leave_out_specks(surface);
  }
  SolidProxy solid = make_solid(surface, settings);
  if (is_pieced(surface)) close_gaps(solid);
  DistanceField field(solid);
  SphereGraph graph = join_spheres(pack_spheres(field), field);
  const double size = std::max(surface.longest_side(), 8 * solid.grid.cell);
  std::vector<MirrorPlane> planes = find_mirror_planes(sample_surface(surface, kSamples), field, size);
  BodyShape body{
      std::move(surface), std::move(solid), std::move(field), std::move(graph), 0, {}, {}, std::move(planes), size};
  find_paths(body);
  return body;
}

}  // namespace limber::body
