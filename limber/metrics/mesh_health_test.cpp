// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/mesh_health.h"

#include <gtest/gtest.h>

#include "limber/asset/read.h"
#include "limber/testing/shared_data.h"

namespace limber::metrics {
namespace {

using Indices = std::vector<std::uint32_t>;

const std::vector<Vec3> kTetrahedron{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
const Indices kOutside{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

asset::Asset mesh_asset(const std::vector<Vec3>& positions, const Indices& indices) {
  asset::Asset asset;
  asset.meshes.resize(1);
  asset.meshes[0].primitives.resize(1);
  asset.meshes[0].primitives[0].positions = positions;
  asset.meshes[0].primitives[0].indices = indices;
  asset.nodes.resize(1);
  asset.nodes[0].mesh = 0;
  return asset;
}

TEST(MeshHealth, AClosedTetrahedronHasNoDefects) {
  const MeshHealth health = mesh_health(mesh_asset(kTetrahedron, kOutside));
  EXPECT_EQ(health.vertices, 4u);
  EXPECT_EQ(health.triangles, 4u);
  EXPECT_EQ(health.components, 1u);
  EXPECT_TRUE(health.closed_manifold());
  EXPECT_FALSE(health.inside_out);
  EXPECT_EQ(health.bounds_min, (Vec3d{0, 0, 0}));
  EXPECT_EQ(health.bounds_max, (Vec3d{1, 1, 1}));
}

TEST(MeshHealth, VerticesSplitAtSeamsAreWeldedFirst) {
  std::vector<Vec3> split;
  for (const std::uint32_t i : kOutside)
    split.push_back(kTetrahedron[i] + Vec3{1e-6f * static_cast<float>(split.size() % 2), 0, 0});
  const MeshHealth health = mesh_health(mesh_asset(split, {}));
  EXPECT_EQ(health.vertices, 12u);
  EXPECT_EQ(health.welded_vertices, 4u);
  EXPECT_TRUE(health.closed_manifold());
}

TEST(MeshHealth, EveryDefectIsCounted) {
  Indices holed(kOutside.begin(), kOutside.end() - 3);
  MeshHealth health = mesh_health(mesh_asset(kTetrahedron, holed));
  EXPECT_EQ(health.boundary_edges, 3u);
  EXPECT_FALSE(health.closed_manifold());

  Indices flipped = kOutside;
  std::swap(flipped[0], flipped[1]);
  EXPECT_EQ(mesh_health(mesh_asset(kTetrahedron, flipped)).flipped_edges, 3u);

  Indices doubled = kOutside;
  doubled.insert(doubled.end(), {0, 2, 1});
  health = mesh_health(mesh_asset(kTetrahedron, doubled));
  EXPECT_EQ(health.duplicate_triangles, 1u);
  EXPECT_EQ(health.nonmanifold_edges, 3u);

  Indices degenerate = kOutside;
  degenerate.insert(degenerate.end(), {0, 0, 1});
  health = mesh_health(mesh_asset(kTetrahedron, degenerate));
  EXPECT_EQ(health.degenerate_triangles, 1u);
  EXPECT_EQ(health.nonmanifold_edges, 0u);

  Indices turned = kOutside;
  for (std::size_t i = 0; i < turned.size(); i += 3) std::swap(turned[i], turned[i + 1]);
  EXPECT_TRUE(mesh_health(mesh_asset(kTetrahedron, turned)).inside_out);
}

TEST(MeshHealth, NodesAreNeverWeldedToEachOther) {
  asset::Asset asset = mesh_asset(kTetrahedron, kOutside);
  asset.nodes.push_back(asset.nodes[0]);
  const MeshHealth health = mesh_health(asset);
  EXPECT_EQ(health.components, 2u);
  EXPECT_EQ(health.triangles, 8u);
  EXPECT_TRUE(health.closed_manifold());
}

TEST(MeshHealth, AMirroredNodeIsNotInsideOut) {
  asset::Asset asset = mesh_asset(kTetrahedron, kOutside);
  asset.nodes[0].local.scale = {-3, 1, 1};
  const MeshHealth health = mesh_health(asset);
  EXPECT_FALSE(health.inside_out);
  EXPECT_EQ(health.bounds_min, (Vec3d{-3, 0, 0}));
}

TEST(MeshHealth, TopologyDoesNotDependOnTheUnit) {
  for (const float scale : {1e-6f, 1e6f}) {
    asset::Asset asset = mesh_asset(kTetrahedron, kOutside);
    asset.nodes[0].local.scale = {scale, scale, scale};
    EXPECT_TRUE(mesh_health(asset).closed_manifold());
  }
}

TEST(MeshHealth, EmptyAndPointAssetsAreMeasuredToo) {
  MeshHealth health = mesh_health(asset::Asset{});
  EXPECT_EQ(health.triangles, 0u);
  EXPECT_FALSE(health.closed_manifold());
  asset::Asset points = mesh_asset(kTetrahedron, {});
  points.meshes[0].primitives[0].mode = asset::PrimitiveMode::kPoints;
  health = mesh_health(points);
  EXPECT_EQ(health.vertices, 4u);
  EXPECT_EQ(health.components, 4u);
  EXPECT_EQ(health.bounds_max, (Vec3d{1, 1, 1}));
}

TEST(MeshHealth, TwoMillionTrianglesTakeSeconds) {
  // A grid of a thousand by a thousand squares.
  constexpr std::uint32_t kSide = 1001;
  std::vector<Vec3> positions;
  Indices indices;
  for (std::uint32_t y = 0; y < kSide; ++y) {
    for (std::uint32_t x = 0; x < kSide; ++x) {
      positions.push_back({static_cast<float>(x), static_cast<float>(y), 0});
      if (x + 1 == kSide || y + 1 == kSide) continue;
      const std::uint32_t a = y * kSide + x, b = a + kSide;
      indices.insert(indices.end(), {a, a + 1, b + 1, a, b + 1, b});
    }
  }
  const MeshHealth health = mesh_health(mesh_asset(positions, indices));
  EXPECT_EQ(health.triangles, 2000000u);
  EXPECT_EQ(health.boundary_edges, 4000u);
  EXPECT_EQ(health.components, 1u);
}

/// From the table of the shared assets.
struct Expected {
  const char* file;
  std::size_t vertices, triangles, components, boundary, nonmanifold, flipped, degenerate, duplicate;
};

TEST(MeshHealth, AgreesWithTheTableOfTheSharedAssets) {
  if (testing::shared_dir().empty()) GTEST_SKIP() << "no shared assets";
  for (const Expected& e : {Expected{"quadruped/fox_khronos.glb", 1728, 576, 1, 0, 0, 0, 0, 0},
                            Expected{"quadruped/stag_quaternius.glb", 7438, 3670, 3, 18, 7, 0, 0, 2},
                            Expected{"quadruped/frog_quaternius.glb", 9840, 4920, 3, 0, 56, 0, 0, 0},
                            Expected{"dinosaur/stegosaurus_quaternius.glb", 4590, 2282, 1, 12, 8, 0, 4, 0},
                            Expected{"bird/seagull_m2m.glb", 1797, 2166, 3, 0, 0, 18, 0, 0},
                            Expected{"humanoid/knight_kaykit.glb", 7024, 6952, 39, 278, 0, 0, 0, 0},
                            Expected{"robot/robot_expressive_threejs.glb", 7214, 3237, 63, 232, 0, 0, 3, 0},
                            Expected{"primitive/recursive_skeletons_khronos.glb", 3360, 6384, 84, 0, 0, 0, 0, 0},
                            Expected{"primitive/simple_skin_khronos.gltf", 10, 8, 1, 10, 0, 0, 0, 0},
                            Expected{"static/model_bird_m2m.glb", 1852, 2246, 3, 0, 120, 0, 0, 80}}) {
    const asset::Asset asset = asset::read_asset(testing::shared_dir() / "assets" / e.file).value();
    const MeshHealth health = mesh_health(asset);
    EXPECT_EQ(health.vertices, e.vertices) << e.file;
    EXPECT_EQ(health.triangles, e.triangles) << e.file;
    EXPECT_EQ(health.components, e.components) << e.file;
    EXPECT_EQ(health.boundary_edges, e.boundary) << e.file;
    EXPECT_EQ(health.nonmanifold_edges, e.nonmanifold) << e.file;
    EXPECT_EQ(health.flipped_edges, e.flipped) << e.file;
    EXPECT_EQ(health.degenerate_triangles, e.degenerate) << e.file;
    EXPECT_EQ(health.duplicate_triangles, e.duplicate) << e.file;
  }
}

}  // namespace
}  // namespace limber::metrics
