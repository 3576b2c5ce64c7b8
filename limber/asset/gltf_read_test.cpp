// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "limber/asset/gltf_testing.h"
#include "limber/asset/pose.h"
#include "limber/asset/read.h"

namespace limber::asset {
namespace {

using namespace gltf_testing;

/// The format samples. Each test says what the file is known to hold.
class ConformanceSample : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::shared_dir().empty()) GTEST_SKIP() << "no shared assets beside the checkout";
  }

  static Asset read(const std::string& path) {
    auto asset = read_asset(testing::shared_dir() / path);
    EXPECT_TRUE(asset.ok()) << asset.error().message();
    return asset.ok() ? std::move(asset).value() : Asset{};
  }
  static Asset read_sample(const std::string& path) { return read("assets/conformance/" + path); }
};

float distance(Vec3 a, Vec3 b) { return norm(a - b); }

/// The extent of all positions of a posed asset.
std::pair<Vec3d, Vec3d> world_bounds(const Asset& asset, const NodeState& state) {
  Vec3d low{1e9, 1e9, 1e9}, high{-1e9, -1e9, -1e9};
  for (const PosedPrimitive& primitive : posed_geometry(asset, state)) {
    for (const Vec3d& p : primitive.positions) low = min(low, p), high = max(high, p);
  }
  return {low, high};
}

TEST_F(ConformanceSample, SparseAccessorReplacesThreePositions) {
  const Asset asset = read_sample("SimpleSparseAccessor/glTF/SimpleSparseAccessor.gltf");
  const Primitive& primitive = asset.meshes.at(0).primitives.at(0);
  ASSERT_EQ(primitive.positions.size(), 14u);
  EXPECT_EQ(primitive.indices.size(), 36u);
  // As the sample's description has them: the upper row is pulled to other heights.
  EXPECT_EQ(primitive.positions[8], (Vec3{1, 2, 0}));
  EXPECT_EQ(primitive.positions[10], (Vec3{3, 3, 0}));
  EXPECT_EQ(primitive.positions[12], (Vec3{5, 4, 0}));
  EXPECT_EQ(primitive.positions[7], (Vec3{0, 1, 0}));
  EXPECT_EQ(primitive.positions[13], (Vec3{6, 1, 0}));
}

TEST_F(ConformanceSample, QuantizedCubeMatchesThePlainOneInTheWorld) {
  const Asset quantized = read_sample("AnimatedMorphCube/glTF-Quantized/AnimatedMorphCube.gltf");
  const Asset plain = read_sample("AnimatedMorphCube/glTF-Binary/AnimatedMorphCube.glb");
  ASSERT_EQ(quantized.meshes.at(0).primitives.at(0).targets.size(), 2u);
  for (const Vec3& normal : quantized.meshes[0].primitives[0].normals) EXPECT_NEAR(norm(normal), 1, 0.02);
  for (const double time : {0.0, 0.9, 2.1, 3.3}) {
    const auto a = world_bounds(plain, clip_state(plain, plain.clips.at(0), time));
    const auto b = world_bounds(quantized, clip_state(quantized, quantized.clips.at(0), time));
    EXPECT_LT(norm(a.first - b.first), 0.005 * norm(a.second - a.first)) << "at " << time;
    EXPECT_LT(norm(a.second - b.second), 0.005 * norm(a.second - a.first)) << "at " << time;
  }
}

TEST_F(ConformanceSample, MeshoptDonkeyMatchesItsPlainTwin) {
  const Asset packed = read_sample("donkey_meshopt.glb"), plain = read("corpus/animals/donkey.glb");
  const auto close = [&](const NodeState& plain_state, const NodeState& packed_state, double tolerance) {
    const auto a = world_bounds(plain, plain_state), b = world_bounds(packed, packed_state);
    return norm(a.first - b.first) + norm(a.second - b.second) < tolerance * norm(a.second - a.first);
  };
  EXPECT_TRUE(close(rest_state(plain), rest_state(packed), 0.002));
  // The packed file has the clips of another edition too.
  for (const Clip& clip : plain.clips) {
    const auto twin = std::find_if(packed.clips.begin(), packed.clips.end(),
                                   [&](const Clip& candidate) { return candidate.name == clip.name; });
    ASSERT_NE(twin, packed.clips.end()) << clip.name;
    const double duration = static_cast<double>(clip.duration());
    EXPECT_NEAR(duration, twin->duration(), 0.05) << clip.name;
    for (const double phase : {0.0, 0.3, 0.8}) {
      // The packer resampled the clips, so a fast one differs by part of a frame's motion.
      EXPECT_TRUE(close(clip_state(plain, clip, phase * duration), clip_state(packed, *twin, phase * duration), 0.04))
          << clip.name << " at " << phase;
    }
  }
}

/// Corners of all triangles, in an order that does not depend on how they are indexed.
std::multiset<std::array<int, 9>> corner_set(const Primitive& primitive) {
  std::multiset<std::array<int, 9>> corners;
  for (const auto& triangle : triangles(primitive)) {
    for (const std::uint32_t v : triangle) {
      const Vec3 p = primitive.positions[v], n = primitive.normals.empty() ? Vec3{} : primitive.normals[v];
      const Vec4 c = primitive.colors.empty() ? Vec4{} : primitive.colors[0][v];
      const auto rounded = [](float x, float step) { return static_cast<int>(std::lround(x / step)); };
      corners.insert({rounded(p.x, 0.01f), rounded(p.y, 0.01f), rounded(p.z, 0.01f), rounded(n.x, 0.1f),
                      rounded(n.y, 0.1f), rounded(n.z, 0.1f), rounded(c.x, 0.2f), rounded(c.y, 0.2f),
                      rounded(c.z, 0.2f)});
    }
  }
  return corners;
}

TEST_F(ConformanceSample, EveryMeshoptCodecAndFilterGivesTheSameCubes) {
  const Asset asset = read_sample("MeshoptCubeTest/glTF-Meshopt/MeshoptCubeTest.gltf");
  // Five rows of five cubes; the first row is not compressed, the last uses version 1 of the codec.
  const auto primitive_of = [&](int cube) -> const Primitive& {
    return asset.meshes.at(static_cast<std::size_t>(asset.nodes.at(static_cast<std::size_t>(10 + cube)).mesh))
        .primitives.at(0);
  };
  for (int column = 0; column < 5; ++column) {
    const auto expected = corner_set(primitive_of(column));
    ASSERT_EQ(expected.size(), 36u);
    for (int row = 1; row < 5; ++row) {
      EXPECT_EQ(corner_set(primitive_of(column + 5 * row)), expected) << "row " << row << ", column " << column;
    }
  }
  // The cubes of the last column turn, all in the same way.
  const Clip& clip = asset.clips.at(0);
  ASSERT_EQ(clip.channels.size(), 5u);
  for (const Channel& channel : clip.channels) {
    for (const double time : {0.0, 0.4, 1.1}) {
      const auto a = asset::sample(clip.channels[0], time), b = asset::sample(channel, time);
      for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(a[i], b[i], 1e-3);
    }
  }
}

TEST_F(ConformanceSample, DracoBoxMatchesTheEmbeddedBox) {
  const Asset packed = read_sample("Box/glTF-Draco/Box.gltf"), plain = read_sample("Box/glTF-Embedded/Box.gltf");
  const Primitive& primitive = packed.meshes.at(0).primitives.at(0);
  EXPECT_EQ(primitive.positions.size(), 24u);
  ASSERT_EQ(triangles(primitive).size(), 12u);
  for (const Vec3& p : primitive.positions) {
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(std::fabs(p[i]), 0.5f, 1e-3f);
  }
  EXPECT_EQ(corner_set(primitive), corner_set(plain.meshes.at(0).primitives.at(0)));
}

TEST_F(ConformanceSample, DracoPrimitivesKeepTheirPlainMorphTargets) {
  const Asset packed = read_sample("MorphPrimitivesTest/glTF-Draco/MorphPrimitivesTest.gltf");
  const Asset plain = read_sample("MorphPrimitivesTest/glTF-Binary/MorphPrimitivesTest.glb");
  ASSERT_EQ(packed.meshes.at(0).primitives.size(), plain.meshes.at(0).primitives.size());
  for (const Primitive& primitive : packed.meshes[0].primitives) {
    ASSERT_EQ(primitive.targets.size(), 1u);
    EXPECT_EQ(primitive.targets[0].positions.size(), primitive.positions.size());
  }
  const auto a = world_bounds(packed, rest_state(packed)), b = world_bounds(plain, rest_state(plain));
  EXPECT_LT(norm(a.first - b.first) + norm(a.second - b.second), 0.01);
}

TEST_F(ConformanceSample, MorphTargetsAndTheirWeights) {
  const Asset asset = read_sample("SimpleMorph/glTF/SimpleMorph.gltf");
  const Mesh& mesh = asset.meshes.at(0);
  EXPECT_EQ(mesh.weights, (std::vector<float>{0.5f, 0.5f}));
  ASSERT_EQ(mesh.primitives[0].targets.size(), 2u);
  EXPECT_EQ(mesh.primitives[0].targets[0].positions, (std::vector<Vec3>{{0, 0, 0}, {0, 0, 0}, {-1, 1, 0}}));
  const Channel& channel = asset.clips.at(0).channels.at(0);
  EXPECT_EQ(channel.path, Path::kWeights);
  EXPECT_EQ(channel.times, (std::vector<float>{0, 1, 2, 3, 4}));
  EXPECT_EQ(channel.values, (std::vector<float>{0, 0, 0, 1, 1, 1, 1, 0, 0, 0}));
}

TEST_F(ConformanceSample, AllThreeInterpolations) {
  const Asset asset = read_sample("InterpolationTest/glTF-Binary/InterpolationTest.glb");
  std::multiset<std::pair<Path, Interpolation>> found;
  for (const Clip& clip : asset.clips) {
    for (const Channel& channel : clip.channels) {
      found.insert({channel.path, channel.interpolation});
      const std::size_t per_key = (channel.path == Path::kRotation ? 4u : 3u) *
                                  (channel.interpolation == Interpolation::kCubicSpline ? 3u : 1u);
      EXPECT_EQ(channel.values.size(), channel.times.size() * per_key);
    }
  }
  for (const Path path : {Path::kTranslation, Path::kRotation, Path::kScale}) {
    for (const Interpolation kind : {Interpolation::kStep, Interpolation::kLinear, Interpolation::kCubicSpline}) {
      EXPECT_EQ(found.count({path, kind}), 1u);
    }
  }
}

TEST_F(ConformanceSample, InterleavedBoxHasItsCorners) {
  const Asset asset = read_sample("BoxInterleaved/glTF-Binary/BoxInterleaved.glb");
  const Primitive& primitive = asset.meshes.at(0).primitives.at(0);
  ASSERT_EQ(primitive.positions.size(), 24u);
  for (const Vec3& p : primitive.positions) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(std::fabs(p[i]), 0.5f);
  }
  for (const Vec3& n : primitive.normals) EXPECT_EQ(norm(n), 1.0f);
  // The node turns z up into y up by a matrix.
  ASSERT_TRUE(asset.nodes.at(0).matrix);
  EXPECT_LT(distance(*asset.nodes[0].matrix * Vec3{0, 0, 1}, {0, 1, 0}), 1e-6f);
}

TEST_F(ConformanceSample, VertexColors) {
  const Asset asset = read_sample("BoxVertexColors/glTF-Binary/BoxVertexColors.glb");
  const Primitive& primitive = asset.meshes.at(0).primitives.at(0);
  ASSERT_EQ(primitive.colors.size(), 1u);
  ASSERT_EQ(primitive.colors[0].size(), primitive.positions.size());
  for (const Vec4& color : primitive.colors[0]) EXPECT_EQ(color.w, 1);
}

TEST_F(ConformanceSample, CamerasScenesAndSharedMeshes) {
  const Asset cameras = read_sample("Cameras/glTF/Cameras.gltf");
  ASSERT_EQ(cameras.cameras.size(), 2u);
  EXPECT_TRUE(cameras.cameras[0].perspective);
  EXPECT_FLOAT_EQ(cameras.cameras[0].yfov, 0.7f);
  EXPECT_FLOAT_EQ(cameras.cameras[0].aspect, 1);
  EXPECT_FALSE(cameras.cameras[1].perspective);
  EXPECT_FLOAT_EQ(cameras.cameras[1].far, 100);
  EXPECT_EQ(cameras.nodes.at(2).camera, 1);

  const Asset scenes = read_sample("MultipleScenes/glTF/MultipleScenes.gltf");
  ASSERT_EQ(scenes.scenes.size(), 2u);
  EXPECT_EQ(scenes.scene, 1);
  EXPECT_EQ(scenes.scenes[1].roots, std::vector<int>{1});
  EXPECT_EQ(scenes.meshes.at(1).primitives[0].positions.size(), 4u);

  const Asset shared = read_sample("SimpleMeshes/glTF/SimpleMeshes.gltf");
  ASSERT_EQ(shared.nodes.size(), 2u);
  EXPECT_EQ(shared.nodes[0].mesh, shared.nodes[1].mesh);
}

TEST_F(ConformanceSample, EveryPrimitiveMode) {
  const Asset asset = read_sample("MeshPrimitiveModes/glTF/MeshPrimitiveModes.gltf");
  ASSERT_EQ(asset.meshes.size(), 7u);
  for (std::size_t i = 0; i < 7; ++i) {
    const Primitive& primitive = asset.meshes[i].primitives.at(0);
    EXPECT_EQ(static_cast<std::size_t>(primitive.mode), i);
    EXPECT_EQ(primitive.positions.size(), 7u);
    EXPECT_EQ(triangles(primitive).empty(), i < 4);
  }
}

TEST_F(ConformanceSample, InstancesOfAMesh) {
  const Asset asset = read_sample("SimpleInstancing/glTF-Binary/SimpleInstancing.glb");
  const Node& node = asset.nodes.at(0);
  ASSERT_EQ(node.instances.size(), 125u);
  EXPECT_EQ(node.instances[0].translation, (Vec3{0, 0, 0}));
  EXPECT_EQ(node.instances[124].translation, (Vec3{10, 10, 10}));
  for (const Transform& instance : node.instances) EXPECT_GE(instance.scale.x, 1);
}

TEST_F(ConformanceSample, NamesMayHaveAnyLetters) {
  const Asset asset = read_sample("UnicodeTest/glTF-Binary/UnicodeTest.glb");
  EXPECT_EQ(asset.meshes.at(0).name, "Unicode❤♻Mesh");
  EXPECT_EQ(asset.materials.at(0).name, "Unicode❤♻Material");
  EXPECT_EQ(asset.images.at(0).mime_type, "image/png");
  EXPECT_EQ(asset.images[0].bytes.size(), 4203u);
}

TEST_F(ConformanceSample, MirroredNodesKeepTheirSign) {
  const Asset asset = read_sample("NegativeScaleTest/glTF-Binary/NegativeScaleTest.glb");
  int mirrored = 0;
  for (const Node& node : asset.nodes) mirrored += determinant(local_matrix(node).linear) < 0 ? 1 : 0;
  EXPECT_GT(mirrored, 0);
}

TEST_F(ConformanceSample, EverySharedFileIsReadWithoutComplaint) {
  for (const auto& path : shared_gltf_files()) {
    const auto asset = read_asset(path);
    ASSERT_TRUE(asset.ok()) << asset.error().message();
    EXPECT_TRUE(asset->warnings.empty()) << path << ": " << asset->warnings[0];
    EXPECT_FALSE(asset->nodes.empty()) << path;
  }
}

}  // namespace
}  // namespace limber::asset
