// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/base/frames.h"
#include "limber/kinematics/motion.h"
#include "limber/lift/ground_speed.h"
#include "limber/rig/subject.h"
#include "limber/scene/sketch_view.h"

/// AnimaSpark's way from a video to a motion, for pictures in which parts are painted: joints are followed on the plane
/// of the picture, as the middle of their part's colour and its borders with other parts, and bones turn as they do.
/// No picture is drawn and compared but that of the body at rest.
namespace limber::lift {

struct PlanarPartsSettings {
  double fps = 12;
  double fastest = 4;  ///< heights a second that a body may cover
  double highest = 0;  ///< heights above the ground that it may keep at; 0: it stands on it
  Vec3 forward{0, 0, 1};
  bool foreshortening = true;  ///< bones turn out of the plane as far as they look shorter
};

struct PlanarParts {
  kinematics::Motion motion;
  GroundSpeed ground;
  /// Frames x joints, 0 to 1: how much of the joint's bone the plane shows in the view that was taken for it; 0 where
  /// it was not seen in a frame, or leads no part.
  std::vector<float> weights;
  double seen = 0;  ///< mean weight of the joints that lead parts
};

/// `video` as the built-in prior draws it: all views of `view`. Every joint follows the view that shows its bone longer
/// and oftener (pose_and_lift.md 3.4, bone by bone); frames in which it is hidden lie between those in which it is not.
PlanarParts lift_planar(const rig::Subject& subject, scene::SketchView& view, const Frames& video,
                        const PlanarPartsSettings& settings = {});

}  // namespace limber::lift
