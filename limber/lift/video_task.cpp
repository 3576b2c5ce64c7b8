// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/video_task.h"

#include <algorithm>
#include <cmath>

#include "limber/lift/appearance.h"
#include "limber/lift/leading_joints.h"
#include "limber/scene/body_splats.h"

namespace limber::lift {
namespace {

/// Every `step`-th frame, no side longer than `max_side`.
Frames sample_down(const Frames& video, int step, int max_side) {
  const std::size_t picture = 3 * static_cast<std::size_t>(video.width) * static_cast<std::size_t>(video.height);
  const double scale = std::min(1.0, static_cast<double>(max_side) / std::max(video.width, video.height));
  const int width = std::max(1, static_cast<int>(std::lround(scale * video.width)));
  const int height = std::max(1, static_cast<int>(std::lround(scale * video.height)));
  const int count = (video.frames + step - 1) / step;
  Frames result(1, count, height, width);
  const std::size_t small = 3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  Frames one(1, 1, video.height, video.width);
  for (int t = 0; t < count; ++t) {
    const auto from = video.values.begin() + static_cast<std::ptrdiff_t>(picture * static_cast<std::size_t>(t * step));
    std::transform(from, from + static_cast<std::ptrdiff_t>(picture), one.values.begin(),
                   [](float v) { return std::isfinite(v) ? std::clamp(v, 0.0f, 1.0f) : 0.0f; });
    const Frames shrunk = shrink_frames(one, width, height);
    std::copy(shrunk.values.begin(), shrunk.values.end(),
              result.values.begin() + static_cast<std::ptrdiff_t>(small * static_cast<std::size_t>(t)));
  }
  return result;
}

/// Settings are for pictures whose longer side is 256: errors of outlines and followed points grow with the pictures.
FollowSettings follow_settings(FollowSettings settings, const Frames& video) {
  const double scale = std::max(video.width, video.height) / 256.0;
  settings.fit.sigma *= scale;
  settings.outline.reach *= static_cast<float>(scale);
  return settings;
}

scene::Camera camera_for(scene::Camera camera, const Frames& brought, const Frames& video) {
  camera.width = brought.width, camera.height = brought.height;
  return resized(camera, video.width, video.height);
}

}  // namespace

VideoTask make_task(const rig::Subject& subject, const asset::Asset* asset, const Frames& video, double fps,
                    const VideoLiftSettings& settings) {
  VideoTask task{subject, settings, {}, 1, fps, {}, {}, {}, {}, false};
  task.frame_step = (video.frames + settings.max_frames - 1) / settings.max_frames;
  task.fps = fps / task.frame_step;
  task.video = sample_down(video, task.frame_step, settings.max_side);
  if (settings.camera) task.camera = camera_for(*settings.camera, video, task.video);
  task.follow = follow_settings(settings.follow, task.video);
  task.free = settings.free.empty() ? leading_joints(subject) : settings.free;

  splat::SampleSettings sampling;
  sampling.count = static_cast<std::size_t>(std::max(100, settings.gaussians));
  task.gaussians = scene::subject_gaussians(subject, asset, sampling);
  task.has_colors = asset != nullptr;
  if (task.has_colors) light_from_above(task.gaussians, subject);
  return task;
}

std::span<const float> mask_of(const Frames& video, std::span<const float> masks, int frame) {
  const std::size_t plane = static_cast<std::size_t>(video.width) * static_cast<std::size_t>(video.height);
  return masks.subspan(static_cast<std::size_t>(frame) * plane, plane);
}

scene::SceneSettings bare_scene(Device device) {
  scene::SceneSettings settings;
  settings.raster.device = device;
  settings.ground.visible = false;
  settings.hide_depth = -1;
  return settings;
}

Status advance(const Progress& progress, const char* stage, double fraction) {
  if (progress && !progress(stage, fraction)) return cancelled(stage);
  return Done{};
}

Progress part_of(const Progress& whole, double first, double last) {
  if (!whole) return {};
  return [whole, first, last](std::string_view stage, double fraction) {
    return whole(stage, first + (last - first) * fraction);
  };
}

}  // namespace limber::lift
