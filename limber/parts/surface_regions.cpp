// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/surface_regions.h"

#include <algorithm>
#include <limits>
#include <map>

#include "limber/parts/joined_regions.h"
#include "limber/parts/painted_surface.h"

namespace limber::parts {
namespace {

constexpr double kColorScale = 0.05;  // apart in colour: as much against a triangle's move as all of its border for it
constexpr double kLargest = std::numeric_limits<double>::max();

/// Triangles as pieces, with colours of `frame`.
RegionPieces pieces_of(const PaintedSurface& surface, const CodeFrame& frame) {
  RegionPieces pieces{surface.colors, {}, surface.shares, surface.loose, {}};
  for (std::size_t i = 0; i < surface.colors.size(); ++i) {
    pieces.due.push_back(part_color(frame.code(surface.middles[i].cast<float>())).cast<double>());
    std::vector<std::size_t>& around = pieces.neighbors.emplace_back();
    for (const PaintedSurface::Neighbor& n : surface.neighbors[i]) around.push_back(n.triangle);
  }
  return pieces;
}

/// Triangles at borders go where their colour and most of their own border say (iterated conditional modes, Besag
/// 1986).
void smooth(const PaintedSurface& surface, const std::vector<Vec3d>& colors, const RegionSettings& settings,
            std::vector<int>& parts) {
  for (int sweep = 0; sweep < settings.sweeps; ++sweep) {
    bool changed = false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      double border = 0;
      std::map<int, double> shared{{parts[i], 0.0}};
      for (const PaintedSurface::Neighbor& n : surface.neighbors[i])
        border += n.border, shared[parts[n.triangle]] += n.border;
      if (shared.size() < 2) continue;
      int best = parts[i];
      double least = kLargest;
      for (const auto& [part, length] : shared) {
        const double apart = norm(surface.colors[i] - colors[static_cast<std::size_t>(part)]) / kColorScale;
        const double cost = apart * apart + settings.smoothness * (1 - length / std::max(border, 1e-300));
        if (cost < least || (cost == least && part == parts[i])) least = cost, best = part;
      }
      changed = changed || best != parts[i], parts[i] = best;
    }
    if (!changed) return;
  }
}

/// Of all triangles of the input, numbered anew without gaps: those that say nothing (no area) take after another
/// triangle at one of their points.
std::vector<int> parts_of_input(std::span<const Triangle> triangles, const body::WeldedSurface& welded,
                                const std::vector<int>& parts) {
  std::map<int, int> numbers;
  for (const int part : parts) numbers.emplace(part, 0);
  int next = 0;
  for (auto& [part, number] : numbers) number = next++;
  std::vector<int> all(triangles.size(), -1), of_point(welded.points.size(), -1);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    all[welded.source[i]] = numbers.at(parts[i]);
    for (const std::uint32_t corner : welded.triangles[i]) of_point[corner] = numbers.at(parts[i]);
  }
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (const std::uint32_t corner : triangles[t]) {
      if (all[t] < 0 && corner < welded.welded.size()) all[t] = of_point[welded.welded[corner]];
    }
    all[t] = std::max(all[t], 0);
  }
  return all;
}

}  // namespace

std::vector<int> find_regions(std::span<const Vec3> points, std::span<const Triangle> triangles,
                              std::span<const PaintedViews> views, const RegionSettings& settings) {
  PaintedSurface surface(points, triangles);
  surface.take_colors(views);
  const CodeFrame frame = views.empty() ? CodeFrame{} : views.front().pictures.frame;
  if (settings.mirrored < 1) surface.mirror_colors(frame, settings.mirrored);
  JoinedRegions joined = join_regions(pieces_of(surface, frame), settings);
  smooth(surface, joined.colors, settings, joined.parts);
  return parts_of_input(triangles, surface.welded, joined.parts);
}

}  // namespace limber::parts
