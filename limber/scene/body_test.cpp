// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/body.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/asset/read.h"
#include "limber/kinematics/clip.h"
#include "limber/scene/mesh_raster.h"
#include "limber/testing/shared_data.h"
#include "limber/testing/toy_assets.h"

namespace limber::scene {
namespace {

/// Largest distance from the exact pose, relative to the body's height, and whether normals agree.
double pose_error(const asset::Asset& asset, const Body& body, const asset::NodeState& state) {
  BodyPose pose;
  body.pose(state, pose);
  const Affined world = body.subject() ? inverse(rig::asset_from_subject(*body.subject())) : Affined{};
  double error = 0;
  std::size_t i = 0;
  for (const asset::PosedPrimitive& posed : asset::posed_geometry(asset, state)) {
    for (std::size_t v = 0; v < posed.positions.size(); ++v, ++i) {
      error = std::max(error, norm(world * posed.positions[v] - pose.points[i].cast<double>()));
      if (v < posed.normals.size()) {
        // Zero where a squashed joint leaves no direction.
        const double cosine = dot(posed.normals[v], pose.normals[i].cast<double>());
        EXPECT_TRUE(cosine > 0.99 || norm(pose.normals[i]) < 0.5f) << cosine << " at " << v;
      }
    }
  }
  EXPECT_EQ(i, pose.points.size());
  return error;
}

TEST(Body, PosesAnAssetAsTheExactWayDoes) {
  const asset::Asset asset = testing::tube_asset(5);
  const Body body = Body::from_asset(asset).value();
  ASSERT_TRUE(body.subject().has_value());
  EXPECT_LT(pose_error(asset, body, asset::rest_state(asset)), 1e-5);
  for (const double time : {0.1, 0.55, 0.9}) {
    EXPECT_LT(pose_error(asset, body, asset::clip_state(asset, asset.clips[0], time)), 1e-5);
  }
}

TEST(Body, PosesAMotionAsTheClipThatItCameFrom) {
  const asset::Asset asset = testing::tube_asset(4);
  const Body body = Body::from_asset(asset).value();
  const auto motion = kinematics::motion_from_clip(asset, asset.clips[0], *body.subject(), 24).value();
  BodyPose by_motion, by_nodes;
  body.pose(motion, 7, by_motion);
  body.pose(asset::clip_state(asset, asset.clips[0], 7 / 24.0), by_nodes);
  for (std::size_t i = 0; i < by_nodes.points.size(); ++i) {
    EXPECT_LT(norm(by_motion.points[i] - by_nodes.points[i]), 1e-5f);
  }
  ASSERT_EQ(by_motion.joints.size(), by_nodes.joints.size());
  for (std::size_t j = 0; j < by_nodes.joints.size(); ++j) {
    EXPECT_LT(norm(by_motion.joints[j] - by_nodes.joints[j]), 1e-5f);
  }
}

TEST(Body, PosesEveryRealModelAsTheExactWayDoes) {
  int count = 0;
  for (const char* folder :
       {"assets/quadruped", "assets/bird", "assets/humanoid", "assets/robot", "assets/conformance"}) {
    for (const auto& path : testing::shared_files(folder, {".glb", ".gltf"})) {
      const auto asset = asset::read_asset(path);
      if (!asset.ok()) continue;
      SCOPED_TRACE(path.string());
      const Result<Body> body = Body::from_asset(*asset);
      ASSERT_TRUE(body.ok()) << body.error().message();
      if (!body->subject()) continue;
      for (const asset::Clip& clip : asset->clips) {
        EXPECT_LT(pose_error(*asset, *body, asset::clip_state(*asset, clip, 0.3 * double(clip.duration()))), 1e-4);
        break;
      }
      ++count;
    }
  }
  if (count == 0) GTEST_SKIP() << "the shared assets are not there";
}

TEST(Body, StandsOnTheGroundWithHeightOneEvenWithoutASkeleton) {
  asset::Asset asset;
  const int node = testing::add_node(asset, -1, "tube", {{5, 7, -3}, {}, {10, 10, 10}});
  asset.nodes[static_cast<std::size_t>(node)].mesh = testing::add_tube(asset, 2, 3);
  const Body body = Body::from_asset(asset).value();
  EXPECT_FALSE(body.subject().has_value());
  BodyPose pose;
  body.pose(asset::rest_state(asset), pose);
  const Box box = pose_box(body.mesh(), pose);
  EXPECT_NEAR(box.low.y, 0, 1e-5);
  EXPECT_NEAR(box.high.y, 1, 1e-5);
  EXPECT_NEAR(box.center().x, 0, 1e-5);
  EXPECT_NEAR(box.center().z, 0, 1e-5);
  EXPECT_TRUE(pose.joints.empty());
}

TEST(Body, TurnsMirroredTrianglesRound) {
  asset::Asset asset;
  for (const float side : {1.0f, -1.0f}) {
    const int node = testing::add_node(asset, -1, "tube", {{3 * side, 0, 0}, {}, {side, 1, 1}});
    asset.nodes[static_cast<std::size_t>(node)].mesh = testing::add_tube(asset, 2, 3);
  }
  const Body body = Body::from_asset(asset).value();
  const auto& triangles = body.mesh().triangles;
  BodyPose pose;
  body.pose(asset::rest_state(asset), pose);
  const auto volume = [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3 a = pose.points[triangles[i][0]], b = pose.points[triangles[i][1]], c = pose.points[triangles[i][2]];
      sum += double(dot(cross(b - a, c - a), Vec3{1, 0, 0})) * double(a.x + b.x + c.x);
    }
    return sum;
  };
  const std::size_t half = triangles.size() / 2;
  EXPECT_GT(std::abs(volume(0, half)), 1e-3);
  EXPECT_GT(volume(0, half) * volume(half, 2 * half), 0) << "both show their outside";
}

TEST(Body, MorphsAndPlacesInstances) {
  asset::Asset asset;
  const int node = testing::add_node(asset, -1, "tube");
  asset.nodes[static_cast<std::size_t>(node)].mesh = testing::add_tube(asset, 1, 1);
  asset.nodes[static_cast<std::size_t>(node)].instances = {{{0, 0, 0}, {}, {1, 1, 1}}, {{4, 0, 0}, {}, {1, 2, 1}}};
  asset::Primitive& primitive = asset.meshes[0].primitives[0];
  asset::MorphTarget target;
  target.positions.assign(primitive.positions.size(), {0, 0, 0.5f});
  primitive.targets.push_back(target);
  asset.meshes[0].weights = {0};
  const Body body = Body::from_asset(asset).value();
  asset::NodeState state = asset::rest_state(asset);
  BodyPose rest, morphed;
  body.pose(state, rest);
  state.morph_weights[0] = {1};
  body.pose(state, morphed);
  ASSERT_EQ(rest.points.size(), 2 * primitive.positions.size());
  // The world's scale: the taller instance has height one.
  for (std::size_t i = 0; i < rest.points.size(); ++i) EXPECT_NEAR(morphed.points[i].z - rest.points[i].z, 0.25f, 1e-5);
}

TEST(Body, OfSurfacesWithFullAlphaIsOpaque) {
  asset::Asset asset;
  const int node = testing::add_node(asset, -1, "tube");
  asset.nodes[static_cast<std::size_t>(node)].mesh = testing::add_tube(asset, 1, 1);
  asset::Material material;
  material.alpha_mode = asset::AlphaMode::kBlend;
  asset.materials = {material};
  asset.meshes[0].primitives[0].material = 0;
  EXPECT_EQ(Body::from_asset(asset)->mesh().kinds[0] & kBlended, 0);
  asset.materials[0].base_color.w = 0.5f;
  EXPECT_EQ(Body::from_asset(asset)->mesh().kinds[0] & kBlended, kBlended);
}

TEST(Body, RefusesToUnrollEndlessInstances) {
  for (const bool many_triangles : {false, true}) {
    asset::Asset asset;
    asset.name = "herd.glb";
    const int node = testing::add_node(asset, -1, "tube");
    asset.nodes[static_cast<std::size_t>(node)].mesh = testing::add_tube(asset, 1, 1);
    asset::Primitive& primitive = asset.meshes[0].primitives[0];
    if (many_triangles) {
      primitive.indices.resize(3 * 10000, 0);
    } else {
      primitive.positions.resize(1000), primitive.normals.clear();
    }
    asset.nodes[static_cast<std::size_t>(node)].instances.resize(60000);
    const Result<Body> body = Body::from_asset(asset);
    ASSERT_FALSE(body.ok());
    EXPECT_EQ(body.error().message(), many_triangles ? "herd.glb#/nodes: shows more than 40 million triangles"
                                                     : "herd.glb#/nodes: shows more than 20 million vertices");
  }
}

TEST(Body, TellsWhyAClipMovesNothing) {
  asset::Asset asset;
  const int node = testing::add_node(asset, -1, "tube");
  asset.nodes[static_cast<std::size_t>(node)].mesh = testing::add_tube(asset, 1, 1);
  EXPECT_TRUE(Body::from_asset(asset)->warnings().empty());
  asset.clips.emplace_back();
  const Body body = Body::from_asset(asset).value();
  ASSERT_EQ(body.warnings().size(), 1u);
  EXPECT_NE(body.warnings()[0].find("no clip moves a mesh"), std::string::npos) << body.warnings()[0];
}

TEST(Body, SeesOnlyPointsOfTriangles) {
  BodyMesh mesh;
  mesh.colors.resize(6);
  mesh.triangles = {{4, 1, 5}, {1, 3, 4}};
  EXPECT_EQ(seen_points(mesh), (std::vector<std::uint32_t>{1, 3, 4, 5}));
}

TEST(Body, OfNothingIsEmpty) {
  const asset::Asset asset;
  const Body body = Body::from_asset(asset).value();
  BodyPose pose;
  body.pose(asset::rest_state(asset), pose);
  EXPECT_TRUE(pose.points.empty());
  EXPECT_TRUE(pose_box(body.mesh(), pose).empty());
}

}  // namespace
}  // namespace limber::scene
