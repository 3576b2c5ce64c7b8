// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>

#include "limber/base/temporary_name.h"
#include "limber/base/writable.h"
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

std::string text_of(const std::filesystem::path& path) {
  const Result<Bytes> bytes = read_file(path);
  return bytes.ok() ? std::string(as_text(*bytes)) : "nothing";
}

/// In a process that then ends as if it had been killed: nothing is tidied up.
void in_a_process_that_is_killed(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
}

void make_old(const std::filesystem::path& file, std::chrono::seconds age) {
  std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() - age);
}

std::filesystem::path only_entry(const std::filesystem::path& folder) {
  EXPECT_EQ(entries(folder), 1u);
  return std::filesystem::directory_iterator(folder)->path();
}

TEST(Files, NamesOfAKilledProcessDoNotStandInTheWay) {
  // In a container the same program has the same number at every start, and so had its temporary files.
  const testing::TemporaryFolder folder;
  const std::string process = std::to_string(::getpid());
  for (int i = 0; i < 200; ++i) {
    const std::string name = "x.tmp-" + process + "-" + std::to_string(i);
    ASSERT_EQ(::close(::creat((folder.path() / name).c_str(), 0666)), 0);
  }
  const Status status = write_file(folder.path() / "x", "text");
  EXPECT_TRUE(status.ok()) << status.error().message();
  EXPECT_NE(temporary_name("a/x"), temporary_name("a/x"));
}

TEST(Files, TheLongestNamesCanBeWritten) {
  const testing::TemporaryFolder folder;
  std::string name(251, 'x');
  for (const char* ending : {"yyyy", "\xc3\xa4\xc3\xa4"}) {
    EXPECT_TRUE(write_file(folder.path() / (name + ending), "text").ok());
  }
  std::string letters;
  while (letters.size() < 254) letters += "\xc3\xa4";
  const std::string cut = std::filesystem::path(temporary_name(letters)).filename().string();
  EXPECT_LE(cut.size(), 255u);
  EXPECT_EQ(cut.find(".tmp-") % 2, 0u) << "cut within a letter";
}

TEST(Files, WhatAKilledProcessLeftIsSwept) {
  const testing::TemporaryFolder folder;
  in_a_process_that_is_killed([&] {
    Result<UnfinishedFile> file = UnfinishedFile::create(folder.path() / "x");
    static_cast<void>(file.ok() && file->write(as_bytes("half")).ok());
    ::_exit(0);
  });
  const std::filesystem::path left = only_entry(folder.path());
  sweep_temporary_files(folder.path());
  EXPECT_TRUE(std::filesystem::exists(left)) << "too young to be judged";
  make_old(left, std::chrono::minutes(2));
  EXPECT_TRUE(write_file(folder.path() / "y", "text").ok());
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST(Files, ASweepTakesNothingElse) {
  const testing::TemporaryFolder folder;
  // Somebody writes it right now, even if for hours without a byte.
  Result<UnfinishedFile> mine = UnfinishedFile::create(folder.path() / "x");
  ASSERT_TRUE(mine.ok() && mine->write(as_bytes("whole")).ok());
  make_old(only_entry(folder.path()), std::chrono::hours(100));
  Result<UnfinishedFile> flushed = UnfinishedFile::create(folder.path() / "z");
  ASSERT_TRUE(flushed.ok() && flushed->write(as_bytes("whole")).ok() && flushed->flush().ok());
  const std::string name = std::filesystem::path(temporary_name("x")).filename().string();
  const std::filesystem::path elsewhere = folder.path() / ("x.tmp-01234567-" + name.substr(name.rfind('-') + 1));
  for (const std::filesystem::path& file : {elsewhere, folder.path() / "x.tmp-1-2", folder.path() / "notes.tmp-",
                                            folder.path() / (name + "0"), folder.path() / name.substr(1)}) {
    ASSERT_EQ(::close(::creat(file.c_str(), 0666)), 0);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) make_old(entry, std::chrono::hours(20));
  std::filesystem::create_directory(folder.path() / ("f" + name));
  sweep_temporary_files(folder.path());
  EXPECT_EQ(entries(folder.path()), 8u);
  EXPECT_TRUE(mine->commit().ok() && flushed->commit().ok());
  EXPECT_EQ(text_of(folder.path() / "x"), "whole");
  make_old(elsewhere, std::chrono::hours(30));
  sweep_temporary_files(folder.path());
  EXPECT_FALSE(std::filesystem::exists(elsewhere)) << "of another machine, a day ago";
}

TEST(Files, AFileKeepsItsRightsAndALinkItsPlace) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path secret = folder.path() / "secret", link = folder.path() / "link";
  ASSERT_TRUE(write_file(secret, "old").ok());
  std::filesystem::create_directory(folder.path() / "other");
  std::filesystem::create_symlink("other/../secret", link);
  for (const ::mode_t mode : {0600u, 0640u, 0755u, 0444u}) {
    ASSERT_EQ(::chmod(secret.c_str(), mode), 0);
    ASSERT_TRUE(write_file(link, "new " + std::to_string(mode)).ok());
    struct stat info {};
    ASSERT_EQ(::stat(secret.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, mode);
    EXPECT_EQ(text_of(secret), "new " + std::to_string(mode));
    EXPECT_TRUE(std::filesystem::is_symlink(link));
  }
  // Seen by nobody while it is written, either; by its owner also where nobody may write what it replaces.
  Result<UnfinishedFile> file = UnfinishedFile::create(secret);
  struct stat info {};
  ASSERT_TRUE(file.ok() && ::fstat(file->descriptor(), &info) == 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
  const int again = ::open(("/proc/self/fd/" + std::to_string(file->descriptor())).c_str(), O_WRONLY);
  EXPECT_GE(again, 0) << "as a child does that writes it";
  ::close(again);
  ASSERT_TRUE(file->commit().ok());
  ASSERT_EQ(::stat(secret.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0444u);

  const std::filesystem::path dangling = folder.path() / "dangling";
  std::filesystem::create_symlink("other/made", dangling);
  EXPECT_TRUE(write_file(dangling, "made").ok());
  EXPECT_EQ(text_of(folder.path() / "other" / "made"), "made");
  std::filesystem::create_symlink("loop", folder.path() / "loop");
  EXPECT_FALSE(write_file(folder.path() / "loop", "x").ok());
}

TEST(Files, DevicesAndPipesAreWrittenAndNotReplaced) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(check_writable(pipe).ok());
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_TRUE(write_file(pipe, "text").ok());
  char text[8] = {};
  EXPECT_EQ(::read(reader, text, sizeof text), 4);
  EXPECT_EQ(std::string(text), "text");
  ::close(reader);
  EXPECT_EQ(entries(folder.path()), 1u);
  EXPECT_TRUE(write_file("/dev/null", "text").ok());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const Status full = write_file("/dev/full", "text");
  ASSERT_FALSE(full.ok());
  EXPECT_NE(full.error().message().find("No space left"), std::string::npos) << full.error().message();
}

TEST(Files, WhatCannotBeWrittenIsKnownBefore) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "x";
  EXPECT_TRUE(check_writable(file).ok());
  EXPECT_EQ(entries(folder.path()), 0u);
  ASSERT_TRUE(write_file(file, "old").ok());
  EXPECT_TRUE(check_writable(file).ok());
  EXPECT_EQ(text_of(file), "old");
  EXPECT_EQ(entries(folder.path()), 1u);

  EXPECT_EQ(check_writable(folder.path() / "missing" / "x").error().kind, ErrorKind::kMissing);
  EXPECT_EQ(check_writable(file / "x").error().kind, ErrorKind::kMissing) << "x is no folder";
  EXPECT_NE(check_writable(folder.path()).error().message().find("folder"), std::string::npos);
  EXPECT_FALSE(check_writable("/proc/x").ok());
  ASSERT_EQ(::chmod(folder.path().c_str(), 0500), 0);
  EXPECT_EQ(check_writable(file).ok(), ::geteuid() == 0) << "root may";
  ASSERT_EQ(::chmod(folder.path().c_str(), 0700), 0);
}

}  // namespace
}  // namespace limber
