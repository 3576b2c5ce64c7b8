// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "limber/asset/assimp_scene.h"
#include "limber/asset/encoders.h"
#include "limber/asset/formats.h"
#include "limber/asset/pose.h"
#include "limber/asset/read.h"
#include "limber/base/rng.h"
#include "limber/testing/shared_data.h"

namespace limber::asset {
namespace {

#if defined(LIMBER_WITH_ASSIMP)

// The smallest PNG: one transparent pixel.
const std::string kPixel(
    "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0\x1f\x15\xc4\x89\0\0\0\nIDATx\x9c"
    "c\0\1\0\0\5\0\1\r\n-\xb4\0\0\0\0IEND\xae"
    "B`\x82",
    67);

const std::string kObj =
    "# a unit cube of quads, one of them with two materials\n"
    "mtllib box.mtl\no box\n"
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 0.75\n"
    "usemtl red\nf 4/4 3/3 2/2 1/1\nf 5/1 6/2 7/3 8/4\n"
    "usemtl skin\nf 1/1 2/2 6/3 5/4\nf 2/1 3/2 7/3 6/4\nf 3/1 4/2 8/3 7/4\nf -8/1 5/2 8/3 4/4\n";
const std::string kMtl =
    "newmtl red\nKd 0.5 0.25 0\nd 0.5\nnewmtl skin\nKd 0.8 0.8 0.8\nNs 96\nmap_Kd textures\\pixel.png\n";

const std::string kPly =
    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
    "property uchar red\nproperty uchar green\nproperty uchar blue\n"
    "element face 2\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0 255 0 0\n1 0 0 0 255 0\n1 1 0 0 0 255\n0 1 0 255 255 255\n3 0 1 2\n3 0 2 3\n";

const std::string kStl =
    "solid tetra\n"
    "facet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet\n"
    "facet normal 0 -1 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet\n"
    "facet normal -1 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nendloop\nendfacet\n"
    "facet normal 1 1 1\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\n"
    "endsolid tetra\n";

// Inches, Z up: a triangle 100 wide and 300 high, ten above the ground, on a node that moves.
const std::string kFbx =
    "; FBX 7.4.0 project file\n"
    "FBXHeaderExtension:  {\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 7400\n}\n"
    "GlobalSettings:  {\n\tVersion: 1000\n\tProperties70:  {\n"
    "\t\tP: \"UpAxis\", \"int\", \"Integer\", \"\",2\n\t\tP: \"UpAxisSign\", \"int\", \"Integer\", \"\",1\n"
    "\t\tP: \"FrontAxis\", \"int\", \"Integer\", \"\",1\n\t\tP: \"FrontAxisSign\", \"int\", \"Integer\", \"\",-1\n"
    "\t\tP: \"CoordAxis\", \"int\", \"Integer\", \"\",0\n\t\tP: \"CoordAxisSign\", \"int\", \"Integer\", \"\",1\n"
    "\t\tP: \"UnitScaleFactor\", \"double\", \"Number\", \"\",2.54\n\t}\n}\n"
    "Objects:  {\n"
    "\tGeometry: 1000, \"Geometry::tri\", \"Mesh\" {\n\t\tVertices: *9 {\n\t\t\ta: 0,0,0,100,0,0,0,50,300\n\t\t}\n"
    "\t\tPolygonVertexIndex: *3 {\n\t\t\ta: 0,1,-3\n\t\t}\n\t\tGeometryVersion: 124\n\t}\n"
    "\tModel: 2000, \"Model::tri\", \"Mesh\" {\n\t\tVersion: 232\n\t\tProperties70:  {\n"
    "\t\t\tP: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",0,0,10\n\t\t}\n\t}\n}\n"
    "Connections:  {\n\tC: \"OO\",2000,0\n\tC: \"OO\",1000,2000\n}\n";

// A skinned and animated strip of two triangles, Z up, in units of a hundredth of a metre.
const std::string kDae =
    R"(<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g" name="strip"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 100 0 0 100 0 200 0 0 200</float_array><technique_common>
<accessor source="#pa" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="2"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 0 2 3</p></triangles></mesh></geometry></library_geometries>
<library_controllers><controller id="c"><skin source="#g"><bind_shape_matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix>
<source id="j"><Name_array id="ja" count="2">root tip</Name_array><technique_common><accessor source="#ja" count="2"><param name="JOINT" type="Name"/></accessor></technique_common></source>
<source id="b"><float_array id="ba" count="32">1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 1 0 0 0 0 1 0 0 0 0 1 -100 0 0 0 1</float_array><technique_common><accessor source="#ba" count="2" stride="16"><param name="TRANSFORM" type="float4x4"/></accessor></technique_common></source>
<source id="w"><float_array id="wa" count="1">1</float_array><technique_common><accessor source="#wa" count="1"><param name="WEIGHT" type="float"/></accessor></technique_common></source>
<joints><input semantic="JOINT" source="#j"/><input semantic="INV_BIND_MATRIX" source="#b"/></joints>
<vertex_weights count="4"><input semantic="JOINT" source="#j" offset="0"/><input semantic="WEIGHT" source="#w" offset="1"/><vcount>1 1 1 1</vcount><v>0 0 0 0 1 0 1 0</v></vertex_weights></skin></controller></library_controllers>
<library_animations><animation id="a"><source id="t"><float_array id="ta" count="2">0 2</float_array><technique_common><accessor source="#ta" count="2"><param name="TIME" type="float"/></accessor></technique_common></source>
<source id="o"><float_array id="oa" count="32">1 0 0 0 0 1 0 0 0 0 1 100 0 0 0 1 1 0 0 0 0 1 0 50 0 0 1 100 0 0 0 1</float_array><technique_common><accessor source="#oa" count="2" stride="16"><param name="TRANSFORM" type="float4x4"/></accessor></technique_common></source>
<source id="i"><Name_array id="ia" count="2">LINEAR LINEAR</Name_array><technique_common><accessor source="#ia" count="2"><param name="INTERPOLATION" type="name"/></accessor></technique_common></source>
<sampler id="s"><input semantic="INPUT" source="#t"/><input semantic="OUTPUT" source="#o"/><input semantic="INTERPOLATION" source="#i"/></sampler><channel source="#s" target="tip/transform"/></animation></library_animations>
<library_visual_scenes><visual_scene id="scene"><node id="root" sid="root" name="root" type="JOINT"><matrix sid="transform">1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix>
<node id="tip" sid="tip" name="tip" type="JOINT"><matrix sid="transform">1 0 0 0 0 1 0 0 0 0 1 100 0 0 0 1</matrix></node></node>
<node id="strip" name="strip"><instance_controller url="#c"><skeleton>#root</skeleton></instance_controller></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene></COLLADA>)";

class Import : public ::testing::Test {
 protected:
  std::filesystem::path save(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    EXPECT_TRUE(write_file(path, text).ok());
    return path;
  }
  Result<Asset> import(const std::string& name, const std::string& text) { return read_asset(save(name, text)); }

  testing::TemporaryFolder folder_;
};

std::size_t count_triangles(const Asset& asset) {
  std::size_t count = 0;
  for (const Mesh& mesh : asset.meshes) {
    for (const Primitive& primitive : mesh.primitives) count += triangles(primitive).size();
  }
  return count;
}

std::pair<Vec3d, Vec3d> bounds(const std::vector<PosedPrimitive>& parts) {
  Vec3d low{1e30, 1e30, 1e30}, high{-1e30, -1e30, -1e30};
  for (const PosedPrimitive& part : parts) {
    for (const Vec3d& p : part.positions) low = min(low, p), high = max(high, p);
  }
  return {low, high};
}

TEST(ImportTime, GrowsWithTheFileUpToTenMinutes) {
  EXPECT_DOUBLE_EQ(import_seconds(0), 4);
  EXPECT_DOUBLE_EQ(import_seconds(10'000'000), 154);
  EXPECT_DOUBLE_EQ(import_seconds(100'000'000), 600);
  EXPECT_DOUBLE_EQ(import_seconds(std::uint64_t{4} << 30), 600);
}

TEST_F(Import, ObjKeepsMaterialsTexturesAndSharedVertices) {
  save("box.mtl", kMtl);
  save("textures/pixel.png", kPixel);
  const Asset asset = import("box.obj", kObj).value();
  EXPECT_EQ(asset.name, "box.obj");
  EXPECT_FALSE(asset.source);
  EXPECT_TRUE(asset.warnings.empty()) << asset.warnings.front();
  EXPECT_EQ(count_triangles(asset), 12u);
  std::map<std::string, const Material*> materials;
  for (const Material& material : asset.materials) materials[material.name] = &material;
  ASSERT_TRUE(materials.count("red") && materials.count("skin"));
  EXPECT_EQ(materials["red"]->base_color, (Vec4{0.5f, 0.25f, 0, 0.5f}));
  EXPECT_EQ(materials["red"]->alpha_mode, AlphaMode::kBlend);
  ASSERT_GE(materials["skin"]->base_color_texture.texture, 0);
  EXPECT_EQ(materials["skin"]->base_color, (Vec4{1, 1, 1, 1}));
  ASSERT_EQ(asset.images.size(), 1u);
  EXPECT_EQ(as_text(asset.images[0].bytes), kPixel);
  EXPECT_EQ(asset.images[0].mime_type, "image/png");

  // The two red faces share nothing; the four others share corners only where the texture coordinates agree too.
  std::set<std::size_t> sizes;
  for (const Mesh& mesh : asset.meshes) {
    for (const Primitive& primitive : mesh.primitives) {
      sizes.insert(primitive.positions.size());
      EXPECT_EQ(primitive.texcoords.at(0).size(), primitive.positions.size());
    }
  }
  EXPECT_EQ(sizes, (std::set<std::size_t>{8, 14}));
  // OBJ counts v from the bottom, glTF from the top.
  EXPECT_EQ(asset.meshes[0].primitives[0].texcoords[0][0], (Vec2{0, 0.25f}));
}

TEST_F(Import, ObjWithoutTextureCoordinatesKeepsOneVertexPerPosition) {
  const Asset asset = import("quad.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 2 2\nf 1 2 3 4\nf 4 3 5\n").value();
  ASSERT_EQ(asset.meshes.size(), 1u);
  EXPECT_EQ(asset.meshes[0].primitives[0].positions,
            (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 2, 2}}));
  EXPECT_EQ(asset.meshes[0].primitives[0].indices, (std::vector<std::uint32_t>{0, 1, 2, 0, 2, 3, 3, 2, 4}));
}

TEST_F(Import, FilesOutsideTheFolderAreNotOpened) {
  save("secret.mtl", "newmtl red\nKd 1 0 0\n");
  save("secret.png", kPixel);
  save("in/own.mtl", "newmtl red\nKd 0 1 0\nmap_Kd ../secret.png\n");
  const auto colors = [](const Asset& asset) {
    std::set<std::pair<float, float>> result;
    for (const Material& m : asset.materials) result.emplace(m.base_color.x, m.base_color.y);
    return result;
  };
  const std::string face = "v 0 0 0\nv 1 0 0\nv 1 1 0\nusemtl red\nf 1 2 3\n";
  EXPECT_FALSE(colors(import("in/a.obj", "mtllib ../secret.mtl\n" + face).value()).count({1.0f, 0.0f}));
  const Asset asset = import("in/b.obj", "mtllib own.mtl\n" + face).value();
  EXPECT_TRUE(colors(asset).count({0.0f, 1.0f}));
  EXPECT_TRUE(asset.images.empty());
  EXPECT_EQ(asset.warnings.size(), 1u);
}

TEST_F(Import, PlyKeepsTheOrderOfItsVerticesAndTheirColours) {
  const Asset asset = import("square.ply", kPly).value();
  const Primitive& primitive = asset.meshes.at(0).primitives.at(0);
  EXPECT_EQ(primitive.positions, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}));
  EXPECT_EQ(primitive.indices, (std::vector<std::uint32_t>{0, 1, 2, 0, 2, 3}));
  ASSERT_EQ(primitive.colors.size(), 1u);
  EXPECT_EQ(primitive.colors[0][1], (Vec4{0, 1, 0, 1}));
}

TEST_F(Import, StlTrianglesShareTheirCorners) {
  const Asset asset = import("tetra.STL", kStl).value();
  EXPECT_EQ(asset.meshes.at(0).primitives.at(0).positions.size(), 4u);
  EXPECT_EQ(count_triangles(asset), 4u);
}

TEST_F(Import, FbxComesOutInMetresWithYUp) {
  const Asset asset = import("zup.fbx", kFbx).value();
  const auto [low, high] = bounds(posed_geometry(asset, rest_state(asset)));
  EXPECT_LT(norm(low - Vec3d{0, 0.254, -1.27}), 1e-5);
  EXPECT_LT(norm(high - Vec3d{2.54, 7.874, 0}), 1e-5);
}

TEST_F(Import, DaeKeepsSkinAndMotionInMetresWithYUp) {
  const Asset asset = import("strip.dae", kDae).value();
  ASSERT_EQ(asset.skins.size(), 1u);
  EXPECT_EQ(asset.skins[0].joints.size(), 2u);
  ASSERT_EQ(asset.clips.size(), 1u);
  EXPECT_NEAR(asset.clips[0].duration(), 2, 1e-5);
  auto [low, high] = bounds(posed_geometry(asset, rest_state(asset)));
  EXPECT_LT(norm(low - Vec3d{0, 0, 0}), 1e-5);
  EXPECT_LT(norm(high - Vec3d{1, 2, 0}), 1e-5);
  // The tip goes 50 along the file's +Y, which is -Z here.
  std::tie(low, high) = bounds(posed_geometry(asset, clip_state(asset, asset.clips[0], 1)));
  EXPECT_LT(norm(low - Vec3d{0, 0, -0.25}), 1e-5);
}

TEST_F(Import, BadFilesAreErrorsThatNameTheFile) {
  for (const char* name : {"a.obj", "a.ply", "a.stl", "a.dae", "a.fbx"}) {
    for (const std::string text : {"", "nonsense", "\0\1\2\3"}) {
      const Result<Asset> asset = import(name, text);
      if (asset.ok()) {
        EXPECT_EQ(count_triangles(*asset), 0u) << name << " of '" << text << "'";
      } else {
        EXPECT_NE(asset.error().message().find(name), std::string::npos) << asset.error().message();
      }
    }
  }
  EXPECT_EQ(read_asset(folder_.path() / "missing.obj").error().kind, ErrorKind::kMissing);
  std::string many = kPly;
  many.replace(many.find("vertex 4"), 8, "vertex 4000000000");
  EXPECT_EQ(import("many.ply", many).error().message(),
            "many.ply: claims 4000000000 elements of 'vertex' in 299 bytes");
  ReadLimits limits;
  limits.max_file_bytes = 10;
  EXPECT_EQ(read_asset(save("large.obj", kObj), limits).error().kind, ErrorKind::kOutOfMemory);
}

TEST_F(Import, NumbersThatAreNotFiniteAreMendedWithAWarning) {
  const Asset obj = import("nan.obj", "v nan 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n").value();
  ASSERT_EQ(obj.warnings.size(), 1u);
  EXPECT_NE(obj.warnings[0].find("element 0 is not finite; the element before stands in"), std::string::npos)
      << obj.warnings[0];
  EXPECT_EQ(obj.meshes.at(0).primitives.at(0).positions.at(0), (Vec3{1, 0, 0}));

  // The key that broke is the tip's rest: 1 up, and not 0.5 aside.
  std::string broken = kDae;
  broken.replace(broken.find("0 1 0 50 0 0"), 12, "0 1 0 nan 0 0");
  const Asset dae = import("nan.dae", broken).value();
  ASSERT_EQ(dae.warnings.size(), 1u);
  EXPECT_NE(dae.warnings[0].find("are not finite; the rest pose stands in"), std::string::npos) << dae.warnings[0];
  const auto [low, high] = bounds(posed_geometry(dae, clip_state(dae, dae.clips.at(0), 2)));
  EXPECT_LT(norm(low - Vec3d{0, 0, 0}), 1e-5);
  EXPECT_LT(norm(high - Vec3d{1, 2, 0}), 1e-5);

  // The mesh is bound where it is at rest.
  broken = kDae;
  broken.replace(broken.find("0 0 1 -100 0 0 0 1"), 18, "0 0 1 nan 0 0 0 1");
  const Asset bound = import("bind.dae", broken).value();
  ASSERT_EQ(bound.warnings.size(), 1u);
  EXPECT_NE(bound.warnings[0].find("bind matrices of skin 0"), std::string::npos) << bound.warnings[0];
  EXPECT_LT(norm(bounds(posed_geometry(bound, rest_state(bound))).second - Vec3d{1, 2, 0}), 1e-5);
}

TEST_F(Import, MutatedFilesNeverCrash) {
  Rng rng(11);
  const std::pair<const char*, const std::string*> seeds[] = {
      {"m.obj", &kObj}, {"m.ply", &kPly}, {"m.stl", &kStl}, {"m.fbx", &kFbx}, {"m.dae", &kDae}};
  std::size_t accepted = 0;
  for (int i = 0; i < 200; ++i) {
    const auto& [name, seed] = seeds[i % 5];
    std::string text = *seed;
    for (std::uint32_t edits = 1 + rng.below(3); edits > 0; --edits) {
      const std::size_t where = rng.below(static_cast<std::uint32_t>(text.size()));
      switch (rng.below(4)) {
        case 0:
          text.erase(where, 1 + rng.below(30));
          break;
        case 1:
          text.insert(where, text.substr(rng.below(static_cast<std::uint32_t>(text.size())), rng.below(60)));
          break;
        case 2:
          text.insert(where, "99999999999");
          break;
        default:
          text[where] = static_cast<char>(rng.below(256));
      }
      if (text.empty()) text.push_back('v');
    }
    const Result<Asset> asset = import(name, text);
    if (!asset.ok()) continue;
    ++accepted;
    for (const PosedPrimitive& part : posed_geometry(*asset, rest_state(*asset))) {
      for (const Vec3d& p : part.positions) ASSERT_TRUE(is_finite(p));
    }
  }
  EXPECT_GT(accepted, 40u);
}

struct Expected {
  const char* file;
  std::size_t triangles, joints;
  std::vector<double> durations;
};

TEST(ImportShared, FbxFilesHaveTheirTrianglesJointsAndClips) {
  if (testing::shared_files("assets", {".fbx"}).empty()) GTEST_SKIP() << "no shared FBX files";
  for (const Expected& expected :
       std::vector<Expected>{{"bird/chick_quaternius.fbx", 250, 10, {2.917}},
                             {"bird/songbird_quaternius.fbx", 158, 10, {0.667, 0.056, 0.056}},
                             {"humanoid/avocado_man_quaternius.fbx", 1032, 33, {13.167, 6.667}}}) {
    const Asset asset = read_asset(testing::shared_dir() / "assets" / expected.file).value();
    EXPECT_EQ(count_triangles(asset), expected.triangles) << expected.file;
    ASSERT_EQ(asset.skins.size(), 1u) << expected.file;
    EXPECT_EQ(asset.skins[0].joints.size(), expected.joints) << expected.file;
    ASSERT_EQ(asset.clips.size(), expected.durations.size()) << expected.file;
    for (std::size_t i = 0; i < asset.clips.size(); ++i) {
      EXPECT_NEAR(asset.clips[i].duration(), expected.durations[i], 1e-3) << expected.file;
      for (const PosedPrimitive& part : posed_geometry(asset, clip_state(asset, asset.clips[i], 0.4))) {
        for (const Vec3d& p : part.positions) ASSERT_TRUE(is_finite(p));
      }
    }
    for (const Node& node : asset.nodes) EXPECT_EQ(node.name.find("$AssimpFbx$"), std::string::npos);
    // Blender's FBX of something a few metres large, standing upright.
    const auto [low, high] = bounds(posed_geometry(asset, rest_state(asset)));
    EXPECT_GT(norm(high - low), 1);
    EXPECT_LT(norm(high - low), 10);
  }
}

TEST(ImportShared, PosesOfOneObjMeshKeepTheirVertices) {
  const auto files = testing::shared_files("assets/pose_space", {".obj"});
  if (files.empty()) GTEST_SKIP() << "no shared OBJ files";
  for (const auto& file : files) {
    const Asset asset = read_asset(file).value();
    EXPECT_EQ(asset.meshes.at(0).primitives.at(0).positions.size(), 446u) << file;
    EXPECT_EQ(count_triangles(asset), 888u) << file;
  }
}

TEST_F(Import, TheOrderOfVerticesDoesNotDependOnHowPolygonsAreCut) {
  const std::string start = "v 0 0 0\nv 2 0 0\n", end = "v 0 2 0\nf 1 2 3 4\n";
  for (const std::string corner : {"v 2 2 0\n", "v 0.5 0.5 0\n"}) {
    const Asset asset = import("quad.obj", start + corner + end).value();
    const std::vector<Vec3>& positions = asset.meshes.at(0).primitives.at(0).positions;
    ASSERT_EQ(positions.size(), 4u);
    EXPECT_EQ(positions[1], (Vec3{2, 0, 0}));
    EXPECT_EQ(positions[3], (Vec3{0, 2, 0}));
  }
  const std::string turned = "v 0.9 0.9 0\nv 2 0 0\nv 1 1 0\nv 0 2 0\nf 1 2 3 4\n";
  const Asset asset = import("dart.obj", turned).value();
  EXPECT_EQ(asset.meshes.at(0).primitives.at(0).positions.at(0), (Vec3{0.9f, 0.9f, 0}));
}

TEST_F(Import, ObjTextReadsBackAsTheSameSurface) {
  save("box.mtl", kMtl);
  const Asset asset = import("box.obj", kObj).value();
  const Asset copy = import("copy.obj", obj_text(asset).value()).value();
  EXPECT_EQ(count_triangles(copy), count_triangles(asset));
  const auto parts = posed_geometry(asset, rest_state(asset)), copied = posed_geometry(copy, rest_state(copy));
  const auto [low, high] = bounds(parts);
  const auto [copied_low, copied_high] = bounds(copied);
  EXPECT_EQ(low, copied_low);
  EXPECT_EQ(high, copied_high);
}

#else

TEST(Import, WithoutAssimpItSaysSo) {
  testing::TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder.path() / "a.obj", std::string_view("v 0 0 0\n")).ok());
  const Result<Asset> asset = read_asset(folder.path() / "a.obj");
  ASSERT_FALSE(asset.ok());
  EXPECT_NE(asset.error().what.find("assimp"), std::string::npos);
}

#endif

}  // namespace
}  // namespace limber::asset
