// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/joined_regions.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

namespace limber::parts {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

/// Pieces that hang together. Each region is known by one of its pieces.
class Regions {
 public:
  Regions(const RegionPieces& pieces, double middle_weight)
      : middle_weight_(middle_weight), leader_(pieces.colors.size()), regions_(pieces.colors.size()) {
    std::iota(leader_.begin(), leader_.end(), std::size_t{0});
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      regions_[i].share = pieces.shares[i], regions_[i].sum = pieces.shares[i] * pieces.colors[i];
      regions_[i].due = pieces.shares[i] * pieces.due[i];
      regions_[i].loose = pieces.loose[i], regions_[i].neighbors = pieces.neighbors[i];
    }
  }

  std::size_t leader(std::size_t piece) const {
    while (leader_[piece] != piece) piece = leader_[piece] = leader_[leader_[piece]];
    return piece;
  }
  Vec3d color(std::size_t region) const { return regions_[region].sum / regions_[region].share; }
  double share(std::size_t region) const { return regions_[region].share; }
  std::size_t size() const { return regions_.size(); }  ///< pieces
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
    Vec3d sum;  ///< of colours times shares
    Vec3d due;  ///< likewise of the colours of places: divided by the share, that of a part which ends here
    double share = 0;
    int stamp = 0, loose = 0;
    std::vector<std::size_t> neighbors;  ///< pieces; those of regions that were joined since lead to them
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

/// Parts of regions, largest first: those that hang on nothing join others that are alike.
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

}  // namespace

JoinedRegions join_regions(const RegionPieces& pieces, const RegionSettings& settings) {
  Regions regions(pieces, settings.middle_weight);
  regions.join(settings.least_spread);
  regions.absorb_small(settings.least_share);
  JoinedRegions joined;
  joined.parts = number_parts(regions, settings, joined.colors);
  return joined;
}

}  // namespace limber::parts
