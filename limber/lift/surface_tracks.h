// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "limber/lift/follow_settings.h"
#include "limber/lift/patch_match.h"
#include "limber/lift/pose_model.h"
#include "limber/lift/surface_view.h"
#include "limber/lift/track_fit.h"

/// Points of a known skin, followed through a video. Joints are inside the body and cannot be seen; the skin can, and
/// the rig explains it.
namespace limber::lift {

/// A point of the skin.
struct SurfaceTrack {
  std::uint32_t triangle = 0;
  Vec3 barycentric;
  int joint = 0;         ///< the free joint that moves it most
  int seeded = 0;        ///< frame of its patch
  Vec2 seed_pixel;       ///< there
  PatchWarp seed_edges;  ///< the triangle's edges in that image, as columns
};

/// Where a point was seen in a frame.
struct TrackedPoint {
  Vec2 pixel;
  float confidence = 0;  ///< 0: not seen
};

struct SurfaceTracks {
  int frames = 0;
  std::vector<SurfaceTrack> tracks;
  std::vector<SkinPoint> points;      ///< per track
  std::vector<TrackedPoint> tracked;  ///< tracks x frames

  TrackedPoint& at(std::size_t track, int frame) {
    return tracked[track * static_cast<std::size_t>(frames) + static_cast<std::size_t>(frame)];
  }
  const TrackedPoint& at(std::size_t track, int frame) const {
    return const_cast<SurfaceTracks*>(this)->at(track, frame);
  }
  /// What was seen in a frame, for `fit_pose` with `points`.
  std::vector<PointSighting> sightings(int frame) const;
  int live(int frame) const;
};

/// Follows points through a video seen by one camera. The caller says, frame by frame, what the pose is.
class SurfaceTracker {
 public:
  /// `viewer` and `pyramids` (per frame) must outlive the tracker. `free` per joint, empty: all; points of a joint that
  /// is not free belong to its nearest free ancestor.
  SurfaceTracker(const SurfaceViewer& viewer, const scene::Camera& camera, std::span<const Pyramid> pyramids,
                 const std::vector<bool>& free, const SurfaceTrackSettings& settings = {});

  const SurfaceTracks& tracks() const { return tracks_; }
  SurfaceTracks take() && { return std::move(tracks_); }

  /// New points where joints have few. `view` is the surface as the viewer stands and the camera sees it, in `frame`.
  void seed(int frame, const SurfaceView& view);

  /// Follows the points that are live in `from` to the frame `to`, starting where `predicted` poses them: both frames'
  /// poses as the models have them.
  void advance(int from, int to, const PoseModel& pose, const PoseModel& predicted);

  /// With the pose of `frame` known to the viewer: drops what the body hides, looks at patches again as they were when
  /// seeded, and takes lost points up again.
  void verify(int frame, const SurfaceView& view);

 private:
  bool visible(const SurfaceView& view, const ImagePoint& at) const;
  bool edges_at(std::uint32_t triangle, PatchWarp& edges) const;
  std::vector<int> live_per_joint(int frame) const;

  struct Candidate;
  /// Of a point's weight, what is moved by a free joint.
  double share_of(int joint, const SkinPoint& point) const;
  /// Every pixel, away from edges, that shows a joint with few live points; the richest in texture first.
  std::vector<Candidate> candidates(int frame, const SurfaceView& view, const std::vector<int>& live) const;
  /// A track that begins there; none where the surface is seen edge-on.
  std::optional<SurfaceTrack> track_at(const Candidate& candidate, int frame, const SurfaceView& view) const;

  const SurfaceViewer* viewer_;
  scene::Camera camera_;
  std::span<const Pyramid> pyramids_;
  SurfaceTrackSettings settings_;
  std::vector<int> free_ancestor_;  ///< per joint, itself where it is free
  int free_count_ = 0;
  SurfaceTracks tracks_;
};

}  // namespace limber::lift
