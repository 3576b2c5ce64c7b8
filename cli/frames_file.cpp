// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "frames_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "limber/asset/picture.h"
#include "limber/nn/safetensors.h"

namespace limber::cli {
namespace {

bool is_folder_path(const std::string& path) { return std::filesystem::path(path).extension().empty(); }

/// All views of a frame, side by side.
Bitmap views_picture(const Frames& frames, int frame) {
  Bitmap all(frames.width * frames.views, frames.height, 3);
  for (int view = 0; view < frames.views; ++view) {
    const Bitmap one = asset::frame_picture(frames, view, frame);
    for (int y = 0; y < one.height; ++y) std::copy_n(one.at(0, y), 3 * one.width, all.at(view * one.width, y));
  }
  return all;
}

Status write_folder(const Frames& frames, const std::filesystem::path& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) return Error{"cannot make the folder: " + problem.message(), folder.string()};
  for (int i = 0; i < frames.frames; ++i) {
    LIMBER_CHECK_OK(asset::write_picture(views_picture(frames, i), folder / fmt::format("{:05}.png", i)));
  }
  return Done{};
}

}  // namespace

Status write_tensor(const Frames& frames, const std::string& path, const char* name) {
  nn::TensorView view;
  view.shape = {frames.views, frames.frames, 3, frames.height, frames.width};
  view.bytes = std::as_bytes(std::span(frames.values));
  return nn::write_safetensors(path, {{name, view}});
}

Result<Frames> read_tensor(const std::string& path, const char* name) {
  LIMBER_TRY(const nn::TensorArchive archive, nn::TensorArchive::open(path));
  LIMBER_TRY(const nn::TensorView view, archive.find(name));
  if (view.dtype != nn::Dtype::kF32 || view.shape.size() != 5 || view.shape[2] != 3) {
    return Error{"expected floats of shape [views, frames, 3, height, width], not " + nn::to_string(view.shape),
                 archive.where(name)};
  }
  for (const std::int64_t extent : view.shape) {
    if (extent < 1 || extent > 16384)
      return Error{"no video has the shape " + nn::to_string(view.shape), archive.where(name)};
  }
  Frames frames(static_cast<int>(view.shape[0]), static_cast<int>(view.shape[1]), static_cast<int>(view.shape[3]),
                static_cast<int>(view.shape[4]));
  std::memcpy(frames.values.data(), view.bytes.data(), view.bytes.size());
  return frames;
}

bool is_tensor_path(const std::string& path) { return std::filesystem::path(path).extension() == ".safetensors"; }

Status write_frames(const Frames& frames, const std::string& path, const asset::VideoSettings& settings) {
  if (is_tensor_path(path)) return write_tensor(frames, path, "frames");
  if (is_folder_path(path)) return write_folder(frames, path);
  LIMBER_TRY(asset::VideoWriter writer,
             asset::VideoWriter::create(path, frames.width * frames.views, frames.height, settings));
  for (int i = 0; i < frames.frames; ++i) LIMBER_CHECK_OK(writer.add(views_picture(frames, i)));
  return writer.finish();
}

Status check_output(const std::string& path, const asset::VideoSettings& settings) {
  if (is_folder_path(path)) {
    std::error_code problem;
    std::filesystem::create_directories(path, problem);
    if (problem) return Error{"cannot make the folder: " + problem.message(), path};
    return Done{};
  }
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder)) return Error{"the folder is missing", path};
  if (is_tensor_path(path)) return Done{};
  if (!asset::is_video_path(path))
    return Error{"frames are written as .mp4, .gif, .webp, .safetensors, or PNG files in a folder", path};
  // Starts ffmpeg, and leaves nothing behind.
  LIMBER_CHECK_OK(asset::VideoWriter::create(path, 16, 16, settings));
  return Done{};
}

Result<ChosenFrames> choose_frames(asset::VideoReader& reader, const std::string& path, const FramesChoice& choice) {
  const asset::VideoInfo info = reader.info();
  int width = choice.width, height = choice.height;
  if (width == 0 || height == 0) {
    width = info.width / choice.multiple * choice.multiple, height = info.height / choice.multiple * choice.multiple;
    if (width == 0 || height == 0) return Error{fmt::format("smaller than {0} x {0}", choice.multiple), path};
  }
  ChosenFrames chosen;
  chosen.frames = Frames(1, 0, height, width);
  Bitmap picture;
  int seen = 0;
  while (chosen.frames.frames < choice.frames) {
    LIMBER_TRY(const bool more, reader.next(picture));
    if (!more) break;
    const int place = seen++ - choice.start;
    if (place < 0 || place % choice.step != 0) continue;
    ++chosen.frames.frames;
    chosen.frames.values.resize(chosen.frames.size());
    asset::set_frame(chosen.frames, 0, chosen.frames.frames - 1, asset::scaled_to_fill(picture, width, height));
  }
  if (chosen.frames.frames == 0) return Error{fmt::format("has no frame {}, only {}", choice.start, seen), path};
  if (width != info.width || height != info.height)
    chosen.changes = fmt::format("scaled and cropped from {} x {} to {} x {}", info.width, info.height, width, height);
  return chosen;
}

}  // namespace limber::cli
