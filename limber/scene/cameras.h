// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "limber/base/math.h"
#include "limber/base/result.h"
#include "limber/splat/camera.h"

/// Where the viewer stands: cameras for every view and frame of a clip.
namespace limber::scene {

using splat::Camera;

/// An axis-aligned box.
struct Box {
  Vec3 low{1e30f, 1e30f, 1e30f}, high{-1e30f, -1e30f, -1e30f};
  bool empty() const { return low.x > high.x; }
  Vec3 center() const { return 0.5f * (low + high); }
  Vec3 size() const { return high - low; }
  void add(Vec3 point);
  void add(const Box& other);
};

/// A camera that circles a body. Angles in radians: azimuth 0 looks at the body's front (from +Z towards -Z), growing
/// towards its left side (+X); elevation above the horizon.
struct OrbitSettings {
  float azimuth = 0.7f, elevation = 0.25f;
  float turn = 0;             ///< azimuth that is added over the clip: 2 pi makes a turntable
  float fill = 0.8f;          ///< of the image that the body takes, in the tighter direction
  float vertical_fov = 0.6f;  ///< radians
  int width = 512, height = 512;
  int views = 1;                    ///< spread evenly around: two views are opposite
  bool follow = true;               ///< move along with the body's box
  float follow_seconds = 0.5f;      ///< standard deviation of the Gaussian that smooths the path of the box's centre
  std::vector<float> view_azimuth;  ///< instead of the even spread: azimuth of each view
};

/// Cameras, views x frames, for a body whose box is known in every frame. The distance is fixed for the clip: that from
/// which the largest of the boxes fills the image as asked, at any azimuth of the clip.
std::vector<Camera> orbit_cameras(std::span<const Box> frame_boxes, double fps, const OrbitSettings& settings);

/// The same for a body of which points are known in every frame: comes nearer than its box would allow.
std::vector<Camera> orbit_cameras(std::span<const std::vector<Vec3>> frame_points, double fps,
                                  const OrbitSettings& settings);

/// The few points that lie farthest out, in 96 directions: enough to frame a body, to a hundredth of its size. Points
/// that are not finite are left out.
std::vector<Vec3> outline(std::span<const Vec3> points);

/// Cameras as JSON: a list of views, each a list of one camera per frame (or one for all): width, height, fx, fy, cx,
/// cy and camera_from_world as three rows of four; x right, y down, z forward.
std::string cameras_to_json(std::span<const Camera> cameras, int views);
struct CameraList {
  int views = 0, frames = 0;
  std::vector<Camera> cameras;  ///< views x frames
};
inline constexpr int kMaxViews = 64;  ///< of a file
/// `frames`: how many are needed; a view with a single camera is repeated, any other count is an error.
Result<CameraList> cameras_from_json(const std::string& text, const std::string& name, int frames);

}  // namespace limber::scene
