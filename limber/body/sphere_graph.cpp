// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/sphere_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>

#include "limber/base/threads.h"

namespace limber::body {
namespace {

bool overlap(const MedialSphere& a, const MedialSphere& b) {
  const double reach = a.radius + b.radius;
  return squared_norm(a.centre - b.centre) < reach * reach;
}

/// No other centre lies in the ball over the segment.
bool is_gabriel(const std::vector<MedialSphere>& spheres, std::size_t i, std::size_t j) {
  const Vec3d middle = 0.5 * (spheres[i].centre + spheres[j].centre);
  const double squared = squared_norm(spheres[i].centre - middle) * (1 - 1e-9);
  for (const MedialSphere& s : spheres) {
    if (squared_norm(s.centre - middle) < squared) return false;
  }
  return true;
}

void connect(SphereGraph& graph, std::size_t i, std::size_t j) {
  const double length = norm(graph.spheres[i].centre - graph.spheres[j].centre);
  graph.edges[i].push_back({static_cast<int>(j), length});
  graph.edges[j].push_back({static_cast<int>(i), length});
}

std::vector<int> number_parts(const SphereGraph& graph, int& count) {
  std::vector<int> part(graph.spheres.size(), -1);
  count = 0;
  std::vector<int> stack;
  for (int seed = 0; seed < graph.count(); ++seed) {
    if (part[static_cast<std::size_t>(seed)] >= 0) continue;
    stack.assign(1, seed);
    part[static_cast<std::size_t>(seed)] = count;
    while (!stack.empty()) {
      const int s = stack.back();
      stack.pop_back();
      for (const SphereGraph::Edge& edge : graph.edges[static_cast<std::size_t>(s)]) {
        if (part[static_cast<std::size_t>(edge.to)] >= 0) continue;
        part[static_cast<std::size_t>(edge.to)] = count;
        stack.push_back(edge.to);
      }
    }
    ++count;
  }
  return part;
}

/// Per part: about how much flesh it has.
std::vector<double> flesh_of_parts(const SphereGraph& graph, const std::vector<int>& part, int parts) {
  std::vector<double> flesh(static_cast<std::size_t>(parts), 0);
  for (std::size_t s = 0; s < part.size(); ++s)
    flesh[static_cast<std::size_t>(part[s])] += std::pow(graph.spheres[s].radius, 3);
  return flesh;
}

/// Joins all parts by the narrowest gaps between them (Prim over parts, from the one with the largest sphere).
void bridge_parts(SphereGraph& graph, double longest) {
  constexpr double kFigure = 0.7;  // of the largest part's flesh: what has less is a piece of it
  constexpr double kAside = 0.03;  // of the longest side: what is nearer almost touches
  int parts = 0;
  const std::vector<int> part = number_parts(graph, parts);
  if (parts <= 1) return;
  const std::vector<double> flesh = flesh_of_parts(graph, part, parts);
  const double most = *std::max_element(flesh.begin(), flesh.end());
  struct Gap {
    double width = std::numeric_limits<double>::infinity();
    std::size_t inside = 0, outside = 0;
  };
  std::vector<Gap> gap(static_cast<std::size_t>(parts));
  std::vector<bool> joined(static_cast<std::size_t>(parts), false);
  auto join = [&](int fresh) {
    joined[static_cast<std::size_t>(fresh)] = true;
    for (std::size_t i = 0; i < graph.spheres.size(); ++i) {
      if (part[i] != fresh) continue;
      for (std::size_t j = 0; j < graph.spheres.size(); ++j) {
        if (joined[static_cast<std::size_t>(part[j])]) continue;
        const double width =
            norm(graph.spheres[i].centre - graph.spheres[j].centre) - graph.spheres[i].radius - graph.spheres[j].radius;
        Gap& best = gap[static_cast<std::size_t>(part[j])];
        if (width < best.width) best = {width, i, j};
      }
    }
  };
  join(part[0]);
  for (int k = 1; k < parts; ++k) {
    int nearest = -1;
    for (int p = 0; p < parts; ++p) {
      if (joined[static_cast<std::size_t>(p)]) continue;
      if (nearest < 0 || gap[static_cast<std::size_t>(p)].width < gap[static_cast<std::size_t>(nearest)].width)
        nearest = p;
    }
    connect(graph, gap[static_cast<std::size_t>(nearest)].inside, gap[static_cast<std::size_t>(nearest)].outside);
    ++graph.bridges;
    const bool aside = gap[static_cast<std::size_t>(nearest)].width > kAside * longest;
    graph.figures += aside && flesh[static_cast<std::size_t>(nearest)] > kFigure * most ? 1 : 0;
    join(nearest);
  }
}

}  // namespace

SphereGraph join_spheres(std::vector<MedialSphere> spheres, const DistanceField& field) {
  SphereGraph graph;
  graph.spheres = std::move(spheres);
  const std::size_t n = graph.spheres.size();
  graph.edges.resize(n);
  const double cell = field.grid().cell;
  // Neighbours on the medial axis are not farther apart than a few radii, or the spacing of thin spheres. Asking only
  // those keeps sheets, where every centre sees every other, from costing the cube of their number.
  const VoxelGrid& grid = field.grid();
  const double spacing = 0.05 * cell * std::max({grid.size[0], grid.size[1], grid.size[2]});
  std::vector<std::vector<std::size_t>> links(n);
  parallel_for(n, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = i + 1; j < n; ++j) {
        const MedialSphere &a = graph.spheres[i], &b = graph.spheres[j];
        const double far = 3 * (a.radius + b.radius) + spacing;
        if (squared_norm(a.centre - b.centre) > far * far) continue;
        const double floor = 0.5 * std::min(a.radius, b.radius) - 0.5 * cell;
        if (field.depth(0.5 * (a.centre + b.centre)) < floor) continue;
        const bool near = overlap(a, b) || is_gabriel(graph.spheres, i, j);
        if (near && field.clear(a.centre, b.centre, floor)) links[i].push_back(j);
      }
    }
  });
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::size_t j : links[i]) connect(graph, i, j);
  }
  bridge_parts(graph, cell * std::max({grid.size[0], grid.size[1], grid.size[2]}));
  for (auto& list : graph.edges) {
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.to < b.to; });
  }
  return graph;
}

std::vector<int> ShortestPaths::path(int to) const {
  std::vector<int> path;
  for (int s = to; s >= 0; s = previous[static_cast<std::size_t>(s)]) path.push_back(s);
  std::reverse(path.begin(), path.end());
  return path;
}

ShortestPaths shortest_paths(const SphereGraph& graph, int from) {
  ShortestPaths paths;
  paths.from = from;
  paths.distance.assign(graph.spheres.size(), std::numeric_limits<double>::infinity());
  paths.previous.assign(graph.spheres.size(), -1);
  using Entry = std::pair<double, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  paths.distance[static_cast<std::size_t>(from)] = 0;
  queue.emplace(0, from);
  while (!queue.empty()) {
    const auto [distance, s] = queue.top();
    queue.pop();
    if (distance > paths.distance[static_cast<std::size_t>(s)]) continue;
    for (const SphereGraph::Edge& edge : graph.edges[static_cast<std::size_t>(s)]) {
      const double through = distance + edge.length;
      if (through >= paths.distance[static_cast<std::size_t>(edge.to)]) continue;
      paths.distance[static_cast<std::size_t>(edge.to)] = through;
      paths.previous[static_cast<std::size_t>(edge.to)] = s;
      queue.emplace(through, edge.to);
    }
  }
  return paths;
}

std::vector<Tip> find_tips(const SphereGraph& graph, const ShortestPaths& paths, double min_ratio) {
  // Flood from the far ends inward: a branch ends where its flood meets that of a longer one (the persistence of the
  // maxima of the distance).
  std::vector<int> order(graph.spheres.size());
  std::iota(order.begin(), order.end(), 0);
  auto height = [&](int s) {
    return paths.distance[static_cast<std::size_t>(s)] + graph.spheres[static_cast<std::size_t>(s)].radius;
  };
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return height(a) > height(b) || (height(a) == height(b) && a < b); });
  std::vector<int> flood(graph.spheres.size(), -1);  // disjoint sets over spheres; the root of a set is its peak
  auto find = [&](int s) {
    while (flood[static_cast<std::size_t>(s)] != s) {
      s = flood[static_cast<std::size_t>(s)] = flood[static_cast<std::size_t>(flood[static_cast<std::size_t>(s)])];
    }
    return s;
  };
  std::vector<Tip> tips;
  auto end_branch = [&](int peak, int fork) {
    const double length = height(peak) - paths.distance[static_cast<std::size_t>(fork)];
    if (length > min_ratio * graph.spheres[static_cast<std::size_t>(fork)].radius) tips.push_back({peak, length, fork});
  };
  for (const int s : order) {
    flood[static_cast<std::size_t>(s)] = s;
    for (const SphereGraph::Edge& edge : graph.edges[static_cast<std::size_t>(s)]) {
      if (flood[static_cast<std::size_t>(edge.to)] < 0) continue;
      const int a = find(s), b = find(edge.to);
      if (a == b) continue;
      const int high = height(a) >= height(b) ? a : b, low = high == a ? b : a;
      if (low != s) end_branch(low, s);
      flood[static_cast<std::size_t>(low)] = high;
    }
  }
  if (!order.empty()) end_branch(find(order.front()), paths.from);
  std::sort(tips.begin(), tips.end(), [](const Tip& a, const Tip& b) {
    return a.length > b.length || (a.length == b.length && a.sphere < b.sphere);
  });
  return tips;
}

int central_sphere(const SphereGraph& graph) {
  // Only large spheres can win; they come first. Where many are as large as the first (on sheets), some of these.
  constexpr int kTried = 48;
  const auto large = std::count_if(graph.spheres.begin(), graph.spheres.end(), [&](const MedialSphere& s) {
    return s.radius > 0.95 * graph.spheres.front().radius;
  });
  const int stride = std::max(1, static_cast<int>(large) / kTried);
  int best = 0;
  double best_score = -1;
  double mass = 0;
  for (const MedialSphere& s : graph.spheres) mass += s.radius;
  for (int s = 0; s < std::min(kTried * stride, graph.count()); s += stride) {
    const ShortestPaths paths = shortest_paths(graph, s);
    double total = 0;
    for (std::size_t k = 0; k < paths.distance.size(); ++k) total += paths.distance[k] * graph.spheres[k].radius;
    const double score = graph.spheres[static_cast<std::size_t>(s)].radius / std::max(total / mass, 1e-300);
    if (score > best_score) best_score = score, best = s;
  }
  return best;
}

}  // namespace limber::body
