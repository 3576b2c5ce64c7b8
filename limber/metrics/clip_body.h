// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/kinematics/motion.h"
#include "limber/rig/subject.h"

/// What the checks of finished clips look at: one body, for all its clips.
namespace limber::metrics {

struct ClipBody {
  rig::Subject subject;     ///< +Y is up; knows its limbs; of a skeleton alone the joints' places are its points
  rig::Subject thin;        ///< a few thousand of its points, spread over all of them
  std::vector<bool> shown;  ///< per joint: something that is seen follows it, or what hangs on it
  int trunk = 0;            ///< the joint that carries the body: its turn and place are the body's
  bool has_skin = true;     ///< false: a skeleton alone
  float floor = 0;          ///< height of the floor
};

/// `upright` stands along +Y, one high or long, its lowest point at rest on the floor.
ClipBody make_clip_body(rig::Subject upright);

/// The joint with the largest share in a point, for every point of a subject.
std::vector<int> leaders(const rig::Subject& subject);

/// Points of a subject in one frame, by the bones of that frame.
void pose_points(const rig::Subject& subject, std::span<const Affine> bones, std::vector<Vec3>& posed);

/// Where a body goes over the ground from one frame to another: the way of its trunk, and its turn about +Y.
struct GroundMove {
  Vec3d from, way;  ///< of the trunk; `way` is level
  double turn = 0;  ///< radians, to the left

  /// A point of the later frame, taken back.
  Vec3d undo(Vec3d point) const;
};
GroundMove ground_move(const Affine& trunk_before, const Affine& trunk_after);

}  // namespace limber::metrics
