// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/formats.h"

#include <gtest/gtest.h>

#include <fstream>

#include "limber/asset/read.h"
#include "limber/asset/write.h"

namespace limber::asset {
namespace {

namespace fs = std::filesystem;

TEST(Formats, AreFoundByExtensionInAnyCase) {
  ASSERT_NE(find_format(".glb"), nullptr);
  EXPECT_EQ(find_format(".GLB"), find_format("a/fox.Glb"));
  EXPECT_EQ(find_format("fox.png"), nullptr);
  EXPECT_EQ(find_format("fox"), nullptr);
  EXPECT_EQ(find_format(""), nullptr);
}

TEST(Formats, AreListedForPeople) {
  const auto clips = [](const Format& format) { return format.writes() && format.clips; };
  EXPECT_EQ(list_formats(clips, " or "), ".glb, .gltf, .fbx or .bvh");
  EXPECT_EQ(list_formats([](const Format& format) { return format.one_clip; }), ".bvh");
  EXPECT_EQ(list_formats([](const Format&) { return false; }), "");
}

/// The table says what reader and writer do.
TEST(Formats, AreWrittenAndReadAsTheTableSays) {
  const fs::path folder = fs::path(::testing::TempDir()) / "limber_formats";
  fs::create_directories(folder);
  for (const Format& format : formats()) {
    const fs::path file = folder / ("a" + std::string(format.extension));
    const Status written = write_asset(Asset{}, file);
    const bool refused = !written.ok() && written.error().kind == ErrorKind::kUnsupported;
    EXPECT_EQ(refused, !format.writes()) << format.extension;
    std::ofstream(file) << "nonsense";
    const Result<Asset> read = read_asset(file);
    ASSERT_FALSE(read.ok()) << format.extension;
    if (format.extension == ".glb" || format.extension == ".gltf") continue;  // recognised by content
    EXPECT_EQ(read.error().what.find("not a 3D file"), std::string::npos) << format.extension;
  }
  fs::remove_all(folder);
}

TEST(Formats, OfAllOthersReaderAndWriterNameThoseThatTheyKnow) {
  const Status written = write_asset(Asset{}, "a.xyz");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().what, "limber writes .glb, .gltf, .fbx, .obj and .bvh, not \".xyz\"");
  const fs::path file = fs::path(::testing::TempDir()) / "limber_formats.xyz";
  std::ofstream(file) << "nonsense";
  const Result<Asset> read = read_asset(file);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().what, "not a 3D file that limber reads (.glb, .gltf, .fbx, .obj, .ply, .stl, .dae, .bvh)");
  fs::remove(file);
}

}  // namespace
}  // namespace limber::asset
