// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files with numbers that are NaN or infinite are read, told about and written back as they were.
#include "limber/asset/not_finite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "limber/asset/gltf_testing.h"
#include "limber/asset/pose.h"
#include "limber/asset/write.h"

namespace limber::asset {
namespace {

using namespace gltf_testing;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Where the numbers of a Triangle are.
constexpr std::size_t kPositions = 0, kWeights = 56, kInverseBind = 104, kTimes = 168, kRotations = 176;

/// Read with exactly this warning.
Asset read_warned(const Triangle& triangle, const std::string& warning) {
  Asset asset = triangle.read().value();
  EXPECT_EQ(asset.warnings, std::vector<std::string>{warning});
  return asset;
}

/// A fourth vertex attribute of the triangle: three elements at byte 208.
Triangle with_attribute(const std::string& name, const std::string& type, std::initializer_list<float> numbers) {
  Triangle triangle;
  append<float>(triangle.bin, numbers);
  triangle.at("/buffers/0/byteLength") = triangle.bin.size();
  triangle.at("/bufferViews/7") = {{"buffer", 0}, {"byteOffset", 208}, {"byteLength", 4 * numbers.size()}};
  triangle.at("/accessors/7") = {{"bufferView", 7}, {"componentType", 5126}, {"count", 3}, {"type", type}};
  triangle.at("/meshes/0/primitives/0/attributes/" + name) = 7;
  return triangle;
}

TEST(NotFinite, APositionTakesThePlaceOfTheVertexBefore) {
  Triangle triangle;
  triangle.poke(kPositions + 28, kNan);
  const Asset asset =
      read_warned(triangle, "t.glb#/accessors/0: element 2 is not finite; the element before stands in");
  EXPECT_EQ(asset.meshes[0].primitives[0].positions, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {1, 0, 0}}));
}

TEST(NotFinite, TheFirstPositionsTakeThatOfTheFirstFiniteVertex) {
  Triangle triangle;
  triangle.poke(kPositions, kNan), triangle.poke(kPositions + 16, -kInfinity);
  const std::string where = "t.glb#/accessors/0: element 0 and ";
  Asset asset = read_warned(triangle, where + "one other are not finite; the element before stands in");
  EXPECT_EQ(asset.meshes[0].primitives[0].positions, std::vector<Vec3>(3, {0, 1, 0}));
  triangle.poke(kPositions + 32, kInfinity);
  asset = read_warned(triangle, where + "2 others are not finite; the element before stands in");
  EXPECT_EQ(asset.meshes[0].primitives[0].positions, std::vector<Vec3>(3, {0, 0, 0}));
}

TEST(NotFinite, AWeightIsZeroAndTheVertexKeepsItsOthers) {
  Triangle triangle;
  triangle.poke(kWeights + 20, kInfinity);
  const Asset asset = read_warned(triangle, "t.glb#/accessors/3: element 1 is not finite; zero stands in");
  EXPECT_EQ(asset.meshes[0].primitives[0].influences[0].weights[1], (Vec4{1, 0, 0, 0}));
}

TEST(NotFinite, NormalsTangentsTexcoordsAndColorsBecomeHarmless) {
  const std::string where = "t.glb#/accessors/7: element 1 is not finite; ";
  Asset asset = read_warned(with_attribute("NORMAL", "VEC3", {1, 0, 0, 0, kNan, 1, 0, 0, 1}), where + "+Y stands in");
  EXPECT_EQ(asset.meshes[0].primitives[0].normals, (std::vector<Vec3>{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
  asset =
      read_warned(with_attribute("TANGENT", "VEC4", {0, 1, 0, 1, kNan, 0, 0, -1, 0, 0, 1, 1}), where + "+X stands in");
  EXPECT_EQ(asset.meshes[0].primitives[0].tangents[1], (Vec4{1, 0, 0, 1}));
  asset = read_warned(with_attribute("TEXCOORD_0", "VEC2", {1, 2, 3, kNan, 5, 6}), where + "zero stands in");
  EXPECT_EQ(asset.meshes[0].primitives[0].texcoords[0], (std::vector<Vec2>{{1, 2}, {3, 0}, {5, 6}}));
  asset = read_warned(with_attribute("COLOR_0", "VEC3", {0, 0, 0, kNan, 0.5f, 0, 0, 0, 0}), where + "one stands in");
  EXPECT_EQ(asset.meshes[0].primitives[0].colors[0][1], (Vec4{1, 0.5f, 0, 1}));
}

TEST(NotFinite, AMorphDisplacementIsZero) {
  Triangle triangle = with_attribute("NORMAL", "VEC3", {1, 2, 3, 4, kNan, 6, 7, 8, 9});
  triangle.at("/meshes/0/primitives/0/attributes").erase("NORMAL");
  triangle.at("/meshes/0/primitives/0/targets") = Json::parse(R"([{"POSITION": 7}])");
  const Asset asset = read_warned(triangle, "t.glb#/accessors/7: element 1 is not finite; zero stands in");
  EXPECT_EQ(asset.meshes[0].primitives[0].targets[0].positions[1], (Vec3{4, 0, 6}));
}

TEST(NotFinite, AKeyIsTheNodesRest) {
  Triangle triangle;
  triangle.at("/nodes/1/rotation") = {0, 0, 1, 0};
  triangle.poke(kRotations + 20, -kInfinity);
  const Asset asset = read_warned(triangle, "t.glb#/accessors/6: element 1 is not finite; the rest pose stands in");
  EXPECT_EQ(asset.clips[0].channels[0].values, (std::vector<float>{0, 0, 0, 1, 0, 0, 1, 0}));
}

TEST(NotFinite, ATangentIsZeroAndTheValueBesideItStays) {
  Triangle triangle;
  triangle.at("/nodes/1/scale") = {2, 3, 4};
  triangle.at("/animations/0/channels/0/target/path") = "scale";
  triangle.at("/animations/0/samplers/0/interpolation") = "CUBICSPLINE";
  append<float>(triangle.bin, {9, kNan, 9, 5, 5, 5, 9, 9, 9, 8, 8, 8, 6, 6, kNan, 8, 8, 8});
  triangle.at("/buffers/0/byteLength") = triangle.bin.size();
  triangle.at("/bufferViews/6") = {{"buffer", 0}, {"byteOffset", 208}, {"byteLength", 72}};
  triangle.at("/accessors/6") = {{"bufferView", 6}, {"componentType", 5126}, {"count", 6}, {"type", "VEC3"}};
  const Asset asset =
      read_warned(triangle, "t.glb#/accessors/6: element 0 and one other are not finite; the rest pose stands in");
  EXPECT_EQ(asset.clips[0].channels[0].values,
            (std::vector<float>{0, 0, 0, 5, 5, 5, 9, 9, 9, 8, 8, 8, 2, 3, 4, 8, 8, 8}));
}

TEST(NotFinite, AMorphWeightOfAKeyIsThatOfTheMesh) {
  Channel channel;
  channel.path = Path::kWeights;
  channel.times = {0, 1};
  channel.values = {1, kNan, kNan, 4};
  const std::vector<float> mesh_weights{0.25f, 0.5f};
  EXPECT_EQ(mend_values(channel, 2, Node{}, mesh_weights).count, 2u);
  EXPECT_EQ(channel.values, (std::vector<float>{1, 0.5f, 0.25f, 4}));
  // A node's own weights count more, and those that it does not state are zero.
  channel.values = {kNan, kNan, 3, 4};
  Node node;
  node.weights = {0.75f};
  mend_values(channel, 2, node, mesh_weights);
  EXPECT_EQ(channel.values, (std::vector<float>{0.75f, 0, 3, 4}));
}

TEST(NotFinite, AKeyTimeIsThatOfTheKeyBefore) {
  Triangle triangle;
  triangle.poke(kTimes + 4, kNan);
  Asset asset = read_warned(triangle, "t.glb#/accessors/5: element 1 is not finite; the element before stands in");
  EXPECT_EQ(asset.clips[0].channels[0].times, (std::vector<float>{0, 0}));
  for (const double time : {-1.0, 0.0, 1.0}) {
    for (const double value : sample(asset.clips[0].channels[0], time)) EXPECT_TRUE(std::isfinite(value));
  }
  triangle = Triangle();
  triangle.poke(kTimes, kInfinity);
  asset = read_warned(triangle, "t.glb#/accessors/5: element 0 is not finite; the element before stands in");
  EXPECT_EQ(asset.clips[0].channels[0].times, (std::vector<float>{1, 1}));
}

TEST(NotFinite, AMendedBindMatrixLeavesTheRestPoseUnmoved) {
  Triangle triangle;
  triangle.at("/nodes/1/translation") = {1, 2, 3};
  triangle.poke(kInverseBind, kNan);
  const Asset asset = read_warned(triangle, "t.glb#/accessors/4: element 0 is not finite; the rest pose stands in");
  EXPECT_EQ(asset.skins[0].inverse_bind[0], (Affine{Mat3::identity(), {-1, -2, -3}}));
  const auto parts = posed_geometry(asset, rest_state(asset));
  EXPECT_EQ(parts.at(0).positions, (std::vector<Vec3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
}

TEST(NotFinite, AMendedBindMatrixAgreesWithTheOtherJoints) {
  // Both joints bind a mesh in centimetres that the skeleton shows in metres.
  std::vector<Node> nodes(2);
  nodes[0].children = {1};
  nodes[0].local.translation = {0, 1, 0};
  nodes[1].local.translation = {0, 0, 2};
  Skin skin;
  skin.joints = {1, 0};
  skin.inverse_bind = {Affine{Mat3::diagonal({kNan, 1, 1}), {}},
                       Affine{Mat3::diagonal({0.01f, 0.01f, 0.01f}), {0, -1, 0}}};
  RestPlaces rest(nodes);
  const Mended mended = mend_inverse_bind(skin, rest);
  EXPECT_EQ(mended.count, 1u);
  EXPECT_EQ(mended.first, 0u);
  const Affined world_from_bind = rest.world_from_node(1) * skin.inverse_bind[0].cast<double>();
  EXPECT_LT(norm(world_from_bind * Vec3d{100, 100, 100} - Vec3d{1, 1, 1}), 1e-6);
  // A joint that is squashed flat has no inverse.
  nodes[1].local.scale = {0, 1, 1};
  skin.inverse_bind[0].translation.x = kNan;
  RestPlaces flat(nodes);
  mend_inverse_bind(skin, flat);
  EXPECT_EQ(skin.inverse_bind[0], Affine{});
}

TEST(NotFinite, AnInstanceIsWhereItsNodeIs) {
  Triangle triangle = with_attribute("NORMAL", "VEC3", {1, 2, 3, 4, 5, kNan, 7, 8, 9});
  triangle.at("/meshes/0/primitives/0/attributes").erase("NORMAL");
  for (const auto& [attribute, expected] :
       std::vector<std::pair<std::string, Vec3>>{{"TRANSLATION", {4, 5, 0}}, {"SCALE", {4, 5, 1}}}) {
    triangle.at("/nodes/0/extensions/EXT_mesh_gpu_instancing/attributes") = {{attribute, 7}};
    const Result<Asset> asset = triangle.read();
    ASSERT_TRUE(asset.ok()) << asset.error().message();
    expect_warned(asset, "t.glb#/accessors/7: element 1 is not finite");
    const Transform& instance = asset->nodes[0].instances.at(1);
    EXPECT_EQ(attribute == "SCALE" ? instance.scale : instance.translation, expected);
  }
}

TEST(NotFinite, AnAccessorGivesOneWarningHoweverManyUseIt) {
  Triangle triangle;
  for (const std::size_t offset : {0, 4, 8, 12, 16, 20, 24, 28, 32}) triangle.poke(kPositions + offset, kNan);
  for (int i = 0; i < 50; ++i) triangle.at("/meshes/0/primitives").push_back(triangle.at("/meshes/0/primitives/0"));
  const Asset asset =
      read_warned(triangle, "t.glb#/accessors/0: element 0 and 2 others are not finite; the element before stands in");
  EXPECT_EQ(asset.meshes[0].primitives.size(), 51u);
}

/// The binary chunk of a .glb, as far as the Triangle's reaches.
Bytes front_of_bin(const Bytes& glb, std::size_t size) {
  std::uint32_t json_length = 0;
  std::memcpy(&json_length, glb.data() + 12, sizeof(json_length));
  const auto begin = glb.begin() + 28 + static_cast<std::ptrdiff_t>(json_length);
  return Bytes(begin, begin + static_cast<std::ptrdiff_t>(size));
}

TEST(NotFinite, WritingKeepsTheBytesOfWhatWasNotChanged) {
  Triangle triangle;
  for (const std::size_t offset : {kPositions + 12, kWeights, kInverseBind + 8, kTimes + 4, kRotations}) {
    triangle.poke(offset, kNan);
  }
  Asset asset = triangle.read().value();
  EXPECT_EQ(asset.warnings.size(), 5u);
  const Bytes same = write_glb(asset).value();
  EXPECT_EQ(same, triangle.glb());
  // Another clip and another place of the node: nothing of that touches the arrays.
  asset.nodes[0].local.translation = {1, 0, 0};
  asset.clips.push_back(small_clip(asset));
  const Bytes changed = write_glb(asset).value();
  EXPECT_EQ(front_of_bin(changed, triangle.bin.size()), triangle.bin);
  const Asset again = read_gltf(changed, "again.glb").value();
  EXPECT_EQ(again.warnings.size(), 5u);
  expect_same_content(asset, again);
}

TEST(NotFinite, AReplacedArrayIsFiniteAndItsOldBytesStay) {
  Triangle triangle;
  triangle.poke(kPositions + 12, kNan);
  Asset asset = triangle.read().value();
  asset.meshes[0].primitives[0].positions[0] = {-1, 0, 0};
  const Bytes written = write_glb(asset).value();
  EXPECT_EQ(front_of_bin(written, triangle.bin.size()), triangle.bin) << "others may use them";
  const Asset again = read_gltf(written, "again.glb").value();
  EXPECT_TRUE(again.warnings.empty());
  EXPECT_EQ(again.meshes[0].primitives[0].positions, (std::vector<Vec3>{{-1, 0, 0}, {0, 0, 0}, {0, 1, 0}}));
}

}  // namespace
}  // namespace limber::asset
