// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/video_sample.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "limber/asset/video.h"
#include "limber/base/expect.h"
#include "limber/lift/align_camera.h"

namespace limber::lift {
namespace {

/// One picture, shrunk: three channels one after the other.
std::vector<float> shrunk_picture(const Bitmap& picture, int width, int height) {
  std::vector<float> result,
      channel(static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height));
  for (int c = 0; c < 3; ++c) {
    for (int y = 0; y < picture.height; ++y) {
      for (int x = 0; x < picture.width; ++x) {
        channel[static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) + static_cast<std::size_t>(x)] =
            static_cast<float>(picture.at(x, y)[c]) / 255.0f;
      }
    }
    const std::vector<float> small = shrink(channel, picture.width, picture.height, width, height);
    result.insert(result.end(), small.begin(), small.end());
  }
  return result;
}

/// Every second one.
void halve(std::vector<std::vector<float>>& pictures) {
  const std::size_t count = (pictures.size() + 1) / 2;
  for (std::size_t i = 1; i < count; ++i) pictures[i] = std::move(pictures[2 * i]);
  pictures.resize(count);
}

}  // namespace

Result<SampledVideo> sample_video(const std::filesystem::path& path, int max_side, int max_frames, int max_read) {
  LIMBER_EXPECT(max_side >= 16 && max_frames > 0 && max_read > 0, std::to_string(max_frames) + " frames");
  LIMBER_TRY(asset::VideoReader reader, asset::VideoReader::open(path));
  SampledVideo result;
  std::vector<std::vector<float>> pictures;
  int width = 0, height = 0;
  Bitmap picture;
  for (;;) {
    LIMBER_TRY(const bool more, reader.next(picture));
    if (!more) break;
    if (result.read == max_read) {
      result.whole = false;
      break;
    }
    if (width == 0) {
      const double scale = std::min(1.0, static_cast<double>(max_side) / std::max(picture.width, picture.height));
      width = std::max(1, static_cast<int>(std::lround(scale * picture.width)));
      height = std::max(1, static_cast<int>(std::lround(scale * picture.height)));
    }
    if (result.read++ % result.step != 0) continue;
    pictures.push_back(shrunk_picture(picture, width, height));
    if (static_cast<int>(pictures.size()) > max_frames) {
      halve(pictures);
      result.step *= 2;
    }
  }
  if (pictures.empty()) return Error{"the video has no picture", path.string()};
  result.frames = Frames(1, static_cast<int>(pictures.size()), height, width);
  auto to = result.frames.values.begin();
  for (const std::vector<float>& values : pictures) to = std::copy(values.begin(), values.end(), to);
  const double fps = reader.info().fps > 0 ? reader.info().fps : 24;
  result.fps = fps / result.step;
  return result;
}

}  // namespace limber::lift
