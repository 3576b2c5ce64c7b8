// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "frame_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>

#include "limber/asset/picture.h"
#include "limber/asset/video.h"
#include "limber/base/expect.h"

namespace limber::cli {
namespace {

/// Where a path's %d or %04d is, and how many digits it wants.
struct NumberPlace {
  std::size_t begin = 0, end = 0;
  int digits = 0;
};

std::optional<NumberPlace> find_number(const std::string& path) {
  for (std::size_t begin = path.find('%'); begin != std::string::npos; begin = path.find('%', begin + 1)) {
    std::size_t end = begin + 1;
    while (end < path.size() && path[end] >= '0' && path[end] <= '9' && end < begin + 4) ++end;
    if (end >= path.size() || path[end] != 'd') continue;
    const int digits = end == begin + 1 ? 0 : std::stoi(path.substr(begin + 1, end - begin - 1));
    return NumberPlace{begin, end + 1, digits};
  }
  return std::nullopt;
}

class VideoOutput : public FrameOutput {
 public:
  explicit VideoOutput(asset::VideoWriter writer) : writer_(std::move(writer)) {}
  Status add(const Bitmap& frame) override { return writer_.add(frame); }
  Status finish() override { return writer_.finish(); }

 private:
  asset::VideoWriter writer_;
};

class SequenceOutput : public FrameOutput {
 public:
  explicit SequenceOutput(std::string path) : path_(std::move(path)) {}
  Status add(const Bitmap& frame) override { return asset::write_picture(frame, numbered_path(path_, next_++)); }
  Status finish() override { return Done{}; }

 private:
  std::string path_;
  int next_ = 0;
};

class PictureOutput : public FrameOutput {
 public:
  explicit PictureOutput(std::string path) : path_(std::move(path)) {}
  Status add(const Bitmap& frame) override { return asset::write_picture(frame, path_); }
  Status finish() override { return Done{}; }

 private:
  std::string path_;
};

/// Frames row by row, white between them; a sheet that is not full is cut to the rows in use.
class SheetOutput : public FrameOutput {
 public:
  SheetOutput(OutputPlan plan, int width, int height)
      : plan_(std::move(plan)),
        width_(width),
        height_(height),
        sheet_(span(plan_.columns, width), span(plan_.rows, height), 3) {
    std::fill(sheet_.pixels.begin(), sheet_.pixels.end(), std::uint8_t{255});
  }
  Status add(const Bitmap& frame) override {
    LIMBER_EXPECT(count_ < plan_.columns * plan_.rows, fmt::format("{} frames in a sheet", count_ + 1));
    paste(frame, count_ % plan_.columns * (width_ + kSheetGap), count_ / plan_.columns * (height_ + kSheetGap), sheet_);
    ++count_;
    return Done{};
  }
  Status finish() override {
    const int rows = std::clamp((count_ + plan_.columns - 1) / plan_.columns, 1, plan_.rows);
    sheet_.height = span(rows, height_);
    sheet_.pixels.resize(static_cast<std::size_t>(sheet_.width) * static_cast<std::size_t>(sheet_.height) * 3);
    return asset::write_picture(sheet_, plan_.path);
  }

 private:
  /// Pixels that so many cells take side by side.
  static int span(int cells, int side) {
    const std::int64_t pixels = std::int64_t{cells} * (side + kSheetGap) - kSheetGap;
    LIMBER_EXPECT(pixels > 0 && pixels <= std::numeric_limits<int>::max(), fmt::format("{} pixels", pixels));
    return static_cast<int>(pixels);
  }
  OutputPlan plan_;
  int width_, height_, count_ = 0;
  Bitmap sheet_;
};

Status make_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) return Done{};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{"cannot make the folder: " + error.message(), folder.string()};
  return Done{};
}

}  // namespace

Result<std::unique_ptr<FrameOutput>> FrameOutput::open(const OutputPlan& plan, int width, int height) {
  std::unique_ptr<FrameOutput> output;
  switch (plan.kind) {
    case OutputKind::kVideo: {
      LIMBER_TRY(asset::VideoWriter writer,
                 asset::VideoWriter::create(plan.path, width, height, {plan.fps, plan.crf, true}));
      output = std::make_unique<VideoOutput>(std::move(writer));
      break;
    }
    case OutputKind::kSequence:
      LIMBER_CHECK_OK(make_folder_of(plan.path));
      output = std::make_unique<SequenceOutput>(plan.path);
      break;
    case OutputKind::kSheet:
      output = std::make_unique<SheetOutput>(plan, width, height);
      break;
    case OutputKind::kPicture:
      output = std::make_unique<PictureOutput>(plan.path);
      break;
  }
  return output;
}

bool has_frame_number(const std::string& path) { return find_number(path).has_value(); }

std::string numbered_path(const std::string& path, int number) {
  const std::optional<NumberPlace> place = find_number(path);
  if (!place) return path;
  return path.substr(0, place->begin) + fmt::format("{:0{}}", number, place->digits) + path.substr(place->end);
}

void paste(const Bitmap& from, int x, int y, Bitmap& to) {
  LIMBER_EXPECT(from.channels == 3 && to.channels == 3 && x >= 0 && y >= 0 && from.width <= to.width - x &&
                    from.height <= to.height - y,
                fmt::format("{} x {} at ({}, {}) of {} x {}", from.width, from.height, x, y, to.width, to.height));
  for (int row = 0; row < from.height; ++row) {
    std::copy_n(from.at(0, row), static_cast<std::size_t>(from.width) * 3, to.at(x, y + row));
  }
}

}  // namespace limber::cli
