// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "limber/asset/gltf_testing.h"
#include "limber/asset/read.h"
#include "limber/asset/source.h"
#include "limber/asset/write.h"

namespace limber::asset {
namespace {

using namespace gltf_testing;

Asset read_back(const Bytes& bytes) {
  auto asset = read_gltf(bytes, "back.glb");
  EXPECT_TRUE(asset.ok()) << asset.error().message();
  return asset.ok() ? std::move(asset).value() : Asset{};
}

/// `everything` as it comes from a file.
Asset everything_from_file() { return read_back(write_glb(everything()).value()); }

TEST(WriteGltf, EverythingComesBack) {
  const Asset asset = everything();
  const Asset again = everything_from_file();
  expect_same_content(asset, again);
  EXPECT_TRUE(again.warnings.empty());
}

TEST(WriteGltf, AFreshFileHasWhatTheSpecificationAsksFor) {
  const Asset asset = everything_from_file();
  const Json& json = asset.source->json;
  EXPECT_EQ(json["asset"]["version"], "2.0");
  EXPECT_EQ(json["asset"]["generator"], "limber");
  const auto accessor = [&](const Json& index) { return json["accessors"][index.get<std::size_t>()]; };
  const Json& primitive = json["meshes"][0]["primitives"][0];
  const Json positions = accessor(primitive["attributes"]["POSITION"]);
  EXPECT_EQ(positions["min"], Json::parse("[0.0,0.0,0.0]"));
  EXPECT_EQ(positions["max"], Json::parse("[1.0,1.0,0.5]"));
  EXPECT_EQ(json["bufferViews"][positions["bufferView"].get<std::size_t>()]["target"], 34962);
  const Json indices = accessor(primitive["indices"]);
  EXPECT_EQ(indices["componentType"], 5123);
  EXPECT_EQ(json["bufferViews"][indices["bufferView"].get<std::size_t>()]["target"], 34963);
  EXPECT_EQ(accessor(primitive["attributes"]["JOINTS_0"])["componentType"], 5121);
  // The two channels with equal times share them.
  const Json& samplers = json["animations"][0]["samplers"];
  EXPECT_EQ(samplers[0]["input"], samplers[2]["input"]);
  EXPECT_EQ(accessor(samplers[0]["input"])["max"], Json::parse("[1.0]"));
  for (const char* name :
       {"KHR_lights_punctual", "EXT_mesh_gpu_instancing", "KHR_texture_transform", "KHR_materials_unlit"}) {
    EXPECT_NE(std::find(json["extensionsUsed"].begin(), json["extensionsUsed"].end(), name),
              json["extensionsUsed"].end())
        << name;
  }
  for (const Json& view : json["bufferViews"]) EXPECT_EQ(view["byteOffset"].get<std::size_t>() % 4, 0u);
  // Floats are written as short as they can be.
  EXPECT_NE(json.dump().find("[0.1,0.2,0.3,0.4]"), std::string::npos);
}

TEST(WriteGltf, JointsAboveABytesRangeAreShorts) {
  Asset asset = everything();
  for (int i = 0; i < 300; ++i) {
    asset.nodes.emplace_back();
    asset.skins[0].joints.push_back(static_cast<int>(asset.nodes.size()) - 1);
    asset.skins[0].inverse_bind.emplace_back();
  }
  asset.meshes[0].primitives[0].influences[0].joints[2] = {301, 0, 0, 0};
  const Asset again = read_back(write_glb(asset).value());
  expect_same_content(asset, again);
}

/// What differs between two documents: pointers of a patch.
std::vector<std::string> differences(const Json& before, const Json& after) {
  std::vector<std::string> result;
  for (const auto& operation : Json::diff(before, after)) result.push_back(operation["path"].get<std::string>());
  return result;
}

TEST(WriteGltf, ChangingATransformTouchesThatNodeOnly) {
  Asset asset = everything_from_file();
  asset.nodes[1].local.translation = {1, 2, 3};
  asset.nodes[2].local.scale = {1, 1, 1};
  const Asset again = read_back(write_glb(asset).value());
  for (const std::string& path : differences(asset.source->json, again.source->json)) {
    EXPECT_TRUE(path == "/nodes/1/translation" || path.rfind("/nodes/2/scale", 0) == 0) << path;
  }
  expect_same_content(asset, again);
}

TEST(WriteGltf, AMatrixGivesWayToATransformAndBack) {
  Asset asset = everything_from_file();
  asset.nodes[3].matrix.reset();
  asset.nodes[1].matrix = Affine{Mat3::diagonal({2, 2, 2}), {1, 0, 0}};
  asset.nodes[1].local = decompose(*asset.nodes[1].matrix);
  const Asset again = read_back(write_glb(asset).value());
  expect_same_content(asset, again);
  EXPECT_FALSE(again.source->json["nodes"][3].contains("matrix"));
  EXPECT_FALSE(again.source->json["nodes"][1].contains("rotation"));
}

TEST(WriteGltf, ChangedPositionsGetAnAccessorOfTheirOwn) {
  Asset asset = everything_from_file();
  asset.meshes[0].primitives[0].positions[3] = {9, 9, 9};
  const Asset again = read_back(write_glb(asset).value());
  expect_same_content(asset, again);
  for (const std::string& path : differences(asset.source->json, again.source->json)) {
    EXPECT_TRUE(path == "/meshes/0/primitives/0/attributes/POSITION" || path == "/buffers/0/byteLength" ||
                path.rfind("/accessors/", 0) == 0 || path.rfind("/bufferViews/", 0) == 0)
        << path;
  }
  EXPECT_EQ(array_size(again.source->json, "accessors"), array_size(asset.source->json, "accessors") + 1);
}

TEST(WriteGltf, AttributesThatNobodyKnowsLeaveWithTheOldVertices) {
  Asset asset = everything();
  asset.meshes[0].primitives.resize(1);
  asset.meshes[0].primitives[0].targets.clear();
  asset.clips[0].channels.erase(asset.clips[0].channels.begin() + 1);
  Bytes glb = write_glb(asset).value();
  asset = read_back(glb);
  Json json = asset.source->json;
  json["meshes"][0]["primitives"][0]["attributes"]["_MINE"] = 0;
  asset = read_back(make_glb(json.dump(), *asset.source->buffers[0].data));
  EXPECT_EQ(read_back(write_glb(asset).value()).source->json, json);
  Primitive& primitive = asset.meshes[0].primitives[0];
  primitive = Primitive{};
  primitive.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const Asset again = read_back(write_glb(asset).value());
  EXPECT_EQ(again.meshes[0].primitives[0], primitive);
  EXPECT_EQ(again.source->json["meshes"][0]["primitives"][0]["attributes"].size(), 1u);
}

TEST(WriteGltf, EveryFieldCanBeChanged) {
  Asset asset = everything_from_file();
  asset.scene = 0;
  asset.scenes[0] = Scene{"renamed", {0, 1, 3}};
  asset.nodes[0].name.clear(), asset.nodes[0].weights.clear(), asset.nodes[2].light = 1, asset.nodes[2].camera = -1;
  asset.nodes[2].extras = "{}", asset.nodes[3].instances.clear(), asset.nodes[3].skin = 0;
  asset.meshes[0].weights = {1}, asset.meshes[0].primitives[1].mode = PrimitiveMode::kPoints;
  asset.meshes[0].primitives[0].texcoords.pop_back(), asset.meshes[0].primitives[0].influences.pop_back();
  asset.meshes[0].primitives[0].tangents.clear(), asset.meshes[0].primitives[0].targets[0].normals.clear();
  asset.skins[0].skeleton = -1, asset.skins[0].inverse_bind[0].translation.x = 7, asset.skins[0].extras.clear();
  asset.clips[0].channels[0].values[1] = 0.5f, asset.clips[0].channels[2].times[1] = 0.2f;
  asset.clips[0].channels[1].interpolation = Interpolation::kLinear, asset.clips[0].channels[1].values = {0, 1};
  asset.clips[0].channels.push_back(asset.clips[0].channels[0]);
  asset.clips[0].channels.back().node = 1, asset.clips[0].name = "run";
  asset.images[0] = Image{"", "image/jpeg", "", to_bytes("\xff\xd8\xff other")};
  asset.textures[0].nearest = false, asset.textures[0].name.clear();
  Material& material = asset.materials[0];
  material = Material{};
  material.base_color_texture.texture = 0, material.alpha_mode = AlphaMode::kMask, material.alpha_cutoff = 0.25f;
  asset.materials.push_back(Material{});
  asset.cameras[0].perspective = false, asset.cameras[0].far = 3, asset.cameras[1].xmag = 5;
  asset.lights[1].kind = LightKind::kPoint, asset.lights[1].range = 0, asset.lights[0].color = {1, 0, 0};
  const auto written = write_glb(asset);
  ASSERT_TRUE(written.ok()) << written.error().message();
  expect_same_content(asset, read_back(*written));
}

TEST(WriteGltf, WhatIsNoNumberStaysWhatItIs) {
  Asset asset = everything();
  asset.meshes[0].primitives[0].normals[0].x = std::numeric_limits<float>::quiet_NaN();
  const Bytes first = write_glb(asset).value();
  EXPECT_EQ(write_glb(read_back(first)).value(), first);
}

TEST(WriteGltf, NumbersOfTheDocumentKeepEveryDigit) {
  const std::string text =
      R"({"asset":{"version":"2.0"},"extras":{"z":18446744073709551615,"a":-9223372036854775808,"d":0.1234567890123456,"e":1e-300,"i":3,"f":3.0}})";
  const auto asset = read_gltf(to_bytes(text), "t.gltf");
  ASSERT_TRUE(asset.ok());
  testing::TemporaryFolder folder;
  ASSERT_TRUE(write_asset(*asset, folder.path() / "t.gltf").ok());
  const auto bytes = read_file(folder.path() / "t.gltf");
  EXPECT_EQ(Json::parse(as_text(*bytes)).dump(), text);
}

TEST(WriteGltf, MissingElementsAreRefusedUntilTheSourceIsDropped) {
  Asset asset = everything_from_file();
  asset.clips.clear();
  auto written = write_glb(asset);
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().message().find("#/animations"), std::string::npos);
  EXPECT_NE(written.error().message().find("drop `source`"), std::string::npos);
  asset.source = nullptr;
  EXPECT_TRUE(write_glb(asset).ok());
}

TEST(WriteGltf, AClipThatWasReplacedByAnotherIsThatOther) {
  Asset asset = everything_from_file();
  ASSERT_GT(asset.clips[0].channels.size(), 1u);
  Clip& clip = asset.clips[0];
  clip.channels = {clip.channels.back()};
  clip.channels[0].times.back() += 1;
  const Asset again = read_back(write_glb(asset).value());
  ASSERT_EQ(again.clips[0].channels.size(), 1u);
  EXPECT_EQ(again.clips[0].channels[0].times, clip.channels[0].times);
  EXPECT_EQ(again.clips[0].channels[0].values, clip.channels[0].values);
  EXPECT_EQ(again.clips[0].name, clip.name);
}

TEST(WriteGltf, AnInconsistentAssetIsRefused) {
  const auto refused = [](auto change, const std::string& words) {
    Asset asset = everything();
    change(asset);
    const auto written = write_glb(asset);
    ASSERT_FALSE(written.ok()) << words;
    EXPECT_NE(written.error().message().find(words), std::string::npos) << written.error().message();
  };
  refused([](Asset& a) { a.nodes[0].mesh = 3; }, "everything#/nodes/0: refers to mesh 3");
  refused([](Asset& a) { a.nodes[2].children = {1}; }, "own ancestor");
  refused([](Asset& a) { a.nodes[0].children = {2}; }, "two parents");
  refused([](Asset& a) { a.meshes[0].primitives[0].normals.pop_back(); }, "3 normals for 4 vertices");
  refused([](Asset& a) { a.meshes[0].primitives[0].indices[0] = 4; }, "#/meshes/0/primitives/0: index 4");
  refused([](Asset& a) { a.meshes[0].primitives[0].positions[0].x = NAN; }, "a position is not finite");
  refused(
      [](Asset& a) {
        Primitive& primitive = a.meshes[0].primitives[0];
        primitive.colors = {std::vector<Vec4>(primitive.positions.size(), {1, 1, 1, NAN})};
      },
      "a color is not finite");
  refused([](Asset& a) { a.skins[0].inverse_bind.pop_back(); }, "#/skins/0");
  refused([](Asset& a) { a.clips[0].channels[0].values.pop_back(); }, "#/animations/0/channels/0");
  refused([](Asset& a) { a.clips[0].channels[0].times = {1, 0, 2}; }, "goes back");
  refused([](Asset& a) { a.nodes[1].extras = "{"; }, "not valid JSON");
  refused([](Asset& a) { a.scene = 2; }, "#/scene");
  refused([](Asset& a) { a.materials[0].normal_texture.texture = 1; }, "#/materials/0");
}

TEST(WriteGltf, JsonWithFilesBesideIt) {
  testing::TemporaryFolder folder, other;
  Asset asset = everything();
  asset.images[0].uri = "textures/a picture.png";
  ASSERT_TRUE(write_asset(asset, folder.path() / "a model.gltf").ok());
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "a model.bin"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "textures" / "a picture.png"));
  auto again = read_asset(folder.path() / "a model.gltf");
  ASSERT_TRUE(again.ok()) << again.error().message();
  expect_same_content(asset, *again);

  // Elsewhere and changed: the files come along, new data has a file of its own, the old file stays as it was.
  again->clips.push_back(small_clip(*again));
  ASSERT_TRUE(write_asset(*again, other.path() / "a model.gltf").ok());
  EXPECT_EQ(*read_file(other.path() / "a model.bin"), *read_file(folder.path() / "a model.bin"));
  EXPECT_TRUE(std::filesystem::exists(other.path() / "a model_1.bin"));
  const auto third = read_asset(other.path() / "a model.gltf");
  ASSERT_TRUE(third.ok()) << third.error().message();
  expect_same_content(*again, *third);

  // One .glb has it all.
  ASSERT_TRUE(write_asset(*third, other.path() / "alone" / "model.glb").ok() == false);
  ASSERT_TRUE(write_asset(*third, other.path() / "model.glb").ok());
  Asset expected = *third;
  expected.images[0].uri.clear();
  const Asset alone = read_back(*read_file(other.path() / "model.glb"));
  expect_same_content(expected, alone);
  EXPECT_EQ(array_size(alone.source->json, "buffers"), 1u);
}

TEST(WriteGltf, AModelThatCannotBeSeenIsShownAndStaysSo) {
  testing::TemporaryFolder folder;
  const auto path = folder.path() / "model.glb";
  Asset asset = everything();
  for (Material& material : asset.materials)
    material.alpha_mode = AlphaMode::kMask, material.alpha_cutoff = 0.3f, material.base_color.w = 0;
  for (Mesh& mesh : asset.meshes) {
    for (Primitive& primitive : mesh.primitives) primitive.material = 0;
  }
  ASSERT_TRUE(write_asset(asset, path).ok());
  const Asset shown = read_asset(path).value();
  ASSERT_FALSE(shown.warnings.empty());
  EXPECT_NE(shown.warnings.back().find("taken for opaque"), std::string::npos);
  EXPECT_EQ(shown.materials[0].alpha_mode, AlphaMode::kOpaque);
  ASSERT_TRUE(write_asset(shown, path).ok());
  const Asset again = read_asset(path).value();
  EXPECT_EQ(again.warnings.size() + 1, shown.warnings.size());
  EXPECT_EQ(again.materials[0].base_color.w, 1);
  EXPECT_FALSE(again.source->json["materials"][0].contains("alphaCutoff"));  // only cut-outs have one

  // Where anything can be seen, what is hidden is meant to be.
  asset.meshes[0].primitives[0].material = -1;
  ASSERT_TRUE(write_asset(asset, path).ok());
  EXPECT_EQ(read_asset(path)->materials[0].alpha_mode, AlphaMode::kMask);
}

TEST(WriteGltf, FilesBesideTheOutputNeverLeaveItsFolder) {
  testing::TemporaryFolder folder, outside;
  Asset asset = everything();
  asset.images[0].uri = "../escape.png";
  EXPECT_FALSE(write_asset(asset, folder.path() / "a.gltf").ok());
  std::filesystem::create_symlink(outside.path(), folder.path() / "link");
  asset.images[0].uri = "link/escape.png";
  EXPECT_FALSE(write_asset(asset, folder.path() / "a.gltf").ok());
  asset.images[0].uri = "a.gltf";
  EXPECT_FALSE(write_asset(asset, folder.path() / "a.gltf").ok());
  EXPECT_TRUE(std::filesystem::is_empty(outside.path()));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "a.gltf"));
}

/// A model whose buffer is the file `name` beside it, with that text.
Asset with_buffer(const std::filesystem::path& folder, const std::string& name, const std::string& text) {
  const Json json = {{"asset", {{"version", "2.0"}}}, {"buffers", {{{"byteLength", text.size()}, {"uri", name}}}}};
  EXPECT_TRUE(write_file(folder / name, text).ok());
  EXPECT_TRUE(write_file(folder / "x.gltf", json.dump()).ok());
  auto asset = read_asset(folder / "x.gltf");
  EXPECT_TRUE(asset.ok()) << asset.error().message();
  return asset.ok() ? std::move(asset).value() : Asset{};
}

TEST(WriteGltf, AModelReplacesNothingButWhatIsItsOwn) {
  testing::TemporaryFolder evil, home;
  const std::filesystem::path notes = home.path() / "notes.txt", output = home.path() / "y.gltf";
  const auto text_of = [](const std::filesystem::path& path) { return std::string(as_text(read_file(path).value())); };
  ASSERT_TRUE(write_file(notes, "mine").ok());
  const Asset model = with_buffer(evil.path(), "notes.txt", "evil");
  const Status refused = write_asset(model, output);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::kConflict);
  EXPECT_NE(refused.error().message().find("\"notes.txt\""), std::string::npos) << refused.error().message();
  EXPECT_EQ(text_of(notes), "mine");
  EXPECT_FALSE(std::filesystem::exists(output));
  // What the output has of this name in its text, but not as a file beside it, is not its own.
  ASSERT_TRUE(write_file(output, R"({"asset": {"version": "2.0", "generator": "notes.txt"}})").ok());
  EXPECT_FALSE(write_asset(model, output).ok());
  std::filesystem::remove(notes);
  std::filesystem::create_symlink(evil.path() / "made.txt", notes);
  EXPECT_FALSE(write_asset(model, output).ok()) << "a link to what is not there yet, elsewhere";
  std::filesystem::remove(notes);

  // Written once, it may be written again, with the same content and with another.
  for (const char* text : {"evil", "evil", "other", "evil"}) {
    const Status again = write_asset(with_buffer(evil.path(), "notes.txt", text), output);
    ASSERT_TRUE(again.ok()) << again.error().message();
    EXPECT_EQ(text_of(notes), text);
  }
  // Beside another model only the same.
  EXPECT_TRUE(write_asset(model, home.path() / "z.gltf").ok());
  EXPECT_FALSE(write_asset(with_buffer(evil.path(), "notes.txt", "other"), home.path() / "u.gltf").ok());
}

TEST(WriteGltf, HiddenFilesAreNotWritten) {
  testing::TemporaryFolder evil, home;
  std::filesystem::create_directory(evil.path() / ".config");
  for (const char* name : {".bashrc", "./.bashrc", ".config/evil"}) {
    const Asset model = with_buffer(evil.path(), name, "evil");
    const Status refused = write_asset(model, home.path() / "y.gltf");
    ASSERT_FALSE(refused.ok()) << name;
    EXPECT_EQ(refused.error().kind, ErrorKind::kConflict);
    EXPECT_TRUE(std::filesystem::is_empty(home.path())) << name;
    EXPECT_TRUE(write_glb(model).ok()) << "as the message says";
  }
}

TEST(WriteGltf, OtherEndingsAreRefused) {
  const auto written = write_asset(everything(), "model.xyz");
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().message().find(".xyz"), std::string::npos);
  EXPECT_EQ(written.error().kind, ErrorKind::kUnsupported);
}

TEST(WriteGltf, ChangedDracoPrimitivesBecomePlainAndUnchangedOnesStay) {
  if (testing::shared_dir().empty()) GTEST_SKIP() << "no shared assets beside the checkout";
  auto asset =
      read_asset(testing::shared_dir() / "assets/conformance/MorphPrimitivesTest/glTF-Draco/MorphPrimitivesTest.gltf");
  ASSERT_TRUE(asset.ok());
  Primitive& changed = asset->meshes[0].primitives[0];
  changed.positions[0].x += 1;
  const auto written = write_glb(*asset);
  ASSERT_TRUE(written.ok()) << written.error().message();
  Asset again = read_back(*written);
  Asset expected = *asset;
  for (Image& image : expected.images) image.uri.clear();
  expect_same_content(expected, again);
  const Json& primitives = again.source->json["meshes"][0]["primitives"];
  EXPECT_FALSE(primitives[0].contains("extensions"));
  EXPECT_TRUE(primitives[1]["extensions"].contains("KHR_draco_mesh_compression"));
  EXPECT_TRUE(requires_extension(again.source->json, "KHR_draco_mesh_compression"));
  // With the last one gone, the file no longer asks for the extension.
  again.meshes[0].primitives[1].positions[0].x += 1;
  const Asset plain = read_back(write_glb(again).value());
  EXPECT_FALSE(requires_extension(plain.source->json, "KHR_draco_mesh_compression"));
  EXPECT_TRUE(plain.meshes == again.meshes);
}

}  // namespace
}  // namespace limber::asset
