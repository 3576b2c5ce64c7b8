// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "limber/lift/find_start.h"
#include "limber/lift/fit_cut_out.h"
#include "limber/lift/follow_surface.h"
#include "limber/lift/video_task.h"

/// Whether a lifted motion is worth using, and what of it was seen. Private to `lift`.
namespace limber::lift {

/// Of the body's silhouette and the masks, mean over frames.
double mean_overlap(const VideoTask& task, const VideoStart& start, const kinematics::Motion& motion,
                    SurfaceViewer& viewer);

/// As in VideoLiftReport.
struct Agreement {
  std::vector<VideoFrameReport> frames;
  double overlap = 0, agreement = 0, effort = 0;
  int lost_frames = 0;
};
Agreement measure_agreement(const VideoTask& task, const VideoStart& start, std::span<const FollowedFrame> followed,
                            const kinematics::Motion& motion, SurfaceViewer& viewer);

/// Why not to trust a lift, a sentence each; none: it can be trusted.
std::vector<std::string> find_doubts(const Agreement& measured, const CameraAlignment& alignment, double color_match);

/// What the pictures say about each joint, believed as far as silhouettes agree.
Observability observe_lift(const VideoTask& task, const CutOut& cut_out, scene::Scene& scene,
                           const kinematics::Motion& motion, std::span<const VideoFrameReport> frames);

/// Where nothing was seen, everything is a guess.
Observability nothing_observed(const VideoTask& task);

}  // namespace limber::lift
