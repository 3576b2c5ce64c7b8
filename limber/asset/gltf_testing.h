// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/asset/gltf_container.h"
#include "limber/asset/gltf_json.h"
#include "limber/asset/read.h"
#include "limber/base/files.h"
#include "limber/testing/shared_data.h"

/// What the tests of glTF share.
namespace limber::asset::gltf_testing {

inline Bytes to_bytes(std::string_view text) {
  const auto bytes = as_bytes(text);
  return Bytes(bytes.begin(), bytes.end());
}

/// Every .glb and .gltf beside the checkout; empty where there are none.
inline std::vector<std::filesystem::path> shared_gltf_files() {
  auto files = testing::shared_files("assets", {".glb", ".gltf"});
  const auto corpus = testing::shared_files("corpus", {".glb", ".gltf"});
  files.insert(files.end(), corpus.begin(), corpus.end());
  return files;
}

/// A .glb from the text of its JSON and its binary chunk.
inline Bytes make_glb(std::string_view json, const Bytes& bin = {}) { return glb_bytes(json, bin, {}).value(); }

template <class T>
void append(Bytes& bytes, std::initializer_list<T> values) {
  const std::size_t offset = bytes.size();
  bytes.resize(offset + values.size() * sizeof(T));
  std::memcpy(bytes.data() + offset, values.begin(), values.size() * sizeof(T));
}

/// The lists of two assets are equal; says which are not.
inline void expect_same_content(const Asset& a, const Asset& b) {
  EXPECT_EQ(a.scenes, b.scenes);
  EXPECT_EQ(a.scene, b.scene);
  EXPECT_TRUE(a.nodes == b.nodes) << "nodes differ";
  EXPECT_TRUE(a.meshes == b.meshes) << "meshes differ";
  EXPECT_TRUE(a.skins == b.skins) << "skins differ";
  EXPECT_TRUE(a.clips == b.clips) << "clips differ";
  EXPECT_TRUE(a.materials == b.materials) << "materials differ";
  EXPECT_TRUE(a.textures == b.textures) << "textures differ";
  EXPECT_TRUE(a.images == b.images) << "images differ";
  EXPECT_TRUE(a.cameras == b.cameras) << "cameras differ";
  EXPECT_TRUE(a.lights == b.lights) << "lights differ";
}

/// A clip that turns and moves every node a little.
inline Clip small_clip(const Asset& asset) {
  Clip clip;
  clip.name = "added";
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    Channel turn;
    turn.node = static_cast<int>(i);
    turn.times = {0, 0.5f, 1};
    turn.values = {0, 0, 0, 1, 0, 0.6f, 0, 0.8f, 0, 0, 0, 1};
    clip.channels.push_back(turn);
    Channel move = turn;
    move.path = Path::kTranslation;
    move.interpolation = Interpolation::kStep;
    move.values = {0, 0, 0, 1, 2, 3, 0, 0, 0};
    clip.channels.push_back(move);
  }
  return clip;
}

/// Two joints, and a skin on every node that has a mesh without one. Returns whether there was such a node.
inline bool add_two_joint_skin(Asset& asset) {
  const auto first = static_cast<int>(asset.nodes.size());
  std::vector<std::size_t> bare;
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    const Node& node = asset.nodes[i];
    if (node.mesh < 0 || node.skin >= 0) continue;
    const auto& primitives = asset.meshes[static_cast<std::size_t>(node.mesh)].primitives;
    bool has_influences = false;
    for (const Primitive& primitive : primitives) has_influences |= !primitive.influences.empty();
    if (!has_influences) bare.push_back(i);
  }
  if (bare.empty()) return false;
  Node root, tip;
  root.name = "added_root", root.children = {first + 1};
  tip.name = "added_tip", tip.local.translation = {0, 1, 0};
  asset.nodes.push_back(root);
  asset.nodes.push_back(tip);
  Skin skin;
  skin.name = "added";
  skin.joints = {first, first + 1};
  skin.inverse_bind.resize(2);
  skin.inverse_bind[1].translation = {0, -1, 0};
  asset.skins.push_back(skin);
  for (const std::size_t i : bare) {
    asset.nodes[i].skin = static_cast<int>(asset.skins.size()) - 1;
    for (Primitive& primitive : asset.meshes[static_cast<std::size_t>(asset.nodes[i].mesh)].primitives) {
      if (!primitive.influences.empty()) continue;
      InfluenceSet set;
      for (std::size_t v = 0; v < primitive.positions.size(); ++v) {
        set.joints.push_back({0, 1, 0, 0});
        set.weights.push_back({0.25f, 0.75f, 0, 0});
      }
      if (!set.joints.empty()) primitive.influences.push_back(std::move(set));
    }
  }
  if (asset.scenes.empty()) asset.scenes.emplace_back();
  asset.scenes[0].roots.push_back(first);
  return true;
}

/// One of everything.
inline Asset everything() {
  Asset asset;
  asset.name = "everything";
  Primitive primitive;
  primitive.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0.5f}};
  primitive.normals.assign(4, {0, 0, 1});
  primitive.tangents.assign(4, {1, 0, 0, -1});
  primitive.indices = {0, 1, 2, 2, 1, 3};
  primitive.texcoords = {{{0, 0}, {1, 0}, {0, 1}, {1, 1}}, {{0, 0}, {0.5f, 0}, {0, 0.5f}, {0.5f, 0.5f}}};
  primitive.colors = {{{1, 0, 0, 1}, {0, 1, 0, 0.5f}, {0, 0, 1, 1}, {1, 1, 1, 1}}};
  InfluenceSet first, second;
  first.joints.assign(4, {0, 1, 0, 0}), first.weights.assign(4, {0.5f, 0.25f, 0, 0});
  second.joints.assign(4, {1, 0, 0, 0}), second.weights.assign(4, {0.25f, 0, 0, 0});
  primitive.influences = {first, second};
  MorphTarget target;
  target.positions.assign(4, {0, 0, 1}), target.normals.assign(4, {0, 1, 0});
  primitive.targets = {target};
  primitive.material = 0;
  Primitive lines;
  lines.mode = PrimitiveMode::kLineStrip;
  lines.positions = {{0, 0, 0}, {1, 2, 3}};
  asset.meshes = {Mesh{"body", {primitive, lines}, {0.5f}}};

  Node body, root, tip, scattered;
  body.name = "body", body.mesh = 0, body.skin = 0, body.weights = {0.75f};
  root.name = "root", root.children = {2}, root.local.rotation = {0, 0.6f, 0, 0.8f};
  tip.name = "tip", tip.local = {{0, 1, 0}, {}, {1, -2, 3}}, tip.camera = 0, tip.light = 0,
  tip.extras = R"({"a":[1,2]})";
  scattered.matrix = Affine{Mat3::diagonal({1, 2, 3}), {4, 5, 6}}, scattered.local = decompose(*scattered.matrix);
  scattered.mesh = 0, scattered.instances = {Transform{}, Transform{{1, 2, 3}, {0, 1, 0, 0}, {2, 2, 2}}};
  asset.nodes = {body, root, tip, scattered};
  asset.scenes = {Scene{"main", {0, 1}}, Scene{"other", {3}}};
  asset.scene = 1;
  asset.skins = {Skin{"skin", {1, 2}, {Affine{}, Affine{Mat3::identity(), {0, -1, 0}}}, 1, R"({"b":true})"}};

  Channel turn, morph, jump;
  turn.node = 2, turn.times = {0, 0.1f, 1}, turn.values = {0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1};
  morph.node = 0, morph.path = Path::kWeights, morph.interpolation = Interpolation::kCubicSpline;
  morph.times = {0, 1}, morph.values = {0, 0, 0, 0, 1, 0};
  jump.node = 1, jump.path = Path::kTranslation, jump.interpolation = Interpolation::kStep;
  jump.times = {0, 0.1f, 1}, jump.values = {0, 0, 0, 1, 2, 3, 0, 0, 0};
  asset.clips = {Clip{"walk", {turn, morph, jump}, R"({"speed":1.5})"}};

  asset.images = {Image{"picture", "image/png", "", to_bytes("\x89PNG picture")}};
  asset.textures = {Texture{"texture", 0, Wrap::kClampToEdge, Wrap::kMirroredRepeat, true}};
  Material material;
  material.name = "skin", material.base_color = {0.1f, 0.2f, 0.3f, 0.4f};
  material.base_color_texture = TextureUse{0, 1, {0.5f, 0}, {2, 2}, 0.25f};
  material.normal_texture.texture = 0;
  material.metallic = 0, material.emissive = {1, 0, 0}, material.alpha_mode = AlphaMode::kBlend;
  material.double_sided = true, material.unlit = true;
  asset.materials = {material};
  Camera flat;
  flat.perspective = false, flat.far = 50, flat.xmag = 2;
  asset.cameras = {Camera{}, flat};
  Light lamp;
  lamp.kind = LightKind::kSpot, lamp.range = 5, lamp.inner_cone = 0.1f;
  asset.lights = {Light{}, lamp};
  return asset;
}

/// A valid document to break: a skinned triangle of three vertices with a clip.
struct Triangle {
  Json json;
  Bytes bin;

  Triangle() {
    append<float>(bin, {0, 0, 0, 1, 0, 0, 0, 1, 0});                       // 0: positions, 36 bytes
    append<std::uint16_t>(bin, {0, 1, 2, 0});                              // 36: indices, 6 bytes and 2 of padding
    append<std::uint8_t>(bin, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});       // 44: joints
    append<float>(bin, {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});              // 56: weights, 48 bytes
    append<float>(bin, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});  // 104: inverse bind, 64 bytes
    append<float>(bin, {0, 1});                                            // 168: times
    append<float>(bin, {0, 0, 0, 1, 0, 1, 0, 0});                          // 176: rotations, 32 bytes
    json = Json::parse(R"({
      "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1]}],
      "nodes": [{"mesh": 0, "skin": 0}, {"name": "joint"}],
      "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 2, "WEIGHTS_0": 3}, "indices": 1}]}],
      "skins": [{"joints": [1], "inverseBindMatrices": 4}],
      "animations": [{"channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}],
                      "samplers": [{"input": 5, "output": 6}]}],
      "buffers": [{"byteLength": 208}],
      "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 6},
                      {"buffer": 0, "byteOffset": 44, "byteLength": 12}, {"buffer": 0, "byteOffset": 56, "byteLength": 48},
                      {"buffer": 0, "byteOffset": 104, "byteLength": 64}, {"buffer": 0, "byteOffset": 168, "byteLength": 8},
                      {"buffer": 0, "byteOffset": 176, "byteLength": 32}],
      "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
                    {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"},
                    {"bufferView": 2, "componentType": 5121, "count": 3, "type": "VEC4"},
                    {"bufferView": 3, "componentType": 5126, "count": 3, "type": "VEC4"},
                    {"bufferView": 4, "componentType": 5126, "count": 1, "type": "MAT4"},
                    {"bufferView": 5, "componentType": 5126, "count": 2, "type": "SCALAR"},
                    {"bufferView": 6, "componentType": 5126, "count": 2, "type": "VEC4"}]})");
  }

  Json& at(const std::string& pointer) { return json[Json::json_pointer(pointer)]; }
  void poke(std::size_t offset, float value) { std::memcpy(bin.data() + offset, &value, sizeof(value)); }
  Bytes glb() const { return make_glb(json.dump(), bin); }
  Result<Asset> read() const { return read_gltf(glb(), "t.glb"); }
};

/// The file is read, with a warning that has the word.
inline void expect_warned(const Result<Asset>& result, const std::string& word) {
  ASSERT_TRUE(result.ok()) << result.error().message();
  for (const std::string& warning : result->warnings) {
    if (warning.find(word) != std::string::npos) return;
  }
  ADD_FAILURE() << "no warning has " << word;
}

}  // namespace limber::asset::gltf_testing
