// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "studio/server/shelf.h"

#include <gtest/gtest.h>

#include "limber/base/files.h"

namespace limber::studio {
namespace {

namespace fs = std::filesystem;

struct ShelfTest : ::testing::Test {
  Events events;
  std::unique_ptr<Shelf> shelf = Shelf::open(events, {2, 100}).value();

  Result<Asset> add(const std::string& name, std::size_t bytes) {
    const fs::path file = shelf->new_file(".glb");
    EXPECT_TRUE(write_file(file, std::string(bytes, 'x')).ok());
    Asset asset;
    asset.name = name;
    return shelf->add(asset, file);
  }
};

TEST_F(ShelfTest, CallsFilesByIdsOfItsOwn) {
  const Asset asset = add("../../fox.glb", 10).value();
  EXPECT_EQ(asset.id, "a1");
  EXPECT_EQ(asset.file, shelf->folder() / "a1" / "file.glb");
  EXPECT_EQ(asset.bytes, 10u);
  EXPECT_EQ(shelf->find("a1")->name, "../../fox.glb");
  EXPECT_FALSE(shelf->find("a2"));
  EXPECT_FALSE(shelf->find("../a1"));
}

TEST_F(ShelfTest, IsFullAtSomePoint) {
  EXPECT_TRUE(add("a", 60).ok());
  EXPECT_EQ(add("b", 60).error().kind, ErrorKind::kOutOfMemory);
  EXPECT_TRUE(add("c", 10).ok());
  EXPECT_EQ(add("d", 10).error().kind, ErrorKind::kOutOfMemory);
  EXPECT_TRUE(shelf->remove("a1"));
  EXPECT_FALSE(shelf->remove("a1"));
  EXPECT_TRUE(add("e", 60).ok());
}

TEST_F(ShelfTest, TellsWhatChanges) {
  const auto listener = events.listen(1);
  ASSERT_TRUE(add("fox.glb", 10).ok());
  EXPECT_NE(listener->next()->find("event: asset\ndata: {\"id\":\"a1\",\"name\":\"fox.glb\",\"kind\":\"model\""),
            std::string::npos);
  shelf->remove("a1");
  EXPECT_EQ(listener->next(), "event: removed\ndata: {\"id\":\"a1\"}\n\n");
}

TEST_F(ShelfTest, LeavesNothingBehind) {
  const fs::path folder = shelf->folder();
  ASSERT_TRUE(add("fox.glb", 10).ok());
  EXPECT_EQ(fs::status(folder).permissions() & (fs::perms::group_all | fs::perms::others_all), fs::perms::none);
  shelf.reset();
  EXPECT_FALSE(fs::exists(folder));
}

TEST(Shelf, KnowsWhatCanBeUploaded) {
  EXPECT_EQ(kind_of_upload("Fox.GLB"), AssetKind::kModel);
  EXPECT_EQ(kind_of_upload("fox.mp4"), AssetKind::kVideo);
  for (const char* name : {"fox", "fox.html", "fox.svg", "fox.glb.exe", ".glb"})
    EXPECT_FALSE(kind_of_upload(name)) << name;
}

}  // namespace
}  // namespace limber::studio
