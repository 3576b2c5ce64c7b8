// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Small files that claim much: readers ask before they allocate, and take no more than they were granted.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <string>

#include "limber/asset/gltf_testing.h"
#include "limber/asset/picture.h"
#include "limber/asset/ply.h"
#include "limber/asset/read.h"
#include "limber/asset/source.h"
#include "limber/asset/write.h"
#include "limber/base/isolate.h"
#include "limber/base/memory_budget.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMBER_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LIMBER_SANITIZED 1
#endif
#endif

namespace limber::asset {
namespace {

using namespace gltf_testing;

constexpr std::uint64_t kMegabyte = 1 << 20;

/// kB of VmHWM, the most that the process had, or VmRSS, what it has. Not asked under sanitizers, which take memory
/// themselves.
[[maybe_unused]] std::uint64_t memory_of_this_process(const std::string& which) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(which + ":", 0) == 0) return std::stoull(line.substr(which.size() + 1)) << 10;
  }
  return 0;
}

/// The memory that `work` takes at its peak, in a process of its own.
[[maybe_unused]] std::uint64_t peak_of(const std::function<void()>& work) {
  IsolationLimits limits;
  limits.memory_bytes = std::uint64_t{16} << 30, limits.readable = {"/"};
  const auto measured = run_isolated(
      [&]() -> Result<Bytes> {
        const std::uint64_t before = memory_of_this_process("VmRSS");
        work();
        const std::uint64_t more = memory_of_this_process("VmHWM") - before;
        Bytes bytes(sizeof more);
        std::memcpy(bytes.data(), &more, sizeof more);
        return bytes;
      },
      limits);
  EXPECT_TRUE(measured.ok()) << measured.error().message();
  std::uint64_t peak = ~std::uint64_t{0};
  if (measured.ok()) std::memcpy(&peak, measured->data(), sizeof peak);
  return peak;
}

class Memory : public ::testing::Test {
 protected:
  void SetUp() override { set_memory_budget(kBudget); }
  void TearDown() override {
    EXPECT_EQ(memory_budget_left(), memory_budget()) << "something was not given back";
    set_memory_budget(kDefaultMemoryBudget);
  }

  std::filesystem::path save(const std::string& name, std::string_view text) {
    EXPECT_TRUE(write_file(folder_.path() / name, text).ok());
    return folder_.path() / name;
  }

  /// Reading answers with words about memory, and does not take what it was refused.
  void expect_refused(const std::filesystem::path& path) {
    const auto asset = read_asset(path);
    ASSERT_FALSE(asset.ok()) << path;
    EXPECT_EQ(asset.error().kind, ErrorKind::kOutOfMemory) << asset.error().message();
    EXPECT_NE(asset.error().what.find("allowed"), std::string::npos) << asset.error().message();
#if !defined(LIMBER_SANITIZED)
    EXPECT_LT(peak_of([&] { static_cast<void>(read_asset(path)); }), 2 * kBudget) << path;
#endif
  }

  static constexpr std::uint64_t kBudget = 48 * kMegabyte;
  testing::TemporaryFolder folder_;
};

/// `count` buffers that are all one file, each named in another way.
std::string many_spellings(int count, std::size_t bytes) {
  Json json = {{"asset", {{"version", "2.0"}}}, {"buffers", Json::array()}};
  for (int i = 0; i < count; ++i) {
    std::string uri = "data.bin";
    for (int bit = 0; bit < 10; ++bit) uri = (i >> bit & 1 ? "./" : ".//") + uri;
    json["buffers"].push_back({{"byteLength", bytes}, {"uri", uri}});
  }
  return json.dump();
}

TEST_F(Memory, OneBufferUnderManyNamesIsReadAndWrittenOnce) {
  save("data.bin", std::string(4 * kMegabyte, 'x'));
  const auto path = save("many.gltf", many_spellings(500, 4 * kMegabyte));
  const auto asset = read_asset(path);
  ASSERT_TRUE(asset.ok()) << asset.error().message();
  EXPECT_LT(asset->source->file_bytes, 5 * kMegabyte);
  const auto glb = write_glb(*asset);
  ASSERT_TRUE(glb.ok()) << glb.error().message();
  EXPECT_LT(glb->size(), 5 * kMegabyte);
  std::filesystem::create_directory(folder_.path() / "copy");
  ASSERT_TRUE(write_asset(*asset, folder_.path() / "copy" / "many.gltf").ok());
  EXPECT_TRUE(read_asset(folder_.path() / "copy" / "many.gltf").ok());
#if !defined(LIMBER_SANITIZED)
  EXPECT_LT(peak_of([&] { static_cast<void>(write_glb(*read_asset(path))); }), kBudget);
#endif
}

TEST_F(Memory, LinksToOneBufferAreOneBuffer) {
  const auto data = save("data.bin", std::string(4 * kMegabyte, 'x'));
  Json json = {{"asset", {{"version", "2.0"}}}, {"buffers", Json::array()}};
  for (int i = 0; i < 40; ++i) {
    const std::string name = "link" + std::to_string(i);
    i % 2 == 0 ? std::filesystem::create_symlink("data.bin", folder_.path() / name)
               : std::filesystem::create_hard_link(data, folder_.path() / name);
    json["buffers"].push_back({{"byteLength", 4}, {"uri", name}});
  }
  const auto asset = read_asset(save("links.gltf", json.dump()));
  ASSERT_TRUE(asset.ok()) << asset.error().message();
  EXPECT_LT(asset->source->file_bytes, 5 * kMegabyte);
}

TEST_F(Memory, ImagesThatShareAFileAreWrittenOnce) {
  save("data.png", std::string(kMegabyte, 'x'));
  Json json = {{"asset", {{"version", "2.0"}}}, {"images", Json::array()}};
  for (int i = 0; i < 20; ++i) json["images"].push_back({{"uri", "data.png"}});
  const auto asset = read_asset(save("images.gltf", json.dump()));
  ASSERT_TRUE(asset.ok()) << asset.error().message();
  const auto glb = write_glb(*asset);
  ASSERT_TRUE(glb.ok()) << glb.error().message();
  EXPECT_LT(glb->size(), 2 * kMegabyte);
  const auto again = read_gltf(*glb, "again.glb");
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(again->images[19].bytes, asset->images[19].bytes);
}

TEST_F(Memory, ZerosThatNobodyWroteAreCounted) {
  Json json = {{"asset", {{"version", "2.0"}}},
               {"accessors", {{{"componentType", 5126}, {"type", "VEC3"}, {"count", 5'000'000}}}},
               {"meshes", {{{"primitives", {{{"attributes", {{"POSITION", 0}}}}}}}}}};
  expect_refused(save("zeros.gltf", json.dump()));
  const auto refused = read_asset(folder_.path() / "zeros.gltf");
  EXPECT_NE(refused.error().message().find("57.2 MB"), std::string::npos) << refused.error().message();
  EXPECT_NE(refused.error().message().find("48 MB"), std::string::npos) << refused.error().message();
  set_memory_budget(2 * kBudget);
  EXPECT_TRUE(read_asset(folder_.path() / "zeros.gltf").ok());
}

TEST_F(Memory, WhatCouldBeReadCanBeWritten) {
  Json json = {{"asset", {{"version", "2.0"}}},
               {"accessors", {{{"componentType", 5126}, {"type", "VEC3"}, {"count", 2'500'000}}}},
               {"meshes", {{{"primitives", {{{"attributes", {{"POSITION", 0}}}}}}}}}};
  const auto asset = read_asset(save("zeros.gltf", json.dump()));
  ASSERT_TRUE(asset.ok()) << asset.error().message();
  ASSERT_LT(memory_budget_left(), kBudget / 2) << "not enough for the positions once more";
  const auto glb = write_glb(*asset);
  EXPECT_TRUE(glb.ok()) << glb.error().message();
}

TEST_F(Memory, SmallObjectsInJsonAreCountedAsWhatIsMadeOfThem) {
  std::string text = R"({"asset": {"version": "2.0"}, "nodes": [{})";
  for (int i = 0; i < 300'000; ++i) text += ",{}";
  expect_refused(save("nodes.gltf", text + "]}"));
  text = R"({"asset": {"version": "2.0"}, "extras": [[])";
  for (int i = 0; i < 1'000'000; ++i) text += ",[]";
  expect_refused(save("lists.gltf", text + "]}"));
}

TEST_F(Memory, ImagesThatShareAViewAreCountedEach) {
  Json json = {{"asset", {{"version", "2.0"}}},
               {"buffers", {{{"byteLength", kMegabyte}}}},
               {"bufferViews", {{{"buffer", 0}, {"byteLength", kMegabyte}}}},
               {"images", Json::array()}};
  for (int i = 0; i < 100; ++i) json["images"].push_back({{"bufferView", 0}, {"mimeType", "image/png"}});
  const Bytes glb = make_glb(json.dump(), Bytes(kMegabyte));
  expect_refused(save("images.glb", as_text(glb)));
}

#if defined(LIMBER_WITH_DECOMPRESSION)
TEST_F(Memory, CompressedViewsAreCountedAsWhatComesOut) {
  // Each of 60 views claims a megabyte of the same few bytes.
  Json json = {{"asset", {{"version", "2.0"}}},
               {"extensionsUsed", {"EXT_meshopt_compression"}},
               {"buffers", {{{"byteLength", 1 << 18}}}},
               {"bufferViews", Json::array()},
               {"images", Json::array()}};
  // A stream of the first version in which all groups of bytes are zeros: 4096 elements of 256 bytes.
  Bytes data(1 << 18);
  data[0] = std::byte{0xa0};
  for (int i = 0; i < 60; ++i) {
    json["bufferViews"].push_back(
        {{"buffer", 0},
         {"byteLength", kMegabyte},
         {"extensions",
          {{"EXT_meshopt_compression",
            {{"buffer", 0}, {"byteLength", 33025}, {"byteStride", 256}, {"count", 4096}, {"mode", "ATTRIBUTES"}}}}}});
    json["images"].push_back({{"bufferView", i}, {"mimeType", "image/png"}});
  }
  const Bytes glb = make_glb(json.dump(), data);
  expect_refused(save("views.glb", as_text(glb)));
}
#endif

TEST_F(Memory, MotionAndJointsOfBvhAreCounted) {
  std::string text =
      "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: 3000000\nFrame Time: 1e-3\n";
  for (int i = 0; i < 3'000'000; ++i) text += "0 ";
  expect_refused(save("long.bvh", text));
  text = "HIERARCHY\n";
  for (int i = 0; i < 100'000; ++i) text += "ROOT a\n{\n}\n";
  expect_refused(save("roots.bvh", text));
}

TEST_F(Memory, WhatTheImporterReadsIsBounded) {
  // A child's memory is not limited under sanitizers. It inherits what is free in this process: far more than that.
#if defined(LIMBER_WITH_ASSIMP) && !defined(LIMBER_SANITIZED)
  std::string text = "v 0 0 0\n";
  for (int i = 0; i < 2'000'000; ++i) text += "f 1 1 1\n";
  const auto asset = read_asset(save("faces.obj", text));
  ASSERT_FALSE(asset.ok());
  EXPECT_EQ(asset.error().kind, ErrorKind::kOutOfMemory) << asset.error().message();
  EXPECT_NE(asset.error().what.find("48 MB"), std::string::npos) << asset.error().message();
  EXPECT_TRUE(memory_budget_exceeded());
#endif
}

TEST_F(Memory, TablesOfPlyAreCounted) {
  const std::string header =
      "ply\nformat binary_little_endian 1.0\nelement vertex 20000000\nproperty uchar x\nend_header\n";
  Bytes bytes(header.size() + 20'000'000);
  std::memcpy(bytes.data(), header.data(), header.size());
  const auto table = read_ply_vertices(bytes, "splats.ply");
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().kind, ErrorKind::kOutOfMemory) << table.error().message();
}

#if defined(LIMBER_WITH_PICTURES)
TEST_F(Memory, PicturesAreCountedByTheirHeader) {
  set_memory_budget(kDefaultMemoryBudget);
  const Bytes png = encode_png(Bitmap(4096, 4096, 3)).value();
  set_memory_budget(kBudget);
  ASSERT_LT(png.size(), kMegabyte);
  const auto picture = decode_picture(png, "large.png");
  EXPECT_TRUE(picture.ok()) << picture.error().message();  // 48 MB
  const auto wide = decode_picture(png, "large.png", 4);
  ASSERT_FALSE(wide.ok());
  EXPECT_EQ(wide.error().kind, ErrorKind::kOutOfMemory) << wide.error().message();
}
#endif

TEST_F(Memory, ComplaintsAboutJsonAreShort) {
  const std::string name(8 * kMegabyte, 'x');
  const auto asset = read_asset(save("long.gltf", "{\"" + name));
  ASSERT_FALSE(asset.ok());
  EXPECT_LT(asset.error().message().size(), 1000u);
  const auto twice = read_asset(save("twice.gltf", R"({"attributes": {")" + name + R"(": 0, ")" + name + R"(": 0}})"));
  ASSERT_FALSE(twice.ok());
  EXPECT_LT(twice.error().message().size(), 1000u);
}

TEST_F(Memory, FilesLargerThanTheBudgetAreRefusedUnread) {
  const auto path = folder_.path() / "large.glb";
  save("large.glb", "glTF");
  std::filesystem::resize_file(path, 3 * kBudget);
  expect_refused(path);
}

}  // namespace
}  // namespace limber::asset
