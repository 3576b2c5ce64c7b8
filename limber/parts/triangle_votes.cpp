// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/triangle_votes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <string>
#include <utility>

#include "limber/base/expect.h"
#include "limber/body/weld.h"

namespace limber::parts {
namespace {

constexpr double kCrease = 3;  // a right angle is as far as so many lengths of a flat step

/// Triangles of a welded surface that share an edge.
struct TriangleGraph {
  struct Neighbor {
    std::uint32_t triangle;
    double cost;    ///< to step there
    double border;  ///< length of the edge
  };
  std::vector<std::vector<Neighbor>> neighbors;
  std::vector<Vec3d> centers;
  std::vector<double> areas;
  double total = 0;

  explicit TriangleGraph(const body::WeldedSurface& surface) : neighbors(surface.triangles.size()) {
    std::vector<Vec3d> normals;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> edges;
    for (std::uint32_t i = 0; i < surface.triangles.size(); ++i) {
      const Triangle& t = surface.triangles[i];
      const Vec3d a = surface.points[t[0]], b = surface.points[t[1]], c = surface.points[t[2]];
      const Vec3d normal = cross(b - a, c - a);
      centers.push_back((a + b + c) / 3.0), areas.push_back(0.5 * norm(normal)), normals.push_back(normalized(normal));
      total += areas.back();
      for (std::size_t k = 0; k < 3; ++k) edges[std::minmax(t[k], t[(k + 1) % 3])].push_back(i);
    }
    for (const auto& [edge, sides] : edges) {
      const double border = norm(surface.points[edge.first] - surface.points[edge.second]);
      // In a row rather than all with all: a file may hang any number of triangles on one edge.
      for (std::size_t i = 0; i + 1 < sides.size(); ++i) {
        const std::uint32_t a = sides[i], b = sides[i + 1];
        const double bent = 1 - dot(normals[a], normals[b]);
        const double step = norm(centers[a] - centers[b]) * (1 + kCrease * bent);
        neighbors[a].push_back({b, step, border}), neighbors[b].push_back({a, step, border});
      }
    }
  }
};

/// Votes for parts, per triangle.
using Ballot = std::map<int, double>;

/// Whether a pixel has a neighbour of another label.
bool is_at_edge(const LabelledPictures& view, std::size_t pixel) {
  const std::vector<int>& labels = view.labels;
  const auto size = static_cast<std::size_t>(view.pictures.size);
  const std::size_t x = pixel % size, y = pixel / size % size;
  const auto differs = [&](bool there, std::size_t other) { return !there || labels[other] != labels[pixel]; };
  return differs(x > 0, pixel - 1) || differs(x + 1 < size, pixel + 1) || differs(y > 0, pixel - size) ||
         differs(y + 1 < size, pixel + size);
}

/// Ballots of the input's triangles.
std::vector<Ballot> count_votes(std::size_t triangles, std::span<const LabelledPictures> views,
                                const VoteSettings& settings) {
  std::vector<Ballot> ballots(triangles);
  for (const LabelledPictures& view : views) {
    for (std::size_t i = 0; i < view.labels.size(); ++i) {
      const std::int32_t triangle = view.pictures.triangles[i];
      if (view.labels[i] < 0 || triangle < 0) continue;
      const double weight = is_at_edge(view, i) ? settings.edge_weight : 1;
      ballots[static_cast<std::size_t>(triangle)][view.labels[i]] += weight * double(view.pictures.facings[i]);
    }
  }
  return ballots;
}

int winner(const Ballot& ballot) {
  const auto most =
      std::max_element(ballot.begin(), ballot.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == ballot.end() ? -1 : most->first;
}

/// Labels spread from triangles that have one to those that have -1.
void spread(const TriangleGraph& graph, std::vector<int>& labels) {
  using Entry = std::pair<double, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  std::vector<double> distance(labels.size(), std::numeric_limits<double>::max());
  std::vector<std::uint32_t> seeds;
  for (std::uint32_t i = 0; i < labels.size(); ++i) {
    if (labels[i] >= 0) distance[i] = 0, open.push({0, i}), seeds.push_back(i);
  }
  while (!open.empty()) {
    const auto [reached, from] = open.top();
    open.pop();
    if (reached > distance[from]) continue;
    for (const TriangleGraph::Neighbor& next : graph.neighbors[from]) {
      if (reached + next.cost >= distance[next.triangle]) continue;
      distance[next.triangle] = reached + next.cost, labels[next.triangle] = labels[from];
      open.push({distance[next.triangle], next.triangle});
    }
  }
  // Loose pieces that nobody sees take after what is nearest in space.
  for (std::uint32_t i = 0; i < labels.size(); ++i) {
    double least = std::numeric_limits<double>::max();
    if (labels[i] >= 0) continue;
    for (const std::uint32_t seed : seeds) {
      const double apart = squared_norm(graph.centers[seed] - graph.centers[i]);
      if (apart < least) least = apart, labels[i] = labels[seed];
    }
  }
}

/// Triangles agree with their votes and their neighbours (iterated conditional modes, Besag 1986).
void smooth(const TriangleGraph& graph, const std::vector<Ballot>& ballots, const VoteSettings& settings,
            std::vector<int>& labels) {
  for (int sweep = 0; sweep < settings.sweeps; ++sweep) {
    bool changed = false;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      Ballot opinion;
      double sum = 0, border = 0;
      for (const auto& [label, weight] : ballots[i]) sum += weight;
      for (const auto& [label, weight] : ballots[i]) opinion[label] += weight / std::max(sum, 1e-9);
      for (const TriangleGraph::Neighbor& n : graph.neighbors[i]) border += n.border;
      for (const TriangleGraph::Neighbor& n : graph.neighbors[i])
        opinion[labels[n.triangle]] += settings.smoothness * 2 * n.border / std::max(border, 1e-12);
      opinion[labels[i]] += 1e-6;  // ties change nothing
      const int best = winner(opinion);
      changed = changed || best != labels[i];
      labels[i] = best;
    }
    if (!changed) return;
  }
}

/// Pieces of one label that hang together.
struct Pieces {
  std::vector<int> piece;  ///< per triangle
  std::vector<double> areas;
  std::vector<int> labels, loose;  ///< per piece: its label, and which loose piece of the mesh it is on
};

Pieces find_pieces(const TriangleGraph& graph, const std::vector<int>& labels, const body::WeldedSurface& surface) {
  Pieces pieces;
  pieces.piece.assign(labels.size(), -1);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (pieces.piece[i] >= 0) continue;
    const int number = static_cast<int>(pieces.areas.size());
    pieces.areas.push_back(0), pieces.labels.push_back(labels[i]);
    pieces.loose.push_back(surface.component[surface.triangles[i][0]]);
    open.assign(1, i), pieces.piece[i] = number;
    while (!open.empty()) {
      const std::size_t from = open.back();
      open.pop_back();
      pieces.areas.back() += graph.areas[from];
      for (const TriangleGraph::Neighbor& n : graph.neighbors[from]) {
        if (pieces.piece[n.triangle] >= 0 || labels[n.triangle] != labels[i]) continue;
        pieces.piece[n.triangle] = number, open.push_back(n.triangle);
      }
    }
  }
  return pieces;
}

/// Gives small pieces to the neighbour with the longest border. True where anything changed.
bool absorb_small(const TriangleGraph& graph, const body::WeldedSurface& surface, double least,
                  std::vector<int>& labels) {
  const Pieces pieces = find_pieces(graph, labels, surface);
  std::vector<Ballot> borders(pieces.areas.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (const TriangleGraph::Neighbor& n : graph.neighbors[i]) {
      if (labels[n.triangle] != labels[i])
        borders[static_cast<std::size_t>(pieces.piece[i])][labels[n.triangle]] += n.border;
    }
  }
  // The smallest alone: what is left of the others may be large enough then.
  std::size_t smallest = pieces.areas.size();
  for (std::size_t p = 0; p < pieces.areas.size(); ++p) {
    if (borders[p].empty() || pieces.areas[p] >= least) continue;
    if (smallest == pieces.areas.size() || pieces.areas[p] < pieces.areas[smallest]) smallest = p;
  }
  if (smallest == pieces.areas.size()) return false;
  const int label = winner(borders[smallest]);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (pieces.piece[i] == static_cast<int>(smallest)) labels[i] = label;
  }
  return true;
}

/// Pieces of a part that lie apart on the same loose piece of the mesh become parts of their own.
void split_parts(const TriangleGraph& graph, const body::WeldedSurface& surface, std::vector<int>& labels) {
  const Pieces pieces = find_pieces(graph, labels, surface);
  std::map<std::pair<int, int>, std::size_t> largest;  // by label and loose piece
  for (std::size_t p = 0; p < pieces.areas.size(); ++p) {
    const auto [found, first] = largest.emplace(std::pair{pieces.labels[p], pieces.loose[p]}, p);
    if (!first && pieces.areas[p] > pieces.areas[found->second]) found->second = p;
  }
  int next = *std::max_element(labels.begin(), labels.end()) + 1;
  std::vector<int> renamed;
  for (std::size_t p = 0; p < pieces.areas.size(); ++p) {
    const bool main = largest.at({pieces.labels[p], pieces.loose[p]}) == p;
    renamed.push_back(main ? pieces.labels[p] : next++);
  }
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = renamed[static_cast<std::size_t>(pieces.piece[i])];
}

/// Labels of all triangles of the input, numbered anew: those that say nothing (no area) take after another triangle at
/// one of their points.
std::vector<int> labels_of_input(std::span<const Triangle> triangles, const body::WeldedSurface& surface,
                                 const std::vector<int>& labels) {
  std::vector<int> all(triangles.size(), -1), of_point(surface.points.size(), -1);
  std::map<int, int> numbers;
  for (const int label : labels) numbers.emplace(label, 0);
  int next = 0;
  for (auto& [label, number] : numbers) number = next++;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    all[surface.source[i]] = numbers.at(labels[i]);
    for (const std::uint32_t corner : surface.triangles[i]) of_point[corner] = numbers.at(labels[i]);
  }
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (const std::uint32_t corner : triangles[t]) {
      if (all[t] < 0 && corner < surface.welded.size()) all[t] = of_point[surface.welded[corner]];
    }
    all[t] = std::max(all[t], 0);
  }
  return all;
}

}  // namespace

std::vector<int> vote_triangles(std::span<const Vec3> points, std::span<const Triangle> triangles,
                                std::span<const LabelledPictures> views, const VoteSettings& settings) {
  for (const LabelledPictures& view : views) {
    LIMBER_EXPECT(view.labels.size() == view.pictures.pixels() && view.pictures.triangles.size() == view.labels.size(),
                  std::to_string(view.labels.size()));
  }
  const body::WeldedSurface surface = body::weld(points, triangles);
  const TriangleGraph graph(surface);
  const std::vector<Ballot> votes = count_votes(triangles.size(), views, settings);
  std::vector<Ballot> ballots;
  std::vector<int> found;
  for (const std::uint32_t source : surface.source)
    ballots.push_back(votes[source]), found.push_back(winner(ballots.back()));
  if (std::all_of(found.begin(), found.end(), [](int label) { return label < 0; }))
    return std::vector<int>(triangles.size(), 0);
  spread(graph, found);
  smooth(graph, ballots, settings, found);
  while (absorb_small(graph, surface, settings.least_share * graph.total, found)) {
  }
  split_parts(graph, surface, found);
  return labels_of_input(triangles, surface, found);
}

}  // namespace limber::parts
