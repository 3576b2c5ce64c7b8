// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/kinematics/motion.h"
#include "limber/rig/rig.h"

namespace limber::metrics {

/// How far a motion is from the true one, means over frames and joints. The root is not compared but taken out: a video
/// tells where a body is only relative to its camera.
struct PoseError {
  double angle = 0;  ///< of local rotations, radians
  double position =
      0;  ///< of joints relative to the root, of the skeleton's radius (largest rest distance from the root)
};

/// Motions of one rig with as many frames. `joints` says whose angles count; empty: all. Positions are of all joints.
PoseError pose_error(const rig::Rig& rig, const kinematics::Motion& motion, const kinematics::Motion& truth,
                     const std::vector<bool>& joints = {});

/// Angle between the local rotations of one joint in one frame of two motions, radians.
double joint_angle_error(const kinematics::Motion& motion, const kinematics::Motion& truth, int frame, int joint);

/// PCK: the share of points within `share` of the longer side of the true points' box, all points of one picture.
double correct_points(std::span<const Vec2> points, std::span<const Vec2> truth, double share = 0.05);

}  // namespace limber::metrics
