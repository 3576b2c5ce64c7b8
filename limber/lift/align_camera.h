// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/base/frames.h"
#include "limber/scene/cameras.h"
#include "limber/scene/scene.h"

/// Where the camera of a picture stood, from the silhouette of a body that is known, and from its colours.
namespace limber::lift {

class SurfaceViewer;

/// A camera around a body: angles as in scene::OrbitSettings, the rest in heights of the body.
struct OrbitPlace {
  double azimuth = 0, elevation = 0;
  double distance = 3;
  double right = 0, down = 0;  ///< of the body's middle from the picture's, at its distance
};
scene::Camera orbit_camera(const OrbitPlace& place, Vec3 middle, float vertical_fov, int width, int height);

struct AlignSettings {
  float vertical_fov = 0.6f;  ///< radians, a guess: silhouettes hardly tell
  int azimuths = 24;
  std::vector<float> elevations{-0.15f, 0.1f, 0.35f, 0.7f, 1.15f};  ///< radians
  int size = 64;                                                    ///< pixels of the pictures that are compared
  int refined = 6;                                                  ///< of the best ones that are improved
  double color_weight = 0.3;  ///< of the colours' correlation beside the silhouettes' overlap
};

/// One way to see a picture.
struct CameraCandidate {
  OrbitPlace place;
  double overlap = 0;      ///< of the silhouettes: intersection over union
  double color_match = 0;  ///< correlation of colours, -1 to 1; 0 where there is nothing to compare
  double score = 0;        ///< both, less what speaks against so odd a camera
};

struct CameraAlignment {
  scene::Camera camera;  ///< for the picture's size
  OrbitPlace place;
  double overlap = 0;                       ///< of the silhouettes: intersection over union
  double color_match = 0;                   ///< correlation of colours, -1 to 1; 0 where there is nothing to compare
  double score = 0;                         ///< both
  std::vector<CameraCandidate> candidates;  ///< best first, at least 20 degrees apart
  /// Another camera, at least 30 degrees away, explains the picture about as well: front and back, or left and right,
  /// may be mixed up.
  bool ambiguous = false;
  OrbitPlace other;
};

/// The camera from which the body, posed as the viewer has it, looks most like the picture. `mask` is 0 to 1 per
/// pixel of `picture`'s frame `frame` (one view). `colors` draws the same pose's colours where there are any: a Scene
/// and the pose as a motion of one frame; may be null.
struct AlignColors {
  scene::Scene* scene = nullptr;
  const kinematics::Motion* pose = nullptr;
};
CameraAlignment align_camera(SurfaceViewer& viewer, std::span<const float> mask, const Frames& picture, int frame,
                             const AlignColors& colors, const AlignSettings& settings = {});

/// The best camera near a place: the last step of `align_camera` alone.
CameraAlignment refine_camera(SurfaceViewer& viewer, std::span<const float> mask, const Frames& picture, int frame,
                              const AlignColors& colors, const OrbitPlace& place, const AlignSettings& settings = {});

/// How unusual a camera is: from below the ground, or from far above.
double oddness(const OrbitPlace& place);
/// Angle between two lines of sight, radians.
double angle_apart(const OrbitPlace& a, const OrbitPlace& b);

/// A picture of another size, averaged: one channel.
std::vector<float> shrink(std::span<const float> image, int width, int height, int to_width, int to_height);
/// The same for all channels and frames of a video. Never enlarges.
Frames shrink_frames(const Frames& video, int to_width, int to_height);

}  // namespace limber::lift
