// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frame_output.h"
#include "limber/base/bitmap.h"
#include "limber/base/result.h"
#include "limber/scene/layers.h"

namespace limber::cli {

/// Puts pictures together and hands them to their files: with {layer}, {view} or {clip} in the name one file for each,
/// else side by side, or one after the other.
class Canvas {
 public:
  Canvas(const OutputPlan& plan, const std::vector<scene::Layer>& layers, int views);

  /// `pictures`: views x layers of one moment.
  Status add(const std::string& clip, const std::vector<Bitmap>& pictures);

  /// After the last frame of a clip: files of its own are done.
  Status end_clip();

  Status finish();

  const std::vector<std::string>& paths() const { return paths_; }

 private:
  int layer_count() const { return static_cast<int>(layers_.size()); }
  Status add_to_file(const std::string& clip, int file_view, int file_layer, const std::vector<Bitmap>& pictures);
  /// The pictures in so many columns; the single one itself.
  const Bitmap& arrange(const std::vector<const Bitmap*>& panels, int across);

  OutputPlan plan_;
  std::vector<scene::Layer> layers_;
  int views_;
  bool by_layer_ = false, by_view_ = false, by_clip_ = false;
  std::map<std::string, std::unique_ptr<FrameOutput>> outputs_;
  std::vector<std::string> paths_;  ///< that are finished
  Bitmap frame_;
};

}  // namespace limber::cli
