// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/video.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "limber/asset/child_process.h"
#include "limber/base/files.h"
#include "limber/base/process.h"
#include "limber/testing/shared_data.h"

namespace limber::asset {
namespace {

using std::filesystem::path;

/// Runs ffmpeg for a test, with files of all names, as ours may not.
bool ffmpeg(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"-nostdin", "-v", "error", "-y"});
  ProcessRequest request;
  request.program = "ffmpeg", request.arguments = std::move(arguments);
  const Result<ProcessOutcome> outcome = run_process(request);
  return outcome.ok() && outcome->good();
}

#define NEEDS_FFMPEG() \
  if (!ChildProcess::start("ffmpeg", {"-version"}, "").ok()) GTEST_SKIP() << "the program ffmpeg is not installed"

std::size_t entries(const path& folder) {
  const std::filesystem::directory_iterator begin(folder);
  return static_cast<std::size_t>(std::distance(begin, std::filesystem::directory_iterator()));
}

constexpr int kBlock = 16, kBits = 8;

/// The frame's number as a row of black and white blocks, above a colour that changes slowly.
Bitmap numbered_frame(int number, int width = kBlock * kBits, int height = 48) {
  Bitmap frame(width, height, 3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      std::uint8_t* pixel = frame.at(x, y);
      if (y < kBlock && x < kBlock * kBits) {
        const int bit = (number >> (x / kBlock)) & 1;
        pixel[0] = pixel[1] = pixel[2] = static_cast<std::uint8_t>(bit * 255);
      } else {
        pixel[0] = static_cast<std::uint8_t>(40 + x), pixel[1] = static_cast<std::uint8_t>(3 * number);
        pixel[2] = static_cast<std::uint8_t>(2 * y + 60);
      }
    }
  }
  return frame;
}

int number_of(const Bitmap& frame) {
  int number = 0;
  for (int bit = 0; bit < kBits; ++bit) {
    if (frame.at(bit * kBlock + kBlock / 2, kBlock / 2)[1] > 127) number |= 1 << bit;
  }
  return number;
}

Status write_numbered(const path& file, int frames, const VideoSettings& settings = {}) {
  const Bitmap first = numbered_frame(0);
  LIMBER_TRY(VideoWriter writer, VideoWriter::create(file, first.width, first.height, settings));
  for (int i = 0; i < frames; ++i) LIMBER_CHECK_OK(writer.add(numbered_frame(i)));
  return writer.finish();
}

/// The numbers of all frames, and the error that ended it, if one did.
std::vector<int> numbers_in(const path& file, std::string* error = nullptr) {
  std::vector<int> numbers;
  Result<VideoReader> reader = VideoReader::open(file);
  if (!reader.ok()) {
    if (error) *error = reader.error().message();
    return numbers;
  }
  Bitmap frame;
  while (true) {
    const Result<bool> more = reader->next(frame);
    if (!more.ok() && error) *error = more.error().message();
    if (!more.ok() || !*more) return numbers;
    numbers.push_back(number_of(frame));
  }
}

std::vector<int> count_to(int n) {
  std::vector<int> numbers;
  for (int i = 0; i < n; ++i) numbers.push_back(i);
  return numbers;
}

/// Of the insides of the chart's patches: at their edges half the chroma is missing by design.
double psnr_inside(const Bitmap& a, const Bitmap& b) {
  double sum = 0, count = 0;
  for (int y = 0; y < a.height; ++y) {
    for (int x = 0; x < a.width; ++x) {
      if (std::min({x % 32, y % 32, 31 - x % 32, 31 - y % 32}) < 4) continue;
      for (int c = 0; c < 3; ++c, ++count) sum += std::pow(a.at(x, y)[c] - b.at(x, y)[c], 2);
    }
  }
  return 10 * std::log10(255.0 * 255.0 * count / std::max(sum, 1e-9));
}

/// 8 x 8 patches: every corner of the colour cube, and what is between.
Bitmap colour_chart() {
  Bitmap chart(256, 256, 3);
  for (int y = 0; y < 256; ++y) {
    for (int x = 0; x < 256; ++x) {
      const int patch = (y / 32) * 8 + x / 32;
      for (int c = 0; c < 3; ++c) chart.at(x, y)[c] = static_cast<std::uint8_t>(((patch >> (2 * c)) & 3) * 85);
    }
  }
  return chart;
}

/// A program of this name in front of all others in PATH, for as long as it lives.
class FakeProgram {
 public:
  FakeProgram(const std::string& name, const std::string& script) : old_(std::getenv("PATH")) {
    EXPECT_TRUE(write_file(folder_.path() / name, "#!/bin/sh\n" + script + "\n").ok());
    ::chmod((folder_.path() / name).c_str(), 0755);
    ::setenv("PATH", (folder_.path().string() + ":" + old_).c_str(), 1);
  }
  ~FakeProgram() { ::setenv("PATH", old_.c_str(), 1); }
  FakeProgram(const FakeProgram&) = delete;
  FakeProgram& operator=(const FakeProgram&) = delete;

 private:
  testing::TemporaryFolder folder_;
  std::string old_;
};

TEST(Video, EveryFrameComesBackOnceAndInOrder) {
  NEEDS_FFMPEG();
  const testing::TemporaryFolder folder;
  for (const double fps : {24.0, 30000.0 / 1001.0, 7.5}) {
    const path file = folder.path() / "numbers.mp4";
    const Status written = write_numbered(file, 53, {fps, 18});
    ASSERT_TRUE(written.ok()) << written.error().message();
    std::string error;
    EXPECT_EQ(numbers_in(file, &error), count_to(53)) << error;
    const VideoInfo info = VideoReader::open(file)->info();
    EXPECT_NEAR(info.fps, fps, 1e-6 * fps);
    EXPECT_EQ(info.frames, 53);
    EXPECT_NEAR(info.seconds, 53 / fps, 0.01);
    EXPECT_EQ(info.width, kBlock * kBits);
    EXPECT_EQ(info.height, 48);
  }
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(Video, GifAndWebpHoldEveryFrame) {
  NEEDS_FFMPEG();
  const testing::TemporaryFolder folder;
  const path gif = folder.path() / "n.gif", webp = folder.path() / "n.WEBP";
  ASSERT_TRUE(write_numbered(gif, 20, {25, 18}).ok());
  std::string error;
  EXPECT_EQ(numbers_in(gif, &error), count_to(20)) << error;
  for (const int quality : {0, 18}) {
    const Status written = write_numbered(webp, 20, {25, quality});
    ASSERT_TRUE(written.ok()) << written.error().message();
    const Result<Bytes> bytes = read_file(webp);
    int frames = 0;
    for (std::size_t at = 0; (at = as_text(*bytes).find("ANMF", at)) != std::string_view::npos; ++at) ++frames;
    EXPECT_EQ(frames, 20);
  }
  // Most ffmpegs cannot read what they wrote, which must be told.
  const Result<Video> back = read_video(webp);
  EXPECT_TRUE(back.ok() || !back.error().what.empty());
}

TEST(Video, ColoursRoundTrip) {
  NEEDS_FFMPEG();
  const testing::TemporaryFolder folder;
  const path file = folder.path() / "chart.mp4";
  const Bitmap chart = colour_chart();
  for (const auto& [quality, bound] : {std::pair{0, 50.0}, std::pair{18, 47.0}}) {
    Result<VideoWriter> writer = VideoWriter::create(file, chart.width, chart.height, {24, quality});
    ASSERT_TRUE(writer.ok()) << writer.error().message();
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(writer->add(chart).ok());
    ASSERT_TRUE(writer->finish().ok());
    Result<VideoReader> reader = VideoReader::open(file);
    ASSERT_TRUE(reader.ok()) << reader.error().message();
    Bitmap frame;
    ASSERT_TRUE(*reader->next(frame));
    EXPECT_GT(psnr_inside(frame, chart), bound) << quality;
    // Inside the patches nothing but rounding is left: a wrong matrix or range would be off by ten or more.
    for (int patch = 0; patch < 64; ++patch) {
      const int x = patch % 8 * 32 + 16, y = patch / 8 * 32 + 16;
      for (int c = 0; c < 3; ++c)
        EXPECT_NEAR(frame.at(x, y)[c], chart.at(x, y)[c], quality == 0 ? 2 : 4) << patch << " " << c;
    }
  }
}

TEST(Video, OddSizesArePaddedWithTheirEdge) {
  NEEDS_FFMPEG();
  const testing::TemporaryFolder folder;
  const path file = folder.path() / "odd.mp4";
  const Bitmap odd = numbered_frame(5, 131, 49);
  Result<VideoWriter> writer = VideoWriter::create(file, 131, 49, {24, 0});
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(writer->add(odd).ok() && writer->finish().ok());
  Result<VideoReader> reader = VideoReader::open(file);
  ASSERT_TRUE(reader.ok());
  Bitmap frame;
  ASSERT_TRUE(*reader->next(frame));
  EXPECT_EQ(frame.width, 132);
  EXPECT_EQ(frame.height, 50);
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(frame.at(131, 49)[c], odd.at(130, 48)[c], 6);
  EXPECT_FALSE(*reader->next(frame));
  EXPECT_FALSE(*reader->next(frame));
}

TEST(Video, VariableRatesAndRotationAreReadAsShown) {
  NEEDS_FFMPEG();
  const testing::TemporaryFolder folder;
  const path even = folder.path() / "even.mp4", uneven = folder.path() / "uneven.mp4";
  ASSERT_TRUE(write_numbered(even, 30, {30, 18}).ok());
  // Every third frame is missing, and the others keep their times.
  ASSERT_TRUE(ffmpeg({"-i", even.string(), "-vf", "select=mod(n\\,3)", "-vsync", "vfr", uneven.string()}));
  std::vector<int> expected;
  for (int i = 0; i < 30; ++i) {
    if (i % 3 != 0) expected.push_back(i);
  }
  std::string error;
  EXPECT_EQ(numbers_in(uneven, &error), expected) << error;

  const path turned = folder.path() / "turned.mp4";
  ASSERT_TRUE(ffmpeg({"-i", even.string(), "-c", "copy", "-metadata:s:v:0", "rotate=90", turned.string()}));
  Result<VideoReader> reader = VideoReader::open(turned);
  ASSERT_TRUE(reader.ok()) << reader.error().message();
  Bitmap frame;
  ASSERT_TRUE(*reader->next(frame));
  if (frame.width == 128) GTEST_SKIP() << "this ffmpeg does not write rotations";
  EXPECT_EQ(frame.width, 48);
  EXPECT_EQ(frame.height, 128);
}

TEST(Video, NamesThatLookLikeOptionsProtocolsOrPatternsAreNames) {
  NEEDS_FFMPEG();
  const testing::TemporaryFolder folder;
  const path here = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  for (const char* name : {"-i.mp4", "http:x.mp4", "a%03d.mp4", "pipe:0.mp4", "with space; 'quote\".mp4"}) {
    const Status written = write_numbered(name, 3);
    EXPECT_TRUE(written.ok()) << written.error().message();
    std::string error;
    EXPECT_EQ(numbers_in(name, &error), count_to(3)) << name << error;
  }
  std::filesystem::current_path(here);
  EXPECT_EQ(entries(folder.path()), 5u);
}

TEST(Video, BrokenFilesAreErrorsThatSayWhy) {
  NEEDS_FFMPEG();
  const testing::TemporaryFolder folder;
  const path whole = folder.path() / "whole.mp4", broken = folder.path() / "broken.mp4";
  ASSERT_TRUE(write_numbered(whole, 60, {24, 10}).ok());
  const Bytes bytes = *read_file(whole);

  std::string error;
  // The index is in front, so the file opens; what is missing are frames.
  ASSERT_TRUE(write_file(broken, std::span(bytes).first(bytes.size() * 2 / 3)).ok());
  EXPECT_LT(numbers_in(broken, &error).size(), 60u);
  EXPECT_NE(error.find("broken.mp4: "), std::string::npos) << error;
  // Matroska does not count its frames, but tells how long it is.
  const path stream = folder.path() / "whole.mkv";
  ASSERT_TRUE(ffmpeg({"-i", whole.string(), "-c", "copy", stream.string()}));
  EXPECT_EQ(numbers_in(stream, &(error = "")), count_to(60)) << error;
  const Bytes stream_bytes = *read_file(stream);
  ASSERT_TRUE(write_file(stream, std::span(stream_bytes).first(stream_bytes.size() / 2)).ok());
  EXPECT_LT(numbers_in(stream, &error).size(), 60u);
  EXPECT_NE(error.find("whole.mkv: "), std::string::npos) << error;
  for (const auto& [content, expected] :
       {std::pair<std::string, std::string>{"", "the file is empty"},
        {"just some text, hardly a video\n", "broken.mp4: "},
        {std::string(as_text(bytes).substr(0, 200)), "broken.mp4: "},
        {"#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n/etc/passwd\n#EXT-X-ENDLIST\n", "broken.mp4: "},
        {"ffconcat version 1.0\nfile whole.mp4\n", "broken.mp4: "}}) {
    ASSERT_TRUE(write_file(broken, content).ok());
    error.clear();
    EXPECT_TRUE(numbers_in(broken, &error).empty());
    EXPECT_NE(error.find(expected), std::string::npos) << error;
    EXPECT_EQ(error.find("/dev/fd"), std::string::npos) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
  EXPECT_FALSE(VideoReader::open(folder.path()).ok());
  EXPECT_FALSE(VideoReader::open(folder.path() / "none.mp4").ok());
  EXPECT_FALSE(VideoReader::open("/dev/zero").ok());
}

TEST(Video, SoundWithoutPicturesIsNoVideo) {
  NEEDS_FFMPEG();
  const testing::TemporaryFolder folder;
  const path file = folder.path() / "tone.wav";
  ASSERT_TRUE(ffmpeg({"-f", "lavfi", "-i", "sine=d=0.1", file.string()}));
  const Result<VideoReader> reader = VideoReader::open(file);
  ASSERT_FALSE(reader.ok());
  EXPECT_NE(reader.error().message().find("holds no video"), std::string::npos);
}

TEST(Video, LongVideosAreRefusedBeforeTheyFillTheMemory) {
  NEEDS_FFMPEG();
  const testing::TemporaryFolder folder;
  const path file = folder.path() / "n.mp4", stream = folder.path() / "n.mkv";
  ASSERT_TRUE(write_numbered(file, 20).ok());
  EXPECT_TRUE(read_video(file, 20).ok());
  EXPECT_FALSE(read_video(file, 19).ok());
  // Matroska does not count its frames.
  ASSERT_TRUE(ffmpeg({"-i", file.string(), "-c", "copy", stream.string()}));
  EXPECT_EQ(read_video(stream, 20)->frames.frames, 20);
  const Result<Video> refused = read_video(stream, 19);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message().find("more than 19 frames"), std::string::npos) << refused.error().message();
}

TEST(Video, WithoutFfmpegTheErrorNamesThePackage) {
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder.path() / "x.mp4", "x").ok());
  const std::string old = std::getenv("PATH");
  ::setenv("PATH", folder.path().c_str(), 1);
  const Result<VideoReader> reader = VideoReader::open(folder.path() / "x.mp4");
  const Result<VideoWriter> writer = VideoWriter::create(folder.path() / "y.mp4", 16, 16);
  ::setenv("PATH", old.c_str(), 1);
  ASSERT_FALSE(reader.ok());
  EXPECT_EQ(reader.error().what, "the program ffprobe is not in PATH: install the package ffmpeg");
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.error().what, "the program ffmpeg is not in PATH: install the package ffmpeg");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(Video, AnEncoderThatDiesIsAnErrorWithItsLastWords) {
  const testing::TemporaryFolder folder;
  const Bitmap frame(512, 512, 3);
  const auto write = [&](const std::string& script) {
    const FakeProgram fake("ffmpeg", script);
    const auto run = [&]() -> Status {
      LIMBER_TRY(VideoWriter writer, VideoWriter::create(folder.path() / "x.mp4", 512, 512));
      for (int i = 0; i < 40; ++i) LIMBER_CHECK_OK(writer.add(frame));
      return writer.finish();
    };
    const Status status = run();
    EXPECT_EQ(entries(folder.path()), 0u);
    return status.ok() ? std::string() : status.error().message();
  };
  EXPECT_NE(write("kill -9 $$").find("ffmpeg was killed by signal 9"), std::string::npos);
  // Talks much more than a pipe holds before it reads anything.
  const std::string noisy = write(
      "i=0; while [ $i -lt 3000 ]; do echo 'line of a program that talks and talks and talks' $i >&2; "
      "i=$((i+1)); done; printf '\\033[31mUnknown encoder\\033[0m\\n' >&2; exit 3");
  EXPECT_NE(noisy.find("Unknown encoder"), std::string::npos) << noisy;
  EXPECT_NE(noisy.find("2999"), std::string::npos) << noisy;
  EXPECT_EQ(noisy.find('\033'), std::string::npos) << noisy;
  EXPECT_LT(noisy.size(), 1200u);
  // Reads all, then fails.
  EXPECT_NE(write("cat >/dev/null; echo disk full >&2; exit 1").find("disk full"), std::string::npos);
}

TEST(Video, ADecoderThatDiesIsAnErrorToo) {
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder.path() / "x.mp4", "x").ok());
  const FakeProgram probe(
      "ffprobe", "echo '{\"streams\": [{\"index\": 0, \"width\": 64, \"height\": 64, \"nb_frames\": \"9\"}]}'");
  std::string error;
  {
    const FakeProgram fake("ffmpeg", "head -c 30000 /dev/zero; kill -9 $$");
    EXPECT_EQ(numbers_in(folder.path() / "x.mp4", &error).size(), 2u);
    EXPECT_NE(error.find("signal 9"), std::string::npos) << error;
  }
  {
    const FakeProgram fake("ffmpeg", "head -c 24576 /dev/zero; echo corrupt input >&2");
    EXPECT_EQ(numbers_in(folder.path() / "x.mp4", &error).size(), 2u);
    EXPECT_NE(error.find("2 of 9 frames: corrupt input"), std::string::npos) << error;
  }
  for (const char* answer : {"nonsense", "[]", "{\"streams\": 7}", "{\"streams\": [{\"width\": 1e9, \"height\": 64}]}",
                             "{\"streams\": [{\"width\": \"x\", \"height\": null}]}"}) {
    const FakeProgram odd("ffprobe", std::string("echo '") + answer + "'");
    EXPECT_FALSE(VideoReader::open(folder.path() / "x.mp4").ok()) << answer;
  }
}

TEST(Video, AnUnfinishedVideoLeavesNothing) {
  NEEDS_FFMPEG();
  const testing::TemporaryFolder folder;
  {
    Result<VideoWriter> writer = VideoWriter::create(folder.path() / "x.mp4", 64, 64);
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE(writer->add(Bitmap(64, 64, 3)).ok());
    EXPECT_THROW(static_cast<void>(writer->add(Bitmap(64, 63, 3))), ContractError);
  }
  EXPECT_EQ(entries(folder.path()), 0u);
  Result<VideoWriter> empty = VideoWriter::create(folder.path() / "x.mp4", 64, 64);
  ASSERT_TRUE(empty.ok());
  EXPECT_FALSE(empty->finish().ok());
  EXPECT_FALSE(VideoWriter::create(folder.path() / "x.avi", 64, 64).ok());
  EXPECT_FALSE(VideoWriter::create(folder.path() / "missing" / "x.mp4", 64, 64).ok());
}

TEST(Video, AnInterruptedProgramLeavesNothing) {
  NEEDS_FFMPEG();
  const testing::TemporaryFolder folder;
  Result<VideoWriter> writer = VideoWriter::create(folder.path() / "x.mp4", 64, 64);
  ASSERT_TRUE(writer.ok());
  // At once, when ffmpeg may not even have opened its file: it must not make a new one.
  remove_unfinished_files();
  ASSERT_TRUE(writer->add(Bitmap(64, 64, 3)).ok());
  EXPECT_FALSE(writer->finish().ok());
  EXPECT_EQ(entries(folder.path()), 0u);
}

TEST(Video, FramesTurnIntoPicturesAndBack) {
  Frames frames(2, 3, 5, 7);
  for (std::size_t i = 0; i < frames.values.size(); ++i) frames.values[i] = static_cast<float>(i % 256) / 255.0f;
  Frames copy(2, 3, 5, 7);
  for (int view = 0; view < 2; ++view) {
    for (int frame = 0; frame < 3; ++frame) set_frame(copy, view, frame, frame_picture(frames, view, frame));
  }
  for (std::size_t i = 0; i < frames.values.size(); ++i) EXPECT_NEAR(copy.values[i], frames.values[i], 1e-6f);
  frames.values[0] = -3, frames.values[1] = 7, frames.values[2] = NAN;
  const Bitmap picture = frame_picture(frames, 0, 0);
  EXPECT_EQ(picture.pixels[0], 0);
  EXPECT_EQ(picture.pixels[3], 255);
  EXPECT_EQ(picture.pixels[6], 0);
  EXPECT_THROW(frame_picture(frames, 2, 0), ContractError);
}

TEST(Video, WholeVideosRoundTripAsFrames) {
  NEEDS_FFMPEG();
  const testing::TemporaryFolder folder;
  Frames frames(1, 9, 48, 128);
  for (int i = 0; i < 9; ++i) set_frame(frames, 0, i, numbered_frame(i));
  ASSERT_TRUE(write_video(frames, 0, folder.path() / "x.mp4", {12, 10}).ok());
  const Result<Video> back = read_video(folder.path() / "x.mp4");
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_EQ(back->frames.frames, 9);
  EXPECT_DOUBLE_EQ(back->fps, 12);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(number_of(frame_picture(back->frames, 0, i)), i);
}

TEST(Video, TheSharedVideosAreReadWhole) {
  NEEDS_FFMPEG();
  const auto files = testing::shared_files("assets/video", {".mp4", ".mov", ".webm"});
  if (files.empty()) GTEST_SKIP() << "no shared test data";
  for (const path& file : files) {
    Result<VideoReader> reader = VideoReader::open(file);
    ASSERT_TRUE(reader.ok()) << reader.error().message();
    int frames = 0;
    Bitmap frame;
    while (true) {
      const Result<bool> more = reader->next(frame);
      ASSERT_TRUE(more.ok()) << more.error().message();
      if (!*more) break;
      ++frames;
    }
    EXPECT_EQ(frames, reader->info().frames) << file;
  }
}

}  // namespace
}  // namespace limber::asset
