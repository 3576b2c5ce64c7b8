// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "limber/asset/encoders.h"
#include "limber/asset/fbx_record.h"
#include "limber/asset/pose.h"
#include "limber/asset/read.h"
#include "limber/asset/write.h"
#include "limber/testing/shared_data.h"

namespace limber::asset {
namespace {

bool holds(const Bytes& file, std::string_view text) { return as_text(file).find(text) != std::string_view::npos; }

Primitive square() {
  Primitive primitive;
  primitive.positions = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {0, 2, 0}};
  primitive.indices = {0, 1, 2, 0, 2, 3};
  primitive.normals.assign(4, {0, 0, 1});
  primitive.texcoords = {{{0, 1}, {1, 1}, {1, 0.25f}, {0, 0.25f}}};
  primitive.material = 0;
  return primitive;
}

int add_node(Asset& asset, int parent, const std::string& name, const Transform& local) {
  const int index = static_cast<int>(asset.nodes.size());
  Node node;
  node.name = name, node.local = local;
  asset.nodes.push_back(node);
  (parent < 0 ? asset.scenes[0].roots : asset.nodes[static_cast<std::size_t>(parent)].children).push_back(index);
  return index;
}

/// A square on two joints, the upper of which turns; every node has a scale.
Asset scaled_rig() {
  Asset asset;
  asset.scenes.resize(1), asset.scene = 0;
  asset.materials.resize(1);
  asset.materials[0].name = "paint";
  asset.materials[0].base_color = {0.8f, 0.4f, 0.2f, 0.5f};
  asset.materials[0].roughness = 0.3f;
  asset.meshes.resize(1);
  Primitive primitive = square();
  primitive.influences.resize(1);
  primitive.influences[0].joints = {{0, 1}, {0, 1}, {1, 0}, {1, 0}};
  primitive.influences[0].weights = {{1, 0, 0, 0}, {1.5f, 0.5f, 0, 0}, {1, 0, 0, 0}, {0.75f, 0.25f, 0, 0}};
  asset.meshes[0].primitives = {primitive};
  const int top = add_node(asset, -1, "top", {{0.5f, 0, 0.25f}, {0, 0.6f, 0, 0.8f}, {2, 2, 2}});
  const int low = add_node(asset, top, "leg", {{0, 0.1f, 0}, {0.5f, 0.5f, 0.5f, 0.5f}, {0.5f, 0.5f, 0.5f}});
  const int high = add_node(asset, low, "leg", {{0, 1, 0}, {0, 0, 0.6f, 0.8f}, {1, 1.5f, 1}});
  const int mesh = add_node(asset, top, "body", {{1, 2, 3}, {}, {3, 3, 3}});
  asset.nodes[static_cast<std::size_t>(mesh)].mesh = 0;
  asset.nodes[static_cast<std::size_t>(mesh)].skin = 0;
  Skin skin;
  skin.joints = {high, low};
  const NodeState rest = rest_state(asset);
  for (const int joint : skin.joints) {
    skin.inverse_bind.push_back(inverse(rest.world_from_node[static_cast<std::size_t>(joint)]).cast<float>());
  }
  asset.skins = {skin};
  Clip clip;
  clip.name = "wave";
  clip.channels.resize(3);
  clip.channels[0] = {high,
                      Path::kRotation,
                      Interpolation::kLinear,
                      {0, 0.5f, 1},
                      {0, 0, 0.6f, 0.8f, 0.7071068f, 0, 0, 0.7071068f, 0, 0.6f, 0, 0.8f}};
  clip.channels[1] = {top, Path::kTranslation, Interpolation::kLinear, {0, 1}, {0, 0, 0, 1, 2, 3}};
  clip.channels[2] = {low, Path::kScale, Interpolation::kLinear, {0, 1}, {1, 1, 1, 0.5f, 2, 1}};
  asset.clips = {clip};
  return asset;
}

TEST(FbxRecord, AFileIsItsHeaderItsRecordsAndItsFooter) {
  FbxRecord record("Top", std::int32_t{7});
  record.child("Inner", "text");
  const Bytes file = fbx_bytes(std::vector{record}).value();
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;) value = 256 * value + std::to_integer<std::uint32_t>(file[at + i]);
    return value;
  };
  EXPECT_EQ(as_text(file).substr(0, 18), "Kaydara FBX Binary");
  EXPECT_EQ(number(23), 7400u);
  // 13 bytes and a name of 3 before the property; in it "Inner" with 13 + 5 + 9, and the end of the list.
  EXPECT_EQ(number(27), 27u + 13 + 3 + 5 + (13 + 5 + 9) + 13);
  EXPECT_EQ(number(31), 1u);
  EXPECT_EQ(number(35), 5u);
  EXPECT_EQ(std::to_integer<int>(file[39]), 3);
  EXPECT_EQ(number(file.size() - 140), 7400u);
}

TEST(FbxRecord, LongArraysAreZipped) {
#if defined(LIMBER_WITH_ZLIB)
  const auto size = [](std::size_t count) {
    return fbx_bytes(std::vector{FbxRecord("A", std::vector<double>(count, 0.25))}).value().size();
  };
  EXPECT_LT(size(10000), size(0) + 1000);
#else
  GTEST_SKIP() << "this build has no zlib";
#endif
}

TEST(FbxFile, SaysItsUnitsAndAxesAndIsTheSameEveryTime) {
  const Asset asset = scaled_rig();
  const Bytes file = fbx_file(asset).value();
  EXPECT_EQ(file, fbx_file(asset).value());
  EXPECT_TRUE(holds(file, "UnitScaleFactor"));
  EXPECT_TRUE(holds(file, "UpAxis"));
  EXPECT_TRUE(holds(file, "BindPose"));
}

TEST(FbxFile, NamesAreKeptAndMadeUnique) {
  Asset asset = scaled_rig();
  asset.nodes[0].name = std::string("a\0b", 3);
  const Bytes file = fbx_file(asset).value();
  EXPECT_TRUE(holds(file, std::string("leg\0\1Model", 10)));
  EXPECT_TRUE(holds(file, std::string("leg_2\0\1Model", 12)));
  EXPECT_TRUE(holds(file, std::string("a_b\0\1Model", 10)));
}

TEST(FbxFile, AnEmptyAssetIsAFileToo) { EXPECT_TRUE(fbx_file(Asset{}).ok()); }

TEST(FbxFile, SkinsThatBindNothingDoNoHarm) {
  Asset asset = scaled_rig();
  for (Affine& matrix : asset.skins[0].inverse_bind) matrix = {Mat3{}, {}};
  EXPECT_TRUE(fbx_file(asset).ok());
  asset.skins[0].joints.clear(), asset.skins[0].inverse_bind.clear();
  EXPECT_TRUE(fbx_file(asset).ok());
}

#if defined(LIMBER_WITH_ASSIMP)

Asset through_fbx(const Asset& asset) {
  const testing::TemporaryFolder folder;
  EXPECT_TRUE(write_asset(asset, folder.path() / "a.fbx").ok());
  Result<Asset> read = read_asset(folder.path() / "a.fbx");
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message());
  return read.ok() ? std::move(read).value() : Asset{};
}

/// Largest distance from a vertex of one to the nearest of the other: importers split and order them their own way.
double distance(const Asset& a, const NodeState& in_a, const Asset& b, const NodeState& in_b) {
  double worst = 0;
  const auto points = [](const Asset& asset, const NodeState& state) {
    std::vector<Vec3d> all;
    for (const PosedPrimitive& p : posed_geometry(asset, state))
      all.insert(all.end(), p.positions.begin(), p.positions.end());
    return all;
  };
  const std::vector<Vec3d> from = points(a, in_a), to = points(b, in_b);
  EXPECT_EQ(from.empty(), to.empty());
  for (const Vec3d& p : from) {
    double nearest = 1e30;
    for (const Vec3d& q : to) nearest = std::min(nearest, norm(p - q));
    worst = std::max(worst, nearest);
  }
  return worst;
}

TEST(FbxFile, ComesBackWithSkinAndMotionAlsoWhereNodesHaveScale) {
  const Asset asset = scaled_rig(), back = through_fbx(asset);
  ASSERT_EQ(back.clips.size(), 1u);
  EXPECT_EQ(back.clips[0].name, "wave");
  EXPECT_NEAR(back.clips[0].duration(), 1, 1e-6);
  EXPECT_LT(distance(asset, rest_state(asset), back, rest_state(back)), 1e-5);
  for (const double time : {0.0, 0.13, 0.5, 0.77, 1.0}) {
    EXPECT_LT(distance(asset, clip_state(asset, asset.clips[0], time), back, clip_state(back, back.clips[0], time)),
              2e-4)
        << time;
  }
}

TEST(FbxFile, SkinsThatWereNotBoundAtRestKeepTheirShape) {
  Asset asset = scaled_rig();
  asset.nodes[2].local.rotation = {0.6f, 0, 0, 0.8f};
  const Asset back = through_fbx(asset);
  EXPECT_LT(distance(asset, rest_state(asset), back, rest_state(back)), 1e-5);
}

TEST(FbxFile, MaterialsAndTextureCoordinatesComeBack) {
  Asset asset = scaled_rig();
  asset.images.resize(1);
  asset.images[0].mime_type = "image/png";
  const auto png = as_bytes(std::string_view("\x89PNG\r\n\x1a\n not a real one"));
  asset.images[0].bytes.assign(png.begin(), png.end());
  asset.textures.resize(1);
  asset.textures[0].image = 0;
  asset.materials.push_back(asset.materials[0]);
  asset.materials[1].name = "picture";
  asset.materials[1].base_color_texture.texture = 0;
  asset.meshes[0].primitives.push_back(asset.meshes[0].primitives[0]);
  asset.meshes[0].primitives[1].material = 1;
  const Asset back = through_fbx(asset);
  const auto named = [&](const char* name) {
    return *std::find_if(back.materials.begin(), back.materials.end(),
                         [&](const Material& m) { return m.name == name; });
  };
  const Material paint = named("paint");
  EXPECT_NEAR(paint.base_color.x, 0.8f, 1e-6);
  EXPECT_NEAR(paint.base_color.z, 0.2f, 1e-6);
  EXPECT_NEAR(paint.base_color.w, 0.5f, 1e-6);
  EXPECT_NEAR(paint.roughness, 0.3f, 1e-5);
  ASSERT_EQ(back.images.size(), 1u);
  EXPECT_EQ(back.images[0].bytes, asset.images[0].bytes);
  ASSERT_EQ(back.meshes.size(), 1u);
  ASSERT_EQ(back.meshes[0].primitives.size(), 2u);
  const Primitive& primitive = back.meshes[0].primitives[0];
  std::set<std::pair<float, float>> uv;
  for (const Vec2& corner : primitive.texcoords.at(0)) uv.emplace(corner.x, corner.y);
  EXPECT_EQ(uv, (std::set<std::pair<float, float>>{{0, 1}, {1, 1}, {1, 0.25f}, {0, 0.25f}}));
  EXPECT_FALSE(primitive.normals.empty());
}

TEST(FbxFile, MorphTargetsComeBackWithTheirMotion) {
  Asset asset;
  asset.scenes.resize(1), asset.scene = 0;
  asset.materials.resize(1);
  asset.meshes.resize(1);
  asset.meshes[0].primitives = {square()};
  asset.meshes[0].primitives[0].targets.resize(1);
  asset.meshes[0].primitives[0].targets[0].positions = {{}, {0, 0, 1}, {}, {0.5f, 0, 0}};
  asset.meshes[0].weights = {0.25f};
  const int node = add_node(asset, -1, "face", {{1, 0, 0}, {}, {2, 1, 1}});
  asset.nodes[0].mesh = 0;
  Clip clip;
  clip.channels.push_back({node, Path::kWeights, Interpolation::kLinear, {0, 1}, {0, 1}});
  asset.clips = {clip};
  const Asset back = through_fbx(asset);
  ASSERT_EQ(back.clips.size(), 1u);
  for (const double time : {0.0, 0.3, 1.0}) {
    EXPECT_LT(distance(asset, clip_state(asset, asset.clips[0], time), back, clip_state(back, back.clips[0], time)),
              1e-5)
        << time;
  }
}

TEST(FbxFile, InstancesSharedMeshesAndSkeletonsAloneComeBack) {
  Asset asset;
  asset.scenes.resize(1), asset.scene = 0;
  asset.materials.resize(1);
  asset.meshes.resize(1);
  asset.meshes[0].primitives = {square()};
  for (const char* name : {"one", "two"}) {
    const int node = add_node(asset, -1, name, {{static_cast<float>(asset.nodes.size()), 0, 0}, {}, {1, -1, 1}});
    asset.nodes[static_cast<std::size_t>(node)].mesh = 0;
  }
  asset.nodes[1].instances = {{{0, 0, 4}, {}, {1, 1, 1}}, {{0, 0, 8}, {0, 1, 0, 0}, {1, 1, 1}}};
  const Asset back = through_fbx(asset);
  EXPECT_LT(distance(asset, rest_state(asset), back, rest_state(back)), 1e-5);

  Asset bones;
  bones.scenes.resize(1), bones.scene = 0;
  add_node(bones, add_node(bones, -1, "hip", {{0, 1, 0}, {0, 0.6f, 0, 0.8f}, {1, 1, 1}}), "knee",
           {{0, -0.5f, 0}, {}, {1, 1, 1}});
  const Asset bones_back = through_fbx(bones);
  const auto place = [](const Asset& of, const std::string& name) {
    for (std::size_t n = 0; n < of.nodes.size(); ++n) {
      if (of.nodes[n].name == name) return rest_state(of).world_from_node[n].translation;
    }
    return Vec3d{1e9, 0, 0};
  };
  EXPECT_LT(norm(place(bones_back, "knee") - place(bones, "knee")), 1e-6);
}

TEST(SharedFbxFile, ConformanceModelsComeBack) {
  for (const auto& path : testing::shared_files("assets/conformance", {".glb", ".gltf"})) {
    // Left out are those about what FBX does not have (lines, points, cameras), and a large one.
    const std::string name = path.stem().string();
    if (name == "MeshPrimitiveModes" || name == "Cameras" || name == "donkey_meshopt") continue;
    const Asset asset = read_asset(path).value(), back = through_fbx(asset);
    const NodeState rest = rest_state(asset);
    double size = 0;
    for (const PosedPrimitive& part : posed_geometry(asset, rest)) {
      for (const Vec3d& p : part.positions) size = std::max(size, norm(p));
    }
    // Assimp takes every shape at rest for a whole one, whatever the file says.
    const bool morphs = std::any_of(asset.meshes.begin(), asset.meshes.end(),
                                    [](const Mesh& mesh) { return !mesh.primitives.at(0).targets.empty(); });
    if (!morphs) {
      EXPECT_LT(distance(asset, rest, back, rest_state(back)), 1e-4 * size) << name;
    }
    for (std::size_t c = 0; c < std::min(asset.clips.size(), back.clips.size()); ++c) {
      for (const double fraction : {0.2, 0.9}) {
        const double time = fraction * asset.clips[c].duration();
        EXPECT_LT(distance(asset, clip_state(asset, asset.clips[c], time), back, clip_state(back, back.clips[c], time)),
                  2e-4 * size)
            << name << " at " << time;
      }
    }
  }
}

#endif

}  // namespace
}  // namespace limber::asset
