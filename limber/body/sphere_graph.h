// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/body/distance_field.h"
#include "limber/body/medial_spheres.h"

namespace limber::body {

/// Medial spheres joined where one can go from one to the other inside the solid. Connected: parts that do not touch
/// are bridged where they are nearest.
struct SphereGraph {
  struct Edge {
    int to = 0;
    double length = 0;
  };
  std::vector<MedialSphere> spheres;
  std::vector<std::vector<Edge>> edges;  ///< per sphere, by number
  int bridges = 0;                       ///< edges that leave the solid
  int figures = 1;                       ///< parts that stand apart and are about as large as the largest

  int count() const { return static_cast<int>(spheres.size()); }
};

/// Joins spheres that overlap, and those whose segment stays inside with no other centre in its Gabriel ball
/// (Pinocchio, 3.2).
SphereGraph join_spheres(std::vector<MedialSphere> spheres, const DistanceField& field);

/// Shortest paths from one sphere to all others.
struct ShortestPaths {
  int from = 0;
  std::vector<double> distance;
  std::vector<int> previous;  ///< -1 at `from`

  /// From `from` to `to`, both included.
  std::vector<int> path(int to) const;
};
ShortestPaths shortest_paths(const SphereGraph& graph, int from);

/// The end of a limb: a local maximum of the distance from the graph's root.
struct Tip {
  int sphere = 0;
  double length = 0;  ///< of its branch: from where it leaves a longer one (or the root) to the far side of its sphere
  int fork = 0;       ///< the sphere where it leaves
};

/// Limb ends as seen from `paths.from`, longest branch first. A branch counts if it is longer than `min_ratio` times
/// the radius of the sphere it grows from.
std::vector<Tip> find_tips(const SphereGraph& graph, const ShortestPaths& paths, double min_ratio = 1.5);

/// The sphere with the largest product of radius and closeness: the body's middle.
int central_sphere(const SphereGraph& graph);

}  // namespace limber::body
