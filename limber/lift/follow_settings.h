// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

/// What can be set of following a body through a video, apart from how it is done. Pixels are those of the pictures
/// that are looked at.
namespace limber::lift {

/// How a patch of one image is found in another (patch_match.h).
struct PatchSettings {
  int radius = 7;                ///< the window has 2 radius + 1 pixels a side, on every level
  int levels = 3;                ///< of the pyramids that are used, at most
  int iterations = 12;           ///< per level
  float min_eigenvalue = 5e-5f;  ///< of the structure tensor's mean over the window: less has nothing to hold on to
};

/// How points of the skin are followed (surface_tracks.h).
struct SurfaceTrackSettings {
  int per_joint = 30;         ///< points that are followed for a joint
  int max_live = 600;         ///< points that are followed at once
  int refresh_below = 8;      ///< a joint with fewer live points gets new ones
  int refresh_every = 8;      ///< frames
  float spacing = 4;          ///< pixels between points
  int margin = 1;             ///< pixels from the silhouette and from edges in depth
  float min_share = 0.6f;     ///< of a point's weight that must be its joint's
  float min_ncc = 0.8f;       ///< of a patch that is taken for the same
  float max_return = 1;       ///< pixels: followed there and back, a point must come home
  float search = 6;           ///< pixels around the pose's prediction in which a lost point is looked for
  float depth_slack = 0.02f;  ///< heights that a point may lie behind the drawn surface and count as seen
  PatchSettings patch;
};

/// How a pose is fitted to where points were seen (track_fit.h).
struct TrackFitSettings {
  double sigma = 1;  ///< pixels: standard deviation of a good sighting
  /// Scales of the Geman-McClure loss, in sigma, wide to narrow: errors far beyond the last do not pull.
  std::vector<double> robust_scales{24, 8, 3};
  int iterations = 8;         ///< of Levenberg-Marquardt, per scale
  double limit_sigma = 0.05;  ///< radians beyond a joint's limits that cost as much as an error of sigma
};

/// How outlines are compared (outline_match.h).
struct OutlineSettings {
  int max_points = 200;
  float reach = 12;  ///< pixels across the outline in which the mask's edge is looked for
};

/// Standard deviations of a joint's turn from where it is at ease, radians.
struct BendHabit {
  double twist = 0.06;     ///< about the bone
  double stride = 0.25;    ///< about the body's left-right axis
  double sideways = 0.15;  ///< about the third
};

/// How a body is followed through a video (follow_surface.h).
struct FollowSettings {
  SurfaceTrackSettings tracks;
  TrackFitSettings fit;
  OutlineSettings outline;
  double outline_weight = 1.5;  ///< of a point of the outline beside a followed one
  double missing_weight = 1;    ///< of a point that may explain what the body leaves out of the mask
  double turn_rate = 6;         ///< radians a second: how much a joint's turn may surprise
  double root_rate = 0.8;       ///< heights a second, likewise
  BendHabit habit;              ///< how joints turn from the first pose without evidence
  int sweeps = 2;               ///< over the whole clip at the end, each frame between its neighbours
};

}  // namespace limber::lift
