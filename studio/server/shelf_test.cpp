// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "studio/server/shelf.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

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

/// As a server that is killed: the folder stays.
fs::path leave_a_folder() {
  int told[2];
  EXPECT_EQ(::pipe(told), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Events events;
    const std::unique_ptr<Shelf> shelf = Shelf::open(events).value();
    const std::string folder = shelf->folder().string();
    static_cast<void>(write_file(shelf->folder() / "work", "hours of it").ok());
    static_cast<void>(!::write(told[1], folder.data(), folder.size()));
    ::_exit(0);
  }
  ::close(told[1]);
  char folder[4096];
  const ssize_t size = ::read(told[0], folder, sizeof folder);
  ::close(told[0]);
  ::waitpid(child, nullptr, 0);
  return std::string(folder, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
}

TEST_F(ShelfTest, SweepsFoldersOfServersThatWereKilledAndNoOthers) {
  const fs::path elsewhere = leave_a_folder();
  ASSERT_TRUE(write_file(elsewhere / "lock", "00000000").ok());  // of another machine
  const fs::path odd = leave_a_folder();
  fs::remove(odd / "lock");
  const fs::path left = leave_a_folder();
  ASSERT_TRUE(fs::exists(left / "work"));
  Events others;
  const std::unique_ptr<Shelf> next = Shelf::open(others).value();
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(elsewhere / "work"));
  EXPECT_TRUE(fs::exists(odd / "work"));
  EXPECT_TRUE(fs::exists(shelf->folder() / "lock")) << "its server lives";
  fs::remove_all(elsewhere), fs::remove_all(odd);
}

}  // namespace
}  // namespace limber::studio
