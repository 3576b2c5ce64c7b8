// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "limber/base/math.h"
#include "limber/base/result.h"
#include "limber/kinematics/motion.h"
#include "limber/rig/rig.h"
#include "limber/splat/gaussians.h"

/// Other bodies and other motions from those that are there.
namespace limber::animate {

/// The rig in a world that `change` maps: turned, mirrored, stretched as it is posed, not bone by bone, so that what
/// stands on the ground in one stands on it in the other. Root translations are mapped likewise.
Result<rig::Rig> changed_rig(const rig::Rig& rig, const Mat3& change);

/// What the red of part colours says is mirrored too.
void mirror_part_colors(splat::Gaussians& surface);

/// Keeps the first frames.
void cut_motion(kinematics::Motion& motion, int frames);

/// How to play a motion.
struct Playing {
  double fps = 12;
  int frames = 24;
  double start = 0;     ///< seconds of the motion; before its beginning the first frame holds
  double speed = 1;     ///< seconds of the motion per second
  bool repeat = false;  ///< a loop goes on from its end, along its way; otherwise the last frame holds
  Vec3 velocity;        ///< to be added, in lengths per second of the motion, from `start` on
};
kinematics::Motion play(const kinematics::Motion& motion, const Playing& playing);

/// Whether motions of one rig make sense on the other: most joints have the same name and are turned alike at rest.
bool are_alike(const rig::Rig& a, const rig::Rig& b);

/// A motion of `from` on `to`: angles of joints with the same name, root and joint translations relative to rest, in
/// proportion to how high the joints are. The rigs must be alike; joints that only one has stay at rest.
kinematics::Motion retarget(const kinematics::Motion& motion, const rig::Rig& from, const rig::Rig& to);

}  // namespace limber::animate
