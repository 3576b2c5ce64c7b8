// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skin/surface_laplacian.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace limber::skin {
namespace {

constexpr double kMaxCotangent = 20;
/// Edges keep at least this weight: a connected surface must stay connected in the matrix.
constexpr double kMinEdge = 1e-3;

struct Edge {
  std::uint32_t a, b;  ///< a < b
  double weight;
};

/// One weight per edge of the surface, sorted.
std::vector<Edge> edge_weights(std::span<const Vec3d> points, std::span<const body::Triangle> triangles) {
  std::vector<Edge> edges;
  edges.reserve(3 * triangles.size());
  for (const body::Triangle& t : triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = t[(k + 1) % 3], b = t[(k + 2) % 3];
      const Vec3d u = points[a] - points[t[k]], v = points[b] - points[t[k]];
      const double sine = norm(cross(u, v)), cosine = dot(u, v);
      const double cotangent =
          sine > 0 ? std::clamp(cosine / sine, -kMaxCotangent, kMaxCotangent) : std::copysign(kMaxCotangent, cosine);
      edges.push_back({std::min(a, b), std::max(a, b), 0.5 * cotangent});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& x, const Edge& y) {
    return x.a != y.a ? x.a < y.a : (x.b != y.b ? x.b < y.b : x.weight < y.weight);
  });
  std::vector<Edge> merged;
  for (const Edge& edge : edges) {
    if (!merged.empty() && merged.back().a == edge.a && merged.back().b == edge.b) {
      merged.back().weight += edge.weight;
    } else {
      merged.push_back(edge);
    }
  }
  for (Edge& edge : merged) edge.weight = std::max(edge.weight, kMinEdge);
  return merged;
}

}  // namespace

Eigen::SparseMatrix<double> surface_stiffness(std::span<const Vec3d> points,
                                              std::span<const body::Triangle> triangles) {
  const std::vector<Edge> edges = edge_weights(points, triangles);
  std::vector<double> diagonal(points.size(), 0);
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(2 * edges.size() + points.size());
  for (const Edge& edge : edges) {
    const int a = static_cast<int>(edge.a), b = static_cast<int>(edge.b);
    entries.emplace_back(a, b, -edge.weight);
    entries.emplace_back(b, a, -edge.weight);
    diagonal[edge.a] += edge.weight;
    diagonal[edge.b] += edge.weight;
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    entries.emplace_back(static_cast<int>(i), static_cast<int>(i), diagonal[i]);
  }
  const auto size = static_cast<Eigen::Index>(points.size());
  Eigen::SparseMatrix<double> matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

}  // namespace limber::skin
