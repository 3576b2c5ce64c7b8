// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/base/frames.h"
#include "limber/base/progress.h"
#include "limber/base/result.h"
#include "limber/lift/bend_habit.h"
#include "limber/lift/follow_settings.h"
#include "limber/lift/outline_match.h"
#include "limber/lift/surface_tracks.h"
#include "limber/lift/track_fit.h"

/// Follows a body through a video from a frame whose pose is known: points of its skin and its outline say where it
/// goes, frame by frame, both ways.
namespace limber::lift {

struct FollowedFrame {
  double residual = 0;      ///< of followed points and outline that agree, pixels
  double inlier_share = 0;  ///< of both
  int live = 0;             ///< points followed
  bool lost = false;        ///< nothing to go by: the pose is that of its neighbours
};

struct Followed {
  kinematics::Motion motion;
  SurfaceTracks tracks;
  std::vector<FollowedFrame> frames;
};

/// `pictures`: one view; `masks`: frames x pixels, 0 to 1. `free` per joint, empty: all. Deterministic; fails only if
/// it was cancelled.
Result<Followed> follow_surface(const rig::Subject& subject, const scene::Camera& camera, const Frames& pictures,
                                std::span<const float> masks, int first, const kinematics::Pose& start, double fps,
                                const std::vector<bool>& free, const FollowSettings& settings = {},
                                const Progress& progress = {});

/// The pose near `start` whose outline comes nearest to that of one mask, bending from `ease` by habit. For a frame
/// that nothing else is known of; `rounds` of looking for the outline again.
kinematics::Pose fit_outline(const rig::Subject& subject, const scene::Camera& camera, std::span<const float> mask,
                             const kinematics::Pose& start, const kinematics::Pose& ease, const std::vector<bool>& free,
                             const FollowSettings& settings = {}, int rounds = 6);

}  // namespace limber::lift
