// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/asset/subject_mask.h"
#include "limber/base/frames.h"
#include "limber/base/progress.h"
#include "limber/base/result.h"
#include "limber/base/warning.h"
#include "limber/lift/align_camera.h"
#include "limber/lift/follow_settings.h"
#include "limber/lift/observability.h"
#include "limber/lift/view_fit.h"
#include "limber/rig/subject.h"

/// A video that somebody brings, one view, becomes a motion of a rigged body that is known.
namespace limber::lift {

/// How far up the ladder; each rung starts from the one before.
enum class VideoRung : std::uint8_t {
  kPlanar,    ///< bones turn in the plane of the picture alone
  kTracks,    ///< points of the skin and outlines, followed and explained by the rig
  kPolished,  ///< and rendered and compared
};

/// As for pictures of a body that is not quite the one in the video: points are off by pixels rather than by a
/// fraction.
FollowSettings video_follow_settings();

struct VideoLiftSettings {
  VideoRung rung = VideoRung::kPolished;
  int max_side = 256;    ///< pixels: larger videos are sampled down
  int max_frames = 120;  ///< longer videos are sampled down: every second frame, every third ...
  /// The camera, for pictures of the video's own size; it stands still, and the body at rest stands on its ground.
  /// Without one it is looked for.
  std::optional<scene::Camera> camera;
  std::vector<bool> free;  ///< joints that may turn; empty: those that lead a part of the body
  AlignSettings align;
  asset::SegmentSettings segment;
  FollowSettings follow = video_follow_settings();  ///< pixels count for pictures whose longer side is 256
  int polish_side = 112;                            ///< pixels of the pictures that are rendered and compared
  int gaussians = 1500;                             ///< that stand for the body there
  Device device = Device::kCpu;                     ///< where it is drawn: see proven_device.h
  ObservabilitySettings observability;
  std::vector<kinematics::WeightedEnergy> energies;  ///< beside the pictures, for the last rung
  Progress progress;
};

struct VideoFrameReport {
  double overlap = 0;       ///< of the body's silhouette and the mask: intersection over union
  double residual = 0;      ///< of followed points and outlines, pixels
  double inlier_share = 0;  ///< of them
  int live = 0;             ///< points followed
  bool lost = false;        ///< the silhouettes do not agree: the pose is a guess
};

struct VideoLiftReport {
  /// Whether the motion is worth using. Otherwise `reasons` say why not, each one sentence, and the motion is what
  /// could be had: perhaps the rest pose throughout.
  bool trusted = false;
  std::vector<std::string> reasons;
  std::vector<Warning> warnings;

  int width = 0, height = 0, frames = 0;  ///< of what was looked at
  int frame_step = 1;                     ///< every so many frames of the video
  asset::SegmentMethod method = asset::SegmentMethod::kBorder;
  double segment_trust = 0;
  CameraAlignment alignment;
  int first = 0;           ///< the frame that the camera was found in, from which the body was followed both ways
  double color_match = 0;  ///< correlation of the body's colours and the first frame's
  VideoRung kept = VideoRung::kPlanar;  ///< rendering and comparing is only kept where silhouettes agree better
  std::vector<VideoFrameReport> frame_reports;
  double overlap = 0;    ///< mean
  double agreement = 0;  ///< the same, differences of a pixel forgiven
  double effort = 0;     ///< how far the body bends from rest, of what is usual (1: about as far as habit has it)
  int lost_frames = 0;
  double seconds = 0;
};

/// What the lower rungs made of it, where they were reached: for comparison.
struct VideoRungs {
  kinematics::Motion planar, tracks;
};

struct VideoLift {
  kinematics::Motion motion;           ///< `frames` frames at the video's rate over `frame_step`
  std::vector<scene::Camera> cameras;  ///< per frame, for pictures of `width` x `height`
  Observability observability;
  VideoLiftReport report;
  VideoRungs rungs;
};

/// Lifts a video. `asset` is where the subject comes from, for its colours; null: colours are taken from the video.
/// Deterministic. A video that shows nothing of the kind is told in the report; fails on a video without frames, a
/// subject without surface, when cancelled, and where the device fails.
Result<VideoLift> lift_video(const rig::Subject& subject, const asset::Asset* asset, const Frames& video, double fps,
                             const VideoLiftSettings& settings = {});

}  // namespace limber::lift
