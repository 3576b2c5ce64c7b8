// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "limber/lift/video_lift.h"
#include "limber/scene/scene.h"

/// What all steps of a video lift look at. Private to `lift`.
namespace limber::lift {

/// A video and a body, made ready. No step changes it.
struct VideoTask {
  const rig::Subject& subject;
  const VideoLiftSettings& settings;
  Frames video;        ///< sampled down
  int frame_step = 1;  ///< every so many frames of the video that was brought
  double fps = 24;
  std::optional<scene::Camera> camera;  ///< where one was given: for pictures of this size
  FollowSettings follow;                ///< in pixels of this size
  std::vector<bool> free;               ///< per joint
  splat::Gaussians gaussians;           ///< that stand for the body
  bool has_colors = false;              ///< whether theirs are the body's own
};

/// `subject` and `settings` must outlive the task.
VideoTask make_task(const rig::Subject& subject, const asset::Asset* asset, const Frames& video, double fps,
                    const VideoLiftSettings& settings);

/// Of masks, frames x pixels of `video`.
std::span<const float> mask_of(const Frames& video, std::span<const float> masks, int frame);

/// Nothing but the body, all of it.
scene::SceneSettings bare_scene(Device device);

/// An error where the person who watches wants no more.
Status advance(const Progress& progress, const char* stage, double fraction);
/// Reports a part of the work as a part of the whole.
Progress part_of(const Progress& whole, double first, double last);

}  // namespace limber::lift
