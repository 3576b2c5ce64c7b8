// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/video_whole.h"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "limber/asset/child_process.h"
#include "limber/asset/video.h"
#include "limber/base/files.h"
#include "limber/testing/shared_data.h"

namespace limber::asset {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExtensions[] = {".mp4", ".gif", ".webp"};

bool has_ffmpeg() { return ChildProcess::start("ffmpeg", {"-version"}, "ffmpeg").ok(); }

/// Noise, which no encoder makes small.
Status write_noise(const fs::path& file, int frames) {
  LIMBER_TRY(VideoWriter writer, VideoWriter::create(file, 128, 96));
  Bitmap frame(128, 96, 3);
  std::uint32_t state = 1;
  for (int i = 0; i < frames; ++i) {
    for (std::uint8_t& value : frame.pixels)
      value = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
    LIMBER_CHECK_OK(writer.add(frame));
  }
  return writer.finish();
}

/// As ffmpeg on a full disk: a shorter file, and all is well.
class CuttingFfmpeg {
 public:
  explicit CuttingFfmpeg(const std::string& cut) : old_(std::getenv("PATH")) {
    const std::string script = "#!/bin/sh\nPATH=" + old_ + "\nffmpeg \"$@\" && " + cut + "\nexit 0\n";
    EXPECT_TRUE(write_file(folder_.path() / "ffmpeg", script).ok());
    ::chmod((folder_.path() / "ffmpeg").c_str(), 0755);
    ::setenv("PATH", (folder_.path().string() + ":" + old_).c_str(), 1);
  }
  ~CuttingFfmpeg() { ::setenv("PATH", old_.c_str(), 1); }
  CuttingFfmpeg(const CuttingFfmpeg&) = delete;
  CuttingFfmpeg& operator=(const CuttingFfmpeg&) = delete;

 private:
  testing::TemporaryFolder folder_;
  std::string old_;
};

/// A disk of so many bytes, where this process may make one.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& size) {
    made_ = ::mount("limber-test", folder_.path().c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
  }
  ~SmallDisk() {
    if (made_) ::umount2(folder_.path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool made() const { return made_; }
  const fs::path& path() const { return folder_.path(); }

 private:
  testing::TemporaryFolder folder_;
  bool made_ = false;
};

std::string read_text(const fs::path& file) {
  const Result<Bytes> bytes = read_file(file);
  return bytes.ok() ? std::string(as_text(*bytes)) : std::string("nothing");
}

TEST(VideoWhole, EveryCutIsSeen) {
  if (!has_ffmpeg()) GTEST_SKIP() << "ffmpeg is not there";
  const testing::TemporaryFolder folder;
  for (const std::string extension : kExtensions) {
    const fs::path file = folder.path() / ("x" + extension);
    const Status status = write_noise(file, 2);
    ASSERT_TRUE(status.ok()) << status.error().message();
    Bytes bytes = read_file(file).value();
    EXPECT_TRUE(is_whole_video(extension, bytes)) << extension;
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      ASSERT_FALSE(is_whole_video(extension, std::span(bytes).first(size))) << extension << " cut to " << size;
    }
    bytes.push_back(std::byte{0});
    EXPECT_FALSE(is_whole_video(extension, bytes)) << extension << " with a byte more";
  }
}

TEST(VideoWhole, ABrokenOneReplacesNothing) {
  if (!has_ffmpeg()) GTEST_SKIP() << "ffmpeg is not there";
  const testing::TemporaryFolder folder;
  for (const std::string extension : kExtensions) {
    const fs::path file = folder.path() / ("x" + extension);
    ASSERT_TRUE(write_file(file, "good").ok());
    for (const char* cut : {"truncate -s -1 /dev/fd/3", "truncate -s 0 /dev/fd/3", "echo Error closing file >&2"}) {
      const CuttingFfmpeg cutting(cut);
      const Status status = write_noise(file, 3);
      ASSERT_FALSE(status.ok()) << extension << ": " << cut;
      EXPECT_NE(status.error().message().find("no whole video"), std::string::npos) << status.error().message();
      EXPECT_EQ(read_text(file), "good");
    }
    fs::remove(file);
    EXPECT_TRUE(fs::is_empty(folder.path()));
  }
}

TEST(VideoWhole, AFullDiskReplacesNothing) {
  if (!has_ffmpeg()) GTEST_SKIP() << "ffmpeg is not there";
  const SmallDisk disk("64k");
  if (!disk.made()) GTEST_SKIP() << "may not make a disk of its own here";
  for (const std::string extension : kExtensions) {
    const fs::path file = disk.path() / ("x" + extension);
    ASSERT_TRUE(write_file(file, "good").ok());
    const Status status = write_noise(file, 40);
    ASSERT_FALSE(status.ok()) << extension;
    EXPECT_NE(status.error().message().find("No space left"), std::string::npos) << status.error().message();
    EXPECT_EQ(read_text(file), "good");
    fs::remove(file);
    EXPECT_TRUE(fs::is_empty(disk.path())) << extension;
  }
}

TEST(VideoWhole, FfmpegMayNotTakeAllMemoryNorTimeWithoutEnd) {
  // Of kilobytes and of seconds, soft and hard.
  Result<ChildProcess> child =
      ChildProcess::start("sh", {"-c", "ulimit -S -d; ulimit -H -d; ulimit -S -t; ulimit -H -t"}, "dash");
  ASSERT_TRUE(child.ok());
  std::string text(200, ' ');
  const Result<std::size_t> size = child->read(std::as_writable_bytes(std::span(text)));
  ASSERT_TRUE(size.ok() && child->finish().ok());
  EXPECT_EQ(text.substr(0, *size), "8388608\n8388608\n14400\n14400\n");
}

}  // namespace
}  // namespace limber::asset
