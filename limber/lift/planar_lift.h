// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/kinematics/motion.h"
#include "limber/lift/surface_tracks.h"
#include "limber/rig/rig.h"
#include "limber/scene/cameras.h"

/// Motion in the plane of the picture: the first rung of the ladder, after AnimaSpark's idea that many motions live in
/// two dimensions. Exact for a swing in the picture's plane seen from far away.
namespace limber::lift {

struct PlanarLiftSettings {
  /// Lets bones turn out of the plane as far as their shortening says; which way is the nearer to the frame before.
  bool foreshortening = false;
  /// Pixels that points are off by. By as much a bone may look longer or shorter without turning out of the plane: near
  /// the plane it shortens hardly at all while it turns, so that noise would become large turns. And a bone that is
  /// hardly longer goes along with what it hangs on.
  float pixel_noise = 0;
  /// For a first frame that is no part of the motion: in all others what leaves and comes back at once is dropped, what
  /// is hidden lies between frames in which it is not, and joints keep to their limits.
  bool clean = false;
  int min_points = 3;        ///< of a bone that must be seen in the frame and in the first
  float min_length = 0.25f;  ///< share of a bone's length that the plane must show; less points at the camera
};

struct PlanarLift {
  kinematics::Motion motion;
  /// Frames x joints, 0 to 1: how much of the bone the plane shows where it was measured; 0 where it was not, and the
  /// joint just goes along with its parent.
  std::vector<float> weights;
};

/// What one camera saw.
struct PlanarView {
  const SurfaceTracks& tracks;
  scene::Camera camera;
};

/// Turns bones about the line of sight through their joints so that their points come nearest to where they were seen,
/// root to leaf, each in the view that shows it longest and most. `start` is the pose in frame `first`; points that
/// were not seen there do not count.
PlanarLift planar_lift(const rig::Rig& rig, std::span<const PlanarView> views, int first, const kinematics::Pose& start,
                       double fps, const PlanarLiftSettings& settings = {});
PlanarLift planar_lift(const rig::Rig& rig, const SurfaceTracks& tracks, const scene::Camera& camera, int first,
                       const kinematics::Pose& start, double fps, const PlanarLiftSettings& settings = {});

}  // namespace limber::lift
