// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/surface_regions.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

#include "limber/parts/painted_surface.h"

namespace limber::parts {
namespace {

constexpr double kColorScale = 0.05;  // apart in colour: as much against a triangle's move as all of its border for it
constexpr double kLargest = std::numeric_limits<double>::max();

/// Regions of triangles that hang together. Each is known by one of its triangles.
class Regions {
 public:
  /// `frame`: of the colours.
  Regions(const PaintedSurface& surface, const CodeFrame& frame, double middle_weight)
      : middle_weight_(middle_weight), leader_(surface.colors.size()), regions_(surface.colors.size()) {
    std::iota(leader_.begin(), leader_.end(), std::size_t{0});
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      const Vec3 due = part_color(frame.code(surface.middles[i].cast<float>()));
      regions_[i].share = surface.shares[i], regions_[i].sum = surface.shares[i] * surface.colors[i];
      regions_[i].due = surface.shares[i] * due.cast<double>();
      regions_[i].loose = surface.loose[i];
      for (const PaintedSurface::Neighbor& n : surface.neighbors[i]) regions_[i].neighbors.push_back(n.triangle);
    }
  }

  std::size_t leader(std::size_t triangle) const {
    while (leader_[triangle] != triangle) triangle = leader_[triangle] = leader_[leader_[triangle]];
    return triangle;
  }
  Vec3d color(std::size_t region) const { return regions_[region].sum / regions_[region].share; }
  double share(std::size_t region) const { return regions_[region].share; }
  std::size_t size() const { return regions_.size(); }  ///< triangles
  int loose(std::size_t region) const { return regions_[region].loose; }

  /// Joins neighbours, those first that change their colours least.
  void join(double least_spread) {
    std::priority_queue<Step> steps;
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      for (const std::size_t n : regions_[i].neighbors) {
        if (n > i) steps.push(step(i, n));
      }
    }
    while (!steps.empty()) {
      const Step next = steps.top();
      steps.pop();
      if (next.spread > least_spread) return;
      if (regions_[next.a].stamp != next.stamp_a || regions_[next.b].stamp != next.stamp_b) continue;  // it has changed
      const std::size_t joined = merge(next.a, next.b);
      for (const std::size_t n : neighbors(joined)) steps.push(step(joined, n));
    }
  }

  /// Gives small regions to the most alike of their neighbours, the smallest first.
  void absorb_small(double least_share) {
    std::vector<std::size_t> small = leaders();
    std::erase_if(small, [&](std::size_t r) { return share(r) >= least_share; });
    std::stable_sort(small.begin(), small.end(), [&](auto a, auto b) { return share(a) < share(b); });
    for (const std::size_t r : small) {
      if (leader(r) != r || share(r) >= least_share) continue;  // it has grown
      const std::vector<std::size_t>& around = neighbors(r);
      if (around.empty()) continue;
      merge(r, *std::min_element(around.begin(), around.end(), [&](std::size_t a, std::size_t b) {
              return squared_norm(color(a) - color(r)) < squared_norm(color(b) - color(r));
            }));
    }
  }

  std::vector<std::size_t> leaders() const {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < leader_.size(); ++i) {
      if (leader_[i] == i) all.push_back(i);
    }
    return all;
  }

 private:
  struct Region {
    Vec3d sum;  ///< of colours times shares of the surface
    Vec3d due;  ///< likewise of the colours of places: divided by the share, that of a part which ends here
    double share = 0;
    int stamp = 0, loose = 0;
    std::vector<std::size_t> neighbors;  ///< triangles; those of regions that were joined since lead to them
  };
  struct Step {
    double spread;
    std::size_t a, b;
    int stamp_a, stamp_b;
    /// The least spread is on top; ties by number, so that the same input gives the same parts.
    bool operator<(const Step& o) const {
      return spread != o.spread ? spread > o.spread : std::pair(a, b) > std::pair(o.a, o.b);
    }
  };

  /// By how much the squares of distances to the mean colour grow, and those of means to the colours that are due.
  Step step(std::size_t a, std::size_t b) const {
    const double all = share(a) + share(b), both = share(a) * share(b) / all;
    double spread = both * squared_norm(color(a) - color(b));
    if (middle_weight_ > 0) {
      const Vec3d amiss = regions_[a].sum - regions_[a].due, other = regions_[b].sum - regions_[b].due;
      spread += middle_weight_ *
                (squared_norm(amiss + other) / all - squared_norm(amiss) / share(a) - squared_norm(other) / share(b));
    }
    return {spread, a, b, regions_[a].stamp, regions_[b].stamp};
  }

  /// Around a region, each once.
  const std::vector<std::size_t>& neighbors(std::size_t region) {
    std::vector<std::size_t>& list = regions_[region].neighbors;
    for (std::size_t& n : list) n = leader(n);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    std::erase(list, region);
    return list;
  }

  std::size_t merge(std::size_t a, std::size_t b) {
    if (regions_[a].neighbors.size() < regions_[b].neighbors.size()) std::swap(a, b);
    Region &into = regions_[a], &from = regions_[b];
    into.sum += from.sum, into.due += from.due, into.share += from.share, ++into.stamp, ++from.stamp;
    into.neighbors.insert(into.neighbors.end(), from.neighbors.begin(), from.neighbors.end());
    from.neighbors = {};
    leader_[b] = a;
    return a;
  }

  double middle_weight_;
  mutable std::vector<std::size_t> leader_;  ///< paths to leaders are made shorter on the way
  std::vector<Region> regions_;
};

/// Parts of regions, largest first: those of loose pieces of the mesh join others that are alike.
std::vector<int> number_parts(const Regions& regions, const RegionSettings& settings, std::vector<Vec3d>& colors) {
  std::vector<std::size_t> all = regions.leaders();
  std::stable_sort(all.begin(), all.end(), [&](auto a, auto b) { return regions.share(a) > regions.share(b); });
  std::map<std::size_t, int> part_of;
  std::vector<std::size_t> first;  // region of each part
  for (const std::size_t r : all) {
    std::size_t best = first.size();
    double least = regions.share(r) < settings.least_share ? kLargest : settings.alike;
    for (std::size_t p = 0; p < first.size(); ++p) {
      const double apart = norm(regions.color(first[p]) - regions.color(r));
      if (regions.loose(first[p]) != regions.loose(r) && apart < least) least = apart, best = p;
    }
    part_of[r] = static_cast<int>(best);
    if (best == first.size()) first.push_back(r), colors.push_back(regions.color(r));
  }
  std::vector<int> parts;
  for (std::size_t i = 0; i < regions.size(); ++i) parts.push_back(part_of.at(regions.leader(i)));
  return parts;
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
  Regions regions(surface, frame, settings.middle_weight);
  regions.join(settings.least_spread);
  regions.absorb_small(settings.least_share);
  std::vector<Vec3d> colors;
  std::vector<int> parts = number_parts(regions, settings, colors);
  smooth(surface, colors, settings, parts);
  return parts_of_input(triangles, surface.welded, parts);
}

}  // namespace limber::parts
