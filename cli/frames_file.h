// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "limber/asset/video.h"
#include "limber/base/frames.h"
#include "limber/base/result.h"

/// Frames in files: exact numbers as .safetensors, or something to look at.
namespace limber::cli {

/// Tensor `name` of shape [views, frames, 3, height, width], float.
Status write_tensor(const Frames& frames, const std::string& path, const char* name);
Result<Frames> read_tensor(const std::string& path, const char* name);

bool is_tensor_path(const std::string& path);

/// Writes frames by the name: .safetensors, a video (.mp4, .gif, .webp), or PNG files in a folder (no extension). Views
/// are shown side by side.
Status write_frames(const Frames& frames, const std::string& path, const asset::VideoSettings& settings);

/// Whether `write_frames` could, asked before an hour of work: the kind of the name, its folder, and ffmpeg.
Status check_output(const std::string& path, const asset::VideoSettings& settings);

/// Which frames of a video to take, and how large.
struct FramesChoice {
  int start = 0, step = 1;    ///< first frame, and then every so many
  int frames = 0;             ///< at most
  int width = 0, height = 0;  ///< scaled and cropped to; 0: as they are, less what exceeds a multiple
  int multiple = 1;           ///< of width and height, where they are 0
};

/// Frames chosen from a video, and what was done to them in words; empty if nothing.
struct ChosenFrames {
  Frames frames;
  std::string changes;
};
Result<ChosenFrames> choose_frames(asset::VideoReader& reader, const std::string& path, const FramesChoice& choice);

}  // namespace limber::cli
