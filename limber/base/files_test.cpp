// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "limber/testing/shared_data.h"

namespace limber {
namespace {

std::size_t entries(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator begin(folder);
  return static_cast<std::size_t>(std::distance(begin, std::filesystem::directory_iterator()));
}

TEST(Files, WriteThenReadGivesTheSameBytes) {
  const testing::TemporaryFolder folder;
  const std::string text("a\0b\nc", 5);
  ASSERT_TRUE(write_file(folder.path() / "x.bin", text).ok());
  const Result<Bytes> bytes = read_file(folder.path() / "x.bin");
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(as_text(*bytes), text);
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(Files, AFailedWriteLeavesTheOldFileAndNoLitter) {
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder.path() / "a", "old").ok());
  // The second file's folder does not exist, so neither may change.
  const PendingFile files[] = {{folder.path() / "a", as_bytes("new")},
                               {folder.path() / "missing" / "b", as_bytes("b")}};
  const Status status = write_files(files);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message().find("missing"), std::string::npos);
  EXPECT_EQ(as_text(*read_file(folder.path() / "a")), "old");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(Files, RefuseWhatIsNotAFileOrTooLarge) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(read_file(folder.path()).error().kind, ErrorKind::kInput);
  EXPECT_EQ(read_file(folder.path() / "none").error().kind, ErrorKind::kMissing);
  EXPECT_FALSE(read_file("/dev/zero").ok());
  ASSERT_TRUE(write_file(folder.path() / "x", std::string(100, 'x')).ok());
  EXPECT_TRUE(read_file(folder.path() / "x", 100).ok());
  EXPECT_EQ(read_file(folder.path() / "x", 99).error().kind, ErrorKind::kOutOfMemory);
  EXPECT_EQ(read_file(folder.path() / "x" / "y").error().kind, ErrorKind::kMissing) << "x is no folder";
  EXPECT_EQ(write_file(folder.path() / "none" / "x", "text").error().kind, ErrorKind::kMissing);
}

TEST(Files, ExtensionsAreComparedInLowerCase) {
  EXPECT_EQ(lower_extension("a.b/Fox.GLB"), ".glb");
  EXPECT_EQ(lower_extension("fox.tar.Gz"), ".gz");
  EXPECT_EQ(lower_extension("a.b/fox"), "");
  EXPECT_EQ(lower_extension("fox.\xc3\x84"), ".\xc3\x84");
}

TEST(Files, AnUnfinishedFileHasItsNameOnlyOnceCommitted) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path target = folder.path() / "x";
  {
    Result<UnfinishedFile> file = UnfinishedFile::create(target);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->write(as_bytes("half")).ok());
    EXPECT_EQ(entries(folder.path()), 1u);
  }
  EXPECT_EQ(entries(folder.path()), 0u);

  Result<UnfinishedFile> file = UnfinishedFile::create(target);
  ASSERT_TRUE(file.ok());
  UnfinishedFile moved = std::move(file).value();
  ASSERT_TRUE(moved.write(as_bytes("wh")).ok() && moved.write(as_bytes("ole")).ok());
  EXPECT_FALSE(std::filesystem::exists(target));
  ASSERT_TRUE(moved.commit().ok());
  EXPECT_EQ(as_text(*read_file(target)), "whole");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(Files, AnInterruptedProgramCanRemoveUnfinishedFiles) {
  const testing::TemporaryFolder folder;
  Result<UnfinishedFile> file = UnfinishedFile::create(folder.path() / "x");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(entries(folder.path()), 1u);
  remove_unfinished_files();
  EXPECT_EQ(entries(folder.path()), 0u);
}

}  // namespace
}  // namespace limber
