// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "limber/base/bitmap.h"
#include "limber/base/frames.h"
#include "limber/base/result.h"

/// Videos, read and written by the programs `ffprobe` and `ffmpeg` (found in PATH, run as child processes without a
/// shell, raw frames through pipes). Frames are RGB.
namespace limber::asset {

struct VideoInfo {
  int width = 0, height = 0;  ///< as shown: rotation applied
  double fps = 0;
  int frames = 0;  ///< as counted by the container, 0 where it does not say
  double seconds = 0;
};

/// Reads frame after frame, each exactly once, as stored: no frame is repeated or dropped to keep a rate.
class VideoReader {
 public:
  static Result<VideoReader> open(const std::filesystem::path& path);
  ~VideoReader();
  VideoReader(VideoReader&&) noexcept;
  VideoReader& operator=(VideoReader&&) noexcept;

  const VideoInfo& info() const;
  /// Fills `frame`; false at the end. A broken file is an error with what ffmpeg said.
  Result<bool> next(Bitmap& frame);

 private:
  struct State;
  explicit VideoReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct VideoSettings {
  double fps = 24;
  int crf = 18;       ///< H.264 constant rate factor: 0 lossless, 18 hardly visible, 28 small
  bool fast = false;  ///< of .mp4: encode in half the time; files are a few per cent larger
};

/// Writes frames of one size to .mp4 (H.264, 4:2:0; odd sizes are padded by one column or row), .gif or .webp
/// (animated), chosen by the extension. The file appears under its name when `finish` has succeeded, not before.
class VideoWriter {
 public:
  static Result<VideoWriter> create(const std::filesystem::path& path, int width, int height,
                                    const VideoSettings& settings = {});
  ~VideoWriter();  ///< an unfinished file is removed
  VideoWriter(VideoWriter&&) noexcept;
  VideoWriter& operator=(VideoWriter&&) noexcept;

  Status add(const Bitmap& frame);  ///< 3 channels
  Status finish();

 private:
  struct State;
  explicit VideoWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Whether a path's extension names a video that VideoWriter can write.
bool is_video_path(const std::filesystem::path& path);

/// A whole video as one view of Frames; more than `max_frames` is an error before they are all in memory.
struct Video {
  Frames frames;
  double fps = 0;
};
Result<Video> read_video(const std::filesystem::path& path, int max_frames = 4096);

/// One view of `frames` as a video; values are clamped and rounded.
Status write_video(const Frames& frames, int view, const std::filesystem::path& path,
                   const VideoSettings& settings = {});

/// One picture of a video, and back.
Bitmap frame_picture(const Frames& frames, int view, int frame);
void set_frame(Frames& frames, int view, int frame, const Bitmap& picture);  ///< same size, 3 or 4 channels

}  // namespace limber::asset
