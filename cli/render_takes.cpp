// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "render_takes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "limber/base/files.h"

namespace limber::cli {
namespace {

constexpr int kMaxCanvas = 1 << 27;  ///< pixels of a frame with all its panels, or of a sheet

/// Only letters that any file's name may have.
std::string file_word(std::string name) {
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.') c = '_';
  }
  if (!name.empty() && name[0] == '.') name[0] = '_';  // nothing hidden, and no way up to another folder
  return name.empty() ? "clip" : name;
}

/// The clips' names fit for files'; with their numbers where several have one name.
std::vector<std::string> clip_names(const asset::Asset& asset) {
  std::map<std::string, int> uses;
  for (const asset::Clip& clip : asset.clips) ++uses[file_word(clip.name)];
  std::vector<std::string> names;
  for (std::size_t i = 0; i < asset.clips.size(); ++i) {
    std::string name = file_word(asset.clips[i].name);
    if (uses[name] > 1) {
      name += fmt::format("_{}", i);
      while (uses[name] > 0) name += '_';
      uses[name] = 1;
    }
    names.push_back(std::move(name));
  }
  return names;
}

Result<std::vector<double>> frame_times(const asset::Asset& asset, int clip, const RenderOptions& options,
                                        const RenderPlan& plan) {
  if (options.time) return std::vector<double>{*options.time};
  const double duration = clip < 0 ? 0 : double(asset.clips[static_cast<std::size_t>(clip)].duration());
  const bool sheet = plan.output.kind == OutputKind::kSheet;
  double count = options.frames;
  if (count == 0 && sheet) {
    count = std::floor(double(plan.output.columns) * plan.output.rows /
                       static_cast<double>(clips_together(plan.output, plan.clips)));
  }
  if (count == 0 && plan.output.kind == OutputKind::kPicture) count = 1;
  // A turntable takes four seconds, or as long as what it shows.
  const double seconds = plan.orbit.turn > 0 ? std::max(duration, 4.0) : duration;
  if (count == 0) count = std::max(1.0, std::round(seconds * options.fps));
  if (!(count <= kMaxFrames)) {
    return Error{fmt::format("{:.0f} frames are more than {}; see --frames and --fps", count, kMaxFrames), asset.name};
  }
  std::vector<double> times;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    // A sheet shows the whole clip, evenly; a video its moments in time, again and again.
    const double time = sheet ? duration * i / count : i / options.fps;
    times.push_back(duration > 0 ? std::fmod(time, duration) : 0);
  }
  return times;
}

/// Cameras of a take: from a file, or around the body.
Status place_cameras(const asset::Asset& asset, const scene::Body& body, const RenderOptions& options,
                     const RenderPlan& plan, Take& take) {
  if (options.cameras) {
    LIMBER_TRY(const Bytes bytes, read_file(*options.cameras, std::uint64_t{1} << 30));
    LIMBER_TRY(scene::CameraList list, scene::cameras_from_json(std::string(as_text(bytes)), *options.cameras,
                                                                static_cast<int>(take.times.size())));
    take.cameras = std::move(list.cameras);
    take.views = list.views;
    return Done{};
  }
  std::vector<std::vector<Vec3>> outlines;
  scene::BodyPose pose;
  const std::vector<std::uint32_t> seen = scene::seen_points(body.mesh());
  std::vector<Vec3> points;
  for (const double time : take.times) {
    if (take.clip < 0 && !outlines.empty()) {
      outlines.push_back(outlines[0]);
      continue;
    }
    body.pose(state_at(asset, take.clip, time), pose);
    points.clear();
    for (const std::uint32_t i : seen) points.push_back(pose.points[i]);
    outlines.push_back(scene::outline(seen.empty() ? pose.joints : points));
  }
  take.views = plan.orbit.views;
  take.cameras = scene::orbit_cameras(outlines, options.fps, plan.orbit);
  return Done{};
}

/// Whether the pictures that the cameras of a take ask for fit into memory.
Status check_size(const RenderPlan& plan, const Take& take, const std::string& where) {
  const bool sheet = plan.output.kind == OutputKind::kSheet;
  const double tiles = sheet ? double(plan.output.columns) * plan.output.rows : 1, gap = sheet ? kSheetGap : 0;
  const scene::Camera& camera = take.cameras[0];
  const double pixels =
      (camera.width + gap) * (camera.height + gap) * static_cast<double>(plan.layers.size()) * take.views * tiles;
  if (pixels > kMaxCanvas)
    return Error{fmt::format("a picture of {:.0f} pixels is too large", pixels), where, ErrorKind::kOutOfMemory};
  return Done{};
}

}  // namespace

asset::NodeState state_at(const asset::Asset& asset, int clip, double time) {
  return clip < 0 ? asset::rest_state(asset)
                  : asset::clip_state(asset, asset.clips[static_cast<std::size_t>(clip)], time);
}

Result<std::vector<Take>> make_takes(const asset::Asset& asset, const scene::Body& body, const RenderOptions& options,
                                     const RenderPlan& plan) {
  std::vector<Take> takes;
  const std::vector<std::string> names = clip_names(asset);
  for (const int clip : plan.clips) {
    Take take;
    take.clip = clip;
    take.name = clip < 0 ? "rest" : names[static_cast<std::size_t>(clip)];
    LIMBER_TRY(take.times, frame_times(asset, clip, options, plan));
    LIMBER_CHECK_OK(place_cameras(asset, body, options, plan, take));
    LIMBER_CHECK_OK(check_size(plan, take, options.cameras.value_or("--size")));
    takes.push_back(std::move(take));
  }
  if (options.write_cameras) {
    if (takes.size() > 1) return Error{"cameras of several clips do not fit into one file", *options.write_cameras};
    LIMBER_CHECK_OK(write_file(*options.write_cameras, scene::cameras_to_json(takes[0].cameras, takes[0].views)));
  }
  return takes;
}

}  // namespace limber::cli
