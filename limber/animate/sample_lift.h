// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/lift/ground_speed.h"
#include "limber/lift/view_fit.h"
#include "limber/scene/sketch_view.h"

/// From a video that the built-in prior drew to the motion of the body in it.
namespace limber::animate {

struct SampleLiftSettings {
  lift::ViewFitSettings fit;
  double fps = 12;
  double fastest = 4;  ///< heights a second that a body may cover
  double highest = 0;  ///< heights above the ground that it may keep at; 0: it stands on it
  Vec3 forward{0, 0, 1};
  /// Another pose to start from than the rest, angles of all joints; empty: none. Two opposite views hardly tell how
  /// far a limb points at them, and from the rest pose a fit ends where it first looks right. Both are tried as far as
  /// the first stage goes, and the one that comes nearer is followed.
  std::vector<Vec3> other_start;
};

struct LiftedSample {
  kinematics::Motion motion;
  lift::GroundSpeed ground;
  lift::ViewFitReport fit;
};

/// Fails only if it was cancelled.
Result<LiftedSample> lift_sample(scene::SketchView& view, const Frames& video, const SampleLiftSettings& settings = {});

/// The same where some frames were given to the prior: from a guess that has them, seen by the cameras that follow it.
Result<LiftedSample> lift_from_guess(scene::SketchView& view, const Frames& video, const kinematics::Motion& guess,
                                     const SampleLiftSettings& settings = {});

}  // namespace limber::animate
