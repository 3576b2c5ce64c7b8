// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that are wrong on purpose, and files that are only sloppy.
#include <gtest/gtest.h>

#include <limits>

#include "limber/asset/gltf_json.h"
#include "limber/asset/gltf_testing.h"
#include "limber/asset/read.h"
#include "limber/asset/source.h"
#include "limber/asset/write.h"

namespace limber::asset {
namespace {

using namespace gltf_testing;

/// The file is refused, and the message has all the words.
void expect_refused(const Result<Asset>& result, const std::vector<std::string>& words) {
  ASSERT_FALSE(result.ok());
  for (const std::string& word : words) {
    EXPECT_NE(result.error().message().find(word), std::string::npos) << result.error().message() << "\nlacks " << word;
  }
}

TEST(HostileGltf, TheUnbrokenTriangleIsFine) {
  const auto asset = Triangle().read();
  ASSERT_TRUE(asset.ok()) << asset.error().message();
  EXPECT_TRUE(asset->warnings.empty());
  EXPECT_EQ(asset->meshes[0].primitives[0].indices, (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(HostileGltf, EveryTruncationIsRefused) {
  const Bytes whole = Triangle().glb();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto result = read_gltf(std::span(whole).first(size), "t.glb");
    ASSERT_FALSE(result.ok()) << "cut to " << size;
    ASSERT_FALSE(result.error().what.empty());
  }
}

TEST(HostileGltf, WrongMagicAndVersions) {
  expect_refused(read_gltf(to_bytes("glXF____________________"), "t.glb"), {"t.glb", "JSON"});
  Bytes old = Triangle().glb();
  old[4] = std::byte{1};
  expect_refused(read_gltf(old, "t.glb"), {"t.glb", "version 1"});
  Triangle triangle;
  triangle.at("/asset/version") = "1.0";
  expect_refused(triangle.read(), {"t.glb#/asset", "1.0"});
  EXPECT_EQ(triangle.read().error().kind, ErrorKind::kUnsupported);
  triangle.at("/asset/version") = "2.0";
  triangle.at("/asset/minVersion") = "2.1";
  expect_refused(triangle.read(), {"t.glb#/asset", "2.1"});
}

TEST(HostileGltf, OffsetsPastTheEnd) {
  Triangle triangle;
  triangle.at("/bufferViews/0/byteLength") = 100000;
  expect_refused(triangle.read(), {"t.glb#/bufferViews/0", "past the end of buffer 0"});
  triangle = Triangle();
  triangle.at("/accessors/0/count") = 4;
  expect_refused(triangle.read(), {"t.glb#/accessors/0", "past the end of buffer view 0"});
  triangle = Triangle();
  triangle.at("/accessors/0/byteOffset") = 4;
  expect_refused(triangle.read(), {"t.glb#/accessors/0"});
  triangle = Triangle();
  triangle.at("/bufferViews/0/byteOffset") = std::numeric_limits<std::uint64_t>::max() - 10;
  expect_refused(triangle.read(), {"t.glb#/bufferViews/0"});
}

TEST(HostileGltf, CountsThatOverflow) {
  for (const std::uint64_t count : {std::uint64_t{0x5555555555555556}, std::uint64_t{0xffffffffffffffff},
                                    std::uint64_t{1} << 62, std::uint64_t{1} << 32}) {
    Triangle triangle;
    triangle.at("/accessors/0/count") = count;
    expect_refused(triangle.read(), {"t.glb#/accessors/0"});
    triangle.at("/bufferViews/0/byteStride") = std::uint64_t{1} << 32;
    expect_refused(triangle.read(), {"t.glb#/accessors/0"});
  }
}

TEST(HostileGltf, FourGigabytesInOneKilobyte) {
  // Neither an accessor without a view, nor a sparse one, nor a compressed view may claim what the file cannot hold.
  Triangle triangle;
  triangle.at("/accessors/0").erase("bufferView");
  triangle.at("/accessors/0/count") = 350'000'000;
  expect_refused(triangle.read(), {"t.glb#/accessors/0", "than a file of this size may hold"});
  EXPECT_EQ(triangle.read().error().kind, ErrorKind::kOutOfMemory);

#if defined(LIMBER_WITH_DECOMPRESSION)
  triangle = Triangle();
  triangle.at("/bufferViews/0/extensions") = Json::parse(
      R"({"EXT_meshopt_compression": {"buffer": 0, "byteLength": 36, "byteStride": 256, "count": 16777216, "mode": "ATTRIBUTES"}})");
  expect_refused(triangle.read(), {"t.glb#/bufferViews/0/extensions/EXT_meshopt_compression"});
#endif

  // Many small claims are no better than a large one.
  triangle = Triangle();
  triangle.at("/accessors/0").erase("bufferView");
  triangle.at("/accessors/0/count") = 2'000'000;
  triangle.at("/meshes/0/primitives/0") = Json::parse(R"({"attributes": {"POSITION": 0}})");
  EXPECT_TRUE(triangle.read().ok());
  for (int i = 0; i < 30; ++i) triangle.at("/meshes").push_back(triangle.at("/meshes/0"));
  expect_refused(triangle.read(), {"t.glb#/accessors/0", "than a file of this size may hold"});
}

TEST(HostileGltf, ManyPrimitivesMayShareAnAccessor) {
  Triangle triangle;
  for (int i = 0; i < 2000; ++i) triangle.at("/meshes/0/primitives").push_back(triangle.at("/meshes/0/primitives/0"));
  const auto asset = triangle.read();
  ASSERT_TRUE(asset.ok()) << asset.error().message();
  EXPECT_EQ(asset->meshes[0].primitives.size(), 2001u);
}

TEST(HostileGltf, NodesMustBeAForest) {
  Triangle triangle;
  triangle.at("/nodes/0/children") = {1};
  triangle.at("/nodes/1/children") = {0};
  expect_refused(triangle.read(), {"t.glb#/nodes/0", "own ancestor"});
  triangle = Triangle();
  triangle.at("/nodes/0/children") = {0};
  expect_refused(triangle.read(), {"t.glb#/nodes/0", "own ancestor"});
  triangle = Triangle();
  triangle.at("/nodes/0/children") = {1, 1};
  expect_refused(triangle.read(), {"t.glb#/nodes/0/children", "node 1 is a child of node 0 already"});
  triangle = Triangle();
  triangle.at("/nodes/0/children") = {7};
  expect_refused(triangle.read(), {"t.glb#/nodes/0/children/0", "node 7, but there are 2"});
}

TEST(HostileGltf, NumbersOfTheDocumentMustBeFinite) {
  Triangle triangle;
  triangle.at("/nodes/0/translation") = {0, 1e300, 0};
  expect_refused(triangle.read(), {"t.glb#/nodes/0/translation/1", "not a finite number"});
  triangle = Triangle();
  triangle.at("/nodes/0/matrix") = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1e39, 0, 0, 1};
  expect_refused(triangle.read(), {"t.glb#/nodes/0/matrix/12"});
}

TEST(HostileGltf, KeyTimesThatGoBack) {
  Triangle triangle;
  triangle.poke(168, 5);
  expect_refused(triangle.read(), {"t.glb#/accessors/5", "key time 1 goes back"});
  EXPECT_EQ(triangle.read().error().kind, ErrorKind::kInput);
}

TEST(HostileGltf, IndicesAndJointsPastTheEnd) {
  Triangle triangle;
  triangle.bin[36] = std::byte{3};
  expect_refused(triangle.read(), {"t.glb#/accessors/1", "index 3 is past the 3 vertices"});
  triangle = Triangle();
  triangle.bin[44] = std::byte{1};
  expect_refused(triangle.read(), {"t.glb#/meshes/0/primitives/0", "joint 1", "skin 0 has 1"});
  // With weight zero it does not matter.
  triangle = Triangle();
  triangle.bin[45] = std::byte{200};
  EXPECT_TRUE(triangle.read().ok());
}

TEST(HostileGltf, AttributesTwiceOrOfOddLength) {
  Triangle triangle;
  std::string text = triangle.json.dump();
  text.insert(text.find("\"POSITION\""), "\"POSITION\":0,");
  expect_refused(read_gltf(make_glb(text, triangle.bin), "t.glb"), {"t.glb", "\"POSITION\" is there twice"});
  triangle.at("/accessors/3/count") = 2;
  expect_refused(triangle.read(),
                 {"t.glb#/meshes/0/primitives/0/attributes/WEIGHTS_0", "2 elements", "POSITION has 3"});
  triangle = Triangle();
  triangle.at("/accessors/0/type") = "VEC2";
  expect_refused(triangle.read(), {"t.glb#/accessors/0", "2 components"});
}

TEST(HostileGltf, MissingBuffers) {
  Triangle triangle;
  const Bytes without = make_glb(triangle.json.dump());
  expect_refused(read_gltf(without, "t.glb"), {"t.glb#/bufferViews/0", "buffer 0 has no data"});
  triangle.at("/buffers/0/uri") = "nothing.bin";
  expect_refused(triangle.read(), {"t.glb#/buffers/0/uri", "nothing.bin"});
  testing::TemporaryFolder folder;
  expect_refused(read_gltf(triangle.glb(), "t.glb", folder.path()), {"t.glb#/buffers/0/uri", "nothing.bin"});
  EXPECT_EQ(read_gltf(triangle.glb(), "t.glb", folder.path()).error().kind, ErrorKind::kMissing);
  triangle.at("/buffers") = Json::array();
  expect_refused(triangle.read(), {"t.glb#/bufferViews/0/buffer", "there are 0"});
}

TEST(HostileGltf, UrisThatLeaveTheFolder) {
  testing::TemporaryFolder outside, folder;
  const Triangle good;
  ASSERT_TRUE(write_file(outside.path() / "secret.bin", good.bin).ok());
  const std::string name = outside.path().filename().string();
  std::filesystem::create_directory(folder.path() / "sub");
  std::filesystem::create_symlink(outside.path(), folder.path() / "link");
  const std::vector<std::string> uris = {"../" + name + "/secret.bin",
                                         "sub/../../" + name + "/secret.bin",
                                         "%2e%2e/" + name + "/secret.bin",
                                         "..%2f" + name + "%2fsecret.bin",
                                         "..\\" + name + "\\secret.bin",
                                         "sub/%2E./../" + name + "/secret.bin",
                                         (outside.path() / "secret.bin").string(),
                                         "file://" + (outside.path() / "secret.bin").string(),
                                         "%66ile:secret.bin",
                                         std::string("http://localhost/secret.bin"),
                                         std::string("HTTPS://localhost/x"),
                                         std::string("C:\\secret.bin"),
                                         std::string("link/secret.bin")};
  for (const std::string& uri : uris) {
    Triangle triangle;
    triangle.at("/buffers/0/uri") = uri;
    expect_refused(read_gltf(triangle.glb(), "t.glb", folder.path()), {"t.glb#/buffers/0/uri", "leads outside"});
    triangle = Triangle();
    triangle.at("/images") = Json::array({{{"uri", uri}}});
    expect_refused(read_gltf(triangle.glb(), "t.glb", folder.path()), {"t.glb#/images/0/uri", "leads outside"});
  }
  // A name with dots in it is only a name.
  ASSERT_TRUE(write_file(folder.path() / "sub" / "a..b.bin", good.bin).ok());
  Triangle triangle;
  triangle.at("/buffers/0/uri") = "sub/./a..b.bin";
  EXPECT_TRUE(read_gltf(triangle.glb(), "t.glb", folder.path()).ok());
}

TEST(HostileGltf, DeepNestingAndHugeObjects) {
  std::string deep = R"({"asset":{"version":"2.0"},"extras":)";
  deep += std::string(100'000, '[') + std::string(100'000, ']') + "}";
  expect_refused(read_gltf(to_bytes(deep), "t.gltf"), {"t.gltf#", "nested more than 512 deep"});
  // Many keys take linear time.
  std::string wide = R"({"asset":{"version":"2.0"},"extras":{)";
  for (int i = 0; i < 200'000; ++i) wide += "\"k" + std::to_string(i) + "\":0,";
  wide += "\"last\":0}}";
  EXPECT_TRUE(read_gltf(to_bytes(wide), "t.gltf").ok());
  wide.replace(wide.find("extras"), 6, "extend");
  expect_refused(read_gltf(to_bytes(wide), "t.gltf"), {"t.gltf#", "more than 1024 keys"});
}

TEST(HostileGltf, ManyNodesMayShareAMeshOfManyPrimitives) {
  Triangle triangle;
  for (int i = 0; i < 5000; ++i) {
    triangle.at("/nodes").push_back(triangle.at("/nodes/0"));
    triangle.at("/meshes/0/primitives").push_back(triangle.at("/meshes/0/primitives/0"));
  }
  EXPECT_TRUE(triangle.read().ok());
}

TEST(HostileGltf, BrokenJson) {
  for (const char* text : {"", "{", "[]", "{\"asset\":", "null", "{\"asset\":{\"version\":\"2.0\"},}", "{\"a\":1e999}",
                           "{\"a\":NaN}", "{\"a\":\"\xff\"}"}) {
    expect_refused(read_gltf(to_bytes(text), "t.gltf"), {"t.gltf#"});
  }
}

/// Replaces every value of the document in turn by values of other types: an asset or an error, never a crash.
void break_every_value(const Json& pristine, const Bytes& bin, const std::string& pointer, int& refused) {
  const Json& value = pristine[Json::json_pointer(pointer)];
  for (const char* other : {"null", "true", "-1", "1.5", "\"x\"", "[]", "{}", "[[]]", "18446744073709551615", "[{}]"}) {
    Json json = pristine;
    json[Json::json_pointer(pointer)] = Json::parse(other);
    const auto result = read_gltf(make_glb(json.dump(), bin), "t.glb");
    if (!result.ok()) {
      ++refused;
      ASSERT_EQ(result.error().where.rfind("t.glb", 0), 0u) << result.error().message();
    } else {
      ASSERT_TRUE(write_glb(*result).ok()) << pointer << " = " << other << ": " << write_glb(*result).error().message();
    }
  }
  if (value.is_structured()) {
    for (const auto& [key, child] : value.items()) break_every_value(pristine, bin, pointer + "/" + key, refused);
  }
}

TEST(HostileGltf, WrongTypesEverywhere) {
  const Triangle triangle;
  int refused = 0;
  break_every_value(triangle.json, triangle.bin, "", refused);
  EXPECT_GT(refused, 700);
}

TEST(HostileGltf, ExtensionsThatAreNeeded) {
  Triangle triangle;
  triangle.at("/extensionsRequired") = {"EXT_own_geometry"};
  expect_refused(triangle.read(), {"t.glb#/extensionsRequired", "EXT_own_geometry"});
  EXPECT_EQ(triangle.read().error().kind, ErrorKind::kUnsupported);
  triangle.at("/extensionsRequired") = {"KHR_materials_clearcoat", "KHR_texture_basisu", "EXT_texture_webp"};
  expect_warned(triangle.read(), "KHR_materials_clearcoat");
#if defined(LIMBER_WITH_DECOMPRESSION)  // without the libraries, the plain data beside the compressed is read
  // Damaged compressed data.
  triangle = Triangle();
  triangle.at("/bufferViews/0/extensions") = Json::parse(
      R"({"EXT_meshopt_compression": {"buffer": 0, "byteLength": 36, "byteStride": 12, "count": 3, "mode": "ATTRIBUTES"}})");
  expect_refused(triangle.read(), {"t.glb#/bufferViews/0/extensions/EXT_meshopt_compression", "damaged"});
  triangle = Triangle();
  triangle.at("/meshes/0/primitives/0/extensions") =
      Json::parse(R"({"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": 0}}})");
  expect_refused(triangle.read(), {"t.glb#/meshes/0/primitives/0/extensions/KHR_draco_mesh_compression"});
#endif
}

TEST(HostileGltf, AReaderThatIsToldLessReadsLess) {
  testing::TemporaryFolder folder;
  Triangle triangle;
  triangle.at("/buffers/0/uri") = "big.bin";
  ASSERT_TRUE(write_file(folder.path() / "big.bin", Bytes(5000)).ok());
  ReadLimits limits;
  limits.max_file_bytes = 1000;
  expect_refused(read_gltf(triangle.glb(), "t.glb", folder.path(), limits), {"t.glb#/buffers/0/uri"});
}

// --- sloppy files, which load ---------------------------------------------------------------------------------------

TEST(SloppyGltf, UnknownChunksAreKept) {
  Bytes glb = Triangle().glb();
  append<std::uint32_t>(glb, {4, 0x21212121, 0xdeadbeef});
  const auto size = static_cast<std::uint32_t>(glb.size());
  std::memcpy(glb.data() + 8, &size, 4);
  const auto asset = read_gltf(glb, "t.glb");
  ASSERT_TRUE(asset.ok()) << asset.error().message();
  EXPECT_EQ(write_glb(*asset).value(), glb);
}

TEST(SloppyGltf, ChunksWithoutPadding) {
  const Triangle triangle;
  std::string text = triangle.json.dump();
  while (text.size() % 4 != 1) text += ' ';
  for (const bool counted : {true, false}) {
    // Either no padding at all, or padding that the chunk's length leaves out.
    Bytes glb;
    append<std::uint32_t>(glb, {kGlbMagic, 2, 0, static_cast<std::uint32_t>(text.size()), kJsonChunk});
    const Bytes json = to_bytes(text);
    glb.insert(glb.end(), json.begin(), json.end());
    if (!counted) glb.resize((glb.size() + 3) / 4 * 4);
    append<std::uint32_t>(glb, {static_cast<std::uint32_t>(triangle.bin.size()), kBinChunk});
    glb.insert(glb.end(), triangle.bin.begin(), triangle.bin.end());
    const auto size = static_cast<std::uint32_t>(glb.size());
    std::memcpy(glb.data() + 8, &size, 4);
    const auto asset = read_gltf(glb, "t.glb");
    ASSERT_TRUE(asset.ok()) << asset.error().message();
    EXPECT_EQ(asset->meshes[0].primitives[0].positions.size(), 3u);
  }
}

TEST(SloppyGltf, ByteOrderMarksAndZeroPadding) {
  const Triangle triangle;
  std::string text = "\xef\xbb\xbf" + triangle.json.dump();
  text += '\0';
  EXPECT_TRUE(read_gltf(make_glb(text, triangle.bin), "t.glb").ok());
}

TEST(SloppyGltf, MissingImagesAreAWarning) {
  Triangle triangle;
  triangle.at("/images") = Json::array({{{"uri", "gone.png"}}});
  testing::TemporaryFolder folder;
  const auto asset = read_gltf(triangle.glb(), "t.glb", folder.path());
  expect_warned(asset, "gone.png");
  EXPECT_EQ(asset->images.at(0).uri, "gone.png");
  EXPECT_TRUE(asset->images[0].bytes.empty());
}

TEST(SloppyGltf, ChannelsThatMoveNothingSurviveInTheSource) {
  Triangle triangle;
  Json& channels = triangle.at("/animations/0/channels");
  channels.push_back(Json::parse(R"({"sampler": 0, "target": {"path": "rotation"}})"));
  channels.insert(channels.begin(), Json::parse(R"({"sampler": 0, "target": {"path": "pointer",
                                   "extensions": {"KHR_animation_pointer": {"pointer": "/nodes/0/rotation"}}}})"));
  auto asset = triangle.read();
  expect_warned(asset, "animations/0/channels/0");
  ASSERT_EQ(asset->clips[0].channels.size(), 1u);
  // A change goes to the channel that is meant.
  asset->clips[0].channels[0].values[0] = 0.5f;
  const auto written = write_glb(*asset);
  ASSERT_TRUE(written.ok()) << written.error().message();
  const auto again = read_gltf(*written, "t.glb");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->clips[0].channels[0].values[0], 0.5f);
  EXPECT_EQ(again->source->json["animations"][0]["channels"][0], channels[0]);
  EXPECT_EQ(again->source->json["animations"][0]["channels"][2], channels[2]);
}

TEST(SloppyGltf, KeysTwiceOutsideAttributesAndWholeNumbersWithAPoint) {
  Triangle triangle;
  std::string text = triangle.json.dump();
  text.insert(text.find("\"scene\""), "\"extras\":{\"a\":1,\"a\":2},");
  const auto asset = read_gltf(make_glb(text, triangle.bin), "t.glb");
  ASSERT_TRUE(asset.ok());
  EXPECT_EQ(asset->source->json["extras"]["a"], 2);
  triangle.at("/nodes/0/mesh") = 0.0;
  EXPECT_TRUE(triangle.read().ok());
}

TEST(SloppyGltf, AFileOfZerosAndOnesWithoutAnythingElse) {
  const auto asset = read_gltf(to_bytes("{}"), "t.gltf");
  expect_warned(asset, "version");
  EXPECT_TRUE(asset->nodes.empty());
}

}  // namespace
}  // namespace limber::asset
