// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/polygonise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace limber::zoo {
namespace {

constexpr Vec3d kCell{0.05, 0.05, 0.05};

ImplicitSurface balls(std::vector<Vec3d> centres, double radius) {
  std::vector<RoundCone> cones;
  for (const Vec3d& c : centres) cones.push_back({0, 0, c, c, radius, radius});
  return ImplicitSurface(std::move(cones), {{}}, false);
}

double volume(const PolygonMesh& mesh) {
  double sum = 0;
  for (const auto& t : mesh.triangles) {
    sum += dot(mesh.points[t[0]], cross(mesh.points[t[1]], mesh.points[t[2]])) / 6;
  }
  return sum;
}

/// Every edge is met once in each direction.
bool is_closed(const PolygonMesh& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
  for (const auto& t : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
  }
  for (const auto& [edge, count] : edges) {
    const auto other = edges.find({edge.second, edge.first});
    if (count != 1 || other == edges.end() || other->second != 1) return false;
  }
  return true;
}

TEST(Polygonise, MakesAClosedBallThatFacesOutwards) {
  const PolygonMesh mesh = polygonise(balls({{0, 1, 0}}, 0.4), kCell);
  EXPECT_TRUE(is_closed(mesh));
  EXPECT_NEAR(volume(mesh) / (4 * kPi / 3 * 0.4 * 0.4 * 0.4), 1, 0.02);
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    EXPECT_NEAR(norm(mesh.points[v] - Vec3d{0, 1, 0}), 0.4, 1e-3);
    EXPECT_GT(dot(mesh.normals[v], normalized(mesh.points[v] - Vec3d{0, 1, 0})), 0.999);
  }
}

TEST(Polygonise, EvensOutItsTriangles) {
  const PolygonMesh mesh = polygonise(balls({{0.013, 1, -0.007}}, 0.4), kCell);
  double smallest = 1, largest = 0;
  for (const auto& t : mesh.triangles) {
    const Vec3d n = cross(mesh.points[t[1]] - mesh.points[t[0]], mesh.points[t[2]] - mesh.points[t[0]]);
    smallest = std::min(smallest, 0.5 * norm(n)), largest = std::max(largest, 0.5 * norm(n));
  }
  EXPECT_GT(smallest, 0.03 * largest);
}

TEST(Polygonise, DropsSmallerPiecesUnlessTheyMayBeLoose) {
  std::vector<RoundCone> cones{{0, 0, {0, 1, 0}, {0, 1, 0}, 0.4, 0.4}, {0, 0, {1, 1, 0}, {1, 1, 0}, 0.2, 0.2}};
  const ImplicitSurface surface(cones, {{}}, false);
  const double large = volume(polygonise(surface, kCell));
  const PolygonMesh both = polygonise(surface, kCell, /*loose=*/true);
  EXPECT_NEAR(large / (4 * kPi / 3 * 0.064), 1, 0.02);
  EXPECT_NEAR(volume(both) / (4 * kPi / 3 * 0.072), 1, 0.03);
  EXPECT_TRUE(is_closed(both));
}

TEST(Polygonise, StaysClosedWhereBallsHardlyTouch) {
  for (const double gap : {-0.02, -0.005, 0.0, 0.003}) {
    const PolygonMesh mesh = polygonise(balls({{0, 1, 0}, {0.6 + gap, 1, 0.01}}, 0.3), kCell, /*loose=*/true);
    EXPECT_TRUE(is_closed(mesh)) << gap;
    EXPECT_GT(volume(mesh), 0.95 * 2 * 4 * kPi / 3 * 0.027) << gap;
  }
}

}  // namespace
}  // namespace limber::zoo
