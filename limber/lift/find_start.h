// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "limber/lift/surface_view.h"
#include "limber/lift/video_task.h"

/// Which pixels of a video show the body, from where, and in which frame to begin. Private to `lift`.
namespace limber::lift {

struct VideoStart {
  std::vector<float> masks;  ///< frames x pixels, 0 to 1
  asset::SegmentMethod method = asset::SegmentMethod::kBorder;
  int cut_frames = 0;         ///< in which the subject leaves the picture
  int frame = 0;              ///< that the camera was found in
  CameraAlignment alignment;  ///< the camera stands still
};

struct StartSearch {
  double segment_trust = 0;
  std::optional<VideoStart> start;  ///< none: no subject stands out from the background
};

/// The viewer is of the task's subject; how it poses it does not matter.
StartSearch find_start(const VideoTask& task, SurfaceViewer& viewer);

}  // namespace limber::lift
