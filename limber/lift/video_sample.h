// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "limber/base/frames.h"
#include "limber/base/result.h"

/// Videos of any size and length, read into little memory.
namespace limber::lift {

struct SampledVideo {
  Frames frames;      ///< one view
  double fps = 0;     ///< of `frames`
  int step = 1;       ///< every so many frames of the file were kept
  int read = 0;       ///< frames of the file that were looked at
  bool whole = true;  ///< the file ended before `max_read`
};

/// Reads a video for `lift_video`: no side longer than `max_side` pixels, at most `max_frames` frames, evenly spread;
/// whatever comes after `max_read` frames is left out. Holds one full picture at a time. Fails as asset::VideoReader
/// does, and on a video without a picture.
Result<SampledVideo> sample_video(const std::filesystem::path& path, int max_side = 256, int max_frames = 120,
                                  int max_read = 3600);

}  // namespace limber::lift
