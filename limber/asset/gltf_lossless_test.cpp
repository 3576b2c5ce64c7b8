// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "limber/asset/gltf_container.h"
#include "limber/asset/gltf_decode.h"
#include "limber/asset/gltf_testing.h"
#include "limber/asset/gltf_write.h"
#include "limber/asset/read.h"
#include "limber/asset/source.h"
#include "limber/asset/write.h"

namespace limber::asset {
namespace {

using namespace gltf_testing;

Asset read_path(const std::filesystem::path& path) {
  const auto bytes = read_file(path);
  EXPECT_TRUE(bytes.ok()) << path;
  auto asset = read_gltf(*bytes, path.filename().string(), path.parent_path());
  EXPECT_TRUE(asset.ok()) << path << ": " << (asset.ok() ? "" : asset.error().message());
  return asset.ok() ? std::move(asset).value() : Asset{};
}

void check_glb_structure(const Bytes& bytes) {
  const auto word = [&](std::size_t offset) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + offset, 4);
    return value;
  };
  ASSERT_EQ(word(0), kGlbMagic);
  ASSERT_EQ(word(4), 2u);
  ASSERT_EQ(word(8), bytes.size());
  std::size_t offset = 12;
  while (offset < bytes.size()) {
    ASSERT_EQ(offset % 4, 0u);
    ASSERT_EQ(word(offset) % 4, 0u);
    offset += 8 + word(offset);
  }
  ASSERT_EQ(offset, bytes.size());
}

/// Writes and reads again: a .glb in memory, a .gltf with its files on disk.
Asset write_and_read(const Asset& asset, GltfContainer container, const std::string& name) {
  if (container == GltfContainer::kGlb) {
    const auto bytes = write_glb(asset);
    EXPECT_TRUE(bytes.ok()) << bytes.error().message();
    if (!bytes.ok()) return {};
    check_glb_structure(*bytes);
    auto again = read_gltf(*bytes, name);
    EXPECT_TRUE(again.ok()) << again.error().message();
    return again.ok() ? std::move(again).value() : Asset{};
  }
  testing::TemporaryFolder folder;
  const auto written = write_gltf(asset, folder.path() / name, container);
  EXPECT_TRUE(written.ok()) << written.error().message();
  return read_path(folder.path() / name);
}

GltfContainer container_of(const Asset& asset) {
  return asset.source->is_glb ? GltfContainer::kGlb : GltfContainer::kJson;
}

/// The stored bytes of a view, straight from the document.
std::span<const std::byte> stored_view(const Source& source, const Json& view) {
  const auto& buffer = source.buffers[view["buffer"].get<std::size_t>()];
  if (!buffer.data) return {};
  return buffer.bytes().subspan(view.value("byteOffset", std::size_t{0}), view["byteLength"].get<std::size_t>());
}

void expect_same_views(const Source& before, const Source& after) {
  for (std::size_t i = 0; i < array_size(before.json, "bufferViews"); ++i) {
    const auto old = stored_view(before, before.json["bufferViews"][i]);
    const auto now = stored_view(after, after.json["bufferViews"][i]);
    ASSERT_TRUE(std::equal(old.begin(), old.end(), now.begin(), now.end())) << "buffer view " << i;
    const Json extensions = before.json["bufferViews"][i].value("extensions", Json::object());
    for (const auto& [name, extension] : extensions.items()) {
      const auto packed_old = stored_view(before, extension);
      const auto packed_now = stored_view(after, after.json["bufferViews"][i]["extensions"][name]);
      ASSERT_TRUE(std::equal(packed_old.begin(), packed_old.end(), packed_now.begin(), packed_now.end()));
    }
  }
}

/// Every accessor of `before` decodes to the same numbers in `after`.
void expect_same_accessors(const Source& before, const Source& after) {
  Budget budget_before(before), budget_after(after);
  AccessorReader old(before, budget_before), now(after, budget_after);
  ASSERT_TRUE(old.open().ok() && now.open().ok());
  ASSERT_LE(old.size(), now.size());
  for (int i = 0; i < static_cast<int>(old.size()); ++i) {
    const auto layout = old.layout(i);
    ASSERT_TRUE(layout.ok());
    const auto a = old.floats(i, layout->components), b = now.floats(i, layout->components);
    ASSERT_TRUE(a.ok() && b.ok()) << "accessor " << i;
    ASSERT_EQ(std::memcmp(a->data(), b->data(), a->size() * sizeof(float)), 0) << "accessor " << i;
  }
}

/// What adding a clip and a skin may change in an element of `before`: nothing but the keys in `allowed`, which may be
/// added or changed.
void expect_kept(const Json& before, const Json& after, const std::set<std::string>& allowed,
                 const std::string& where) {
  for (const auto& [key, value] : before.items()) {
    if (allowed.count(key) != 0) continue;
    ASSERT_TRUE(after.contains(key)) << where << "/" << key;
    ASSERT_EQ(value, after[key]) << where << "/" << key;
  }
  for (const auto& [key, value] : after.items()) {
    ASSERT_TRUE(before.contains(key) || allowed.count(key) != 0) << where << "/" << key << " was added";
  }
}

void expect_list_kept(const Json& before, const Json& after, const char* list, const std::set<std::string>& allowed) {
  const std::size_t count = array_size(before, list);
  ASSERT_LE(count, array_size(after, list)) << list;
  for (std::size_t i = 0; i < count; ++i) {
    expect_kept(before[list][i], after[list][i], allowed, std::string(list) + "/" + std::to_string(i));
  }
}

/// After adding a clip and a skin, the document holds all it held before.
void expect_only_additions(const Json& before, const Json& after) {
  expect_kept(before, after,
              {"animations", "accessors", "bufferViews", "buffers", "skins", "nodes", "meshes", "scenes"}, "");
  expect_list_kept(before, after, "animations", {});
  expect_list_kept(before, after, "accessors", {});
  expect_list_kept(before, after, "bufferViews", {});
  expect_list_kept(before, after, "buffers", {"byteLength"});
  expect_list_kept(before, after, "skins", {});
  expect_list_kept(before, after, "nodes", {"skin"});
  expect_list_kept(before, after, "scenes", {"nodes"});
  expect_list_kept(before, after, "meshes", {"primitives"});
  for (std::size_t m = 0; m < array_size(before, "meshes"); ++m) {
    const Json &old = before["meshes"][m]["primitives"], &now = after["meshes"][m]["primitives"];
    ASSERT_EQ(old.size(), now.size());
    for (std::size_t p = 0; p < old.size(); ++p) {
      expect_kept(old[p], now[p], {"attributes"}, "primitive");
      expect_kept(old[p]["attributes"], now[p]["attributes"], {"JOINTS_0", "WEIGHTS_0"}, "attributes");
    }
  }
}

class Lossless : public ::testing::Test {
 protected:
  void SetUp() override {
    files = shared_gltf_files();
    if (files.empty()) GTEST_SKIP() << "no shared assets beside the checkout";
  }
  std::vector<std::filesystem::path> files;
};

TEST_F(Lossless, AnUnchangedAssetIsWrittenAsItWas) {
  for (const auto& path : files) {
    SCOPED_TRACE(path.string());
    const Asset asset = read_path(path);
    ASSERT_TRUE(asset.source);
    const Asset again = write_and_read(asset, container_of(asset), path.filename().string());
    ASSERT_TRUE(again.source);
    EXPECT_EQ(asset.source->json, again.source->json);
    EXPECT_EQ(asset.source->json.dump(), again.source->json.dump()) << "the order of keys changed";
    expect_same_views(*asset.source, *again.source);
    expect_same_content(asset, again);
  }
}

TEST_F(Lossless, AddingAClipAndASkinOnlyAppends) {
  int skinned = 0;
  for (const auto& path : files) {
    SCOPED_TRACE(path.string());
    Asset asset = read_path(path);
    ASSERT_TRUE(asset.source);
    const auto before = asset.source;
    asset.clips.push_back(small_clip(asset));
    skinned += add_two_joint_skin(asset) ? 1 : 0;
    const Asset again = write_and_read(asset, container_of(asset), path.filename().string());
    ASSERT_TRUE(again.source);
    expect_only_additions(before->json, again.source->json);
    expect_same_views(*before, *again.source);
    expect_same_accessors(*before, *again.source);
    expect_same_content(asset, again);
  }
  EXPECT_GT(skinned, 10);
}

TEST_F(Lossless, WritingWithoutTheSourceKeepsEveryStruct) {
  for (const auto& path : files) {
    SCOPED_TRACE(path.string());
    Asset asset = read_path(path);
    ASSERT_TRUE(asset.source);
    asset.source = nullptr;
    // What lies outside is embedded.
    for (Image& image : asset.images) image.uri.clear();
    const auto bytes = write_glb(asset);
    ASSERT_TRUE(bytes.ok()) << bytes.error().message();
    check_glb_structure(*bytes);
    const auto again = read_gltf(*bytes, "again.glb");
    ASSERT_TRUE(again.ok()) << again.error().message();
    expect_same_content(asset, *again);
    EXPECT_TRUE(again->warnings.empty());
  }
}

TEST_F(Lossless, ConvertingBetweenContainersKeepsEveryStruct) {
  for (const auto& path : files) {
    SCOPED_TRACE(path.string());
    if (std::filesystem::file_size(path) > 400'000) continue;  // the small ones show all there is to see
    Asset asset = read_path(path);
    ASSERT_TRUE(asset.source);
    const bool was_glb = asset.source->is_glb;
    const Asset again = write_and_read(asset, was_glb ? GltfContainer::kJson : GltfContainer::kGlb,
                                       was_glb ? "other name.gltf" : "other name.glb");
    ASSERT_TRUE(again.source);
    EXPECT_EQ(again.source->is_glb, !was_glb);
    // A .glb has everything inside.
    if (!was_glb) {
      for (Image& image : asset.images) image.uri.clear();
    }
    expect_same_content(asset, again);
  }
}

}  // namespace
}  // namespace limber::asset
