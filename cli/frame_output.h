// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "limber/base/bitmap.h"
#include "limber/base/result.h"

/// Where rendered frames go: a video, a numbered sequence, a contact sheet or a single picture.
namespace limber::cli {

enum class OutputKind { kVideo, kSequence, kSheet, kPicture };

inline constexpr int kSheetGap = 4;  ///< pixels between the frames of a sheet

/// What is to be written, as the file's name and the options say.
struct OutputPlan {
  OutputKind kind = OutputKind::kVideo;
  std::string path;           ///< a sequence's has one %d or %04d for the frame
  int columns = 0, rows = 0;  ///< of a sheet
  double fps = 24;
  int crf = 18;
};

/// Takes frames of one size, one after the other; a sheet no more than it has cells.
class FrameOutput {
 public:
  static Result<std::unique_ptr<FrameOutput>> open(const OutputPlan& plan, int width, int height);
  virtual ~FrameOutput() = default;
  virtual Status add(const Bitmap& frame) = 0;
  virtual Status finish() = 0;
};

/// Whether a path names numbered files: it has a %d or %04d.
bool has_frame_number(const std::string& path);

/// The path with the number put in.
std::string numbered_path(const std::string& path, int number);

/// Copies `from` into `to`, where it must fit, with its corner at (x, y); 3 channels both.
void paste(const Bitmap& from, int x, int y, Bitmap& to);

}  // namespace limber::cli
