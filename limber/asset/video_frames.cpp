// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "limber/asset/video.h"
#include "limber/base/memory_budget.h"

namespace limber::asset {
namespace {

/// Longer videos are read frame by frame: 8 GB of floats.
constexpr std::size_t kMaxVideoNumbers = std::size_t{1} << 31;

void expect_frame(const Frames& frames, int view, int frame) {
  LIMBER_EXPECT(view >= 0 && view < frames.views && frame >= 0 && frame < frames.frames,
                fmt::format("view {} of {}, frame {} of {}", view, frames.views, frame, frames.frames));
  LIMBER_EXPECT(frames.values.size() == frames.size(), fmt::to_string(frames.values.size()));
}

std::size_t plane_size(const Frames& frames) {
  return static_cast<std::size_t>(frames.height) * static_cast<std::size_t>(frames.width);
}

std::size_t frame_start(const Frames& frames, int view, int frame) {
  return (static_cast<std::size_t>(view) * static_cast<std::size_t>(frames.frames) + static_cast<std::size_t>(frame)) *
         3 * plane_size(frames);
}

/// Interleaved bytes to three planes of floats.
void spread(const Bitmap& picture, float* planes) {
  const std::size_t plane = static_cast<std::size_t>(picture.height) * static_cast<std::size_t>(picture.width);
  const auto step = static_cast<std::size_t>(picture.channels);
  for (std::size_t i = 0; i < plane; ++i) {
    for (std::size_t c = 0; c < 3; ++c)
      planes[c * plane + i] = static_cast<float>(picture.pixels[i * step + c]) * (1.0f / 255.0f);
  }
}

}  // namespace

Bitmap frame_picture(const Frames& frames, int view, int frame) {
  expect_frame(frames, view, frame);
  Bitmap picture(frames.width, frames.height, 3);
  const std::size_t plane = plane_size(frames);
  const float* values = frames.values.data() + frame_start(frames, view, frame);
  for (std::size_t i = 0; i < plane; ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      // In this order NaN becomes 0.
      const float value = std::fmin(std::fmax(0.0f, values[c * plane + i]), 1.0f);
      picture.pixels[i * 3 + c] = static_cast<std::uint8_t>(value * 255.0f + 0.5f);
    }
  }
  return picture;
}

void set_frame(Frames& frames, int view, int frame, const Bitmap& picture) {
  expect_frame(frames, view, frame);
  LIMBER_EXPECT(picture.width == frames.width && picture.height == frames.height && picture.channels >= 3,
                fmt::format("{} x {} x {} for frames of {} x {}", picture.width, picture.height, picture.channels,
                            frames.width, frames.height));
  spread(picture, frames.values.data() + frame_start(frames, view, frame));
}

Result<Video> read_video(const std::filesystem::path& path, int max_frames) {
  LIMBER_EXPECT(max_frames > 0, fmt::to_string(max_frames));
  LIMBER_TRY(VideoReader reader, VideoReader::open(path));
  const VideoInfo info = reader.info();
  const std::size_t size = 3 * static_cast<std::size_t>(info.width) * static_cast<std::size_t>(info.height);
  const auto too_long = [&] {
    return Error{fmt::format("has more than {} frames of {} x {}: cut it first", max_frames, info.width, info.height),
                 path.string(), ErrorKind::kOutOfMemory};
  };
  max_frames = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(max_frames), kMaxVideoNumbers / size));
  if (info.frames > max_frames) return too_long();

  Video video;
  video.fps = info.fps;
  video.frames = Frames(1, 0, info.height, info.width);
  // No more than a little on the container's word.
  video.frames.values.reserve(size * static_cast<std::size_t>(std::min(info.frames, 64)));
  Bitmap picture;
  MemoryShare memory;
  while (true) {
    LIMBER_TRY(const bool more, reader.next(picture));
    if (!more) return video;
    if (video.frames.frames == max_frames) return too_long();
    LIMBER_CHECK_OK(memory.take(size * sizeof(float), path.string()));
    video.frames.values.resize(size * static_cast<std::size_t>(++video.frames.frames));
    set_frame(video.frames, 0, video.frames.frames - 1, picture);
  }
}

Status write_video(const Frames& frames, int view, const std::filesystem::path& path, const VideoSettings& settings) {
  LIMBER_TRY(VideoWriter writer, VideoWriter::create(path, frames.width, frames.height, settings));
  for (int frame = 0; frame < frames.frames; ++frame) LIMBER_CHECK_OK(writer.add(frame_picture(frames, view, frame)));
  return writer.finish();
}

}  // namespace limber::asset
