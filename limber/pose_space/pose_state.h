// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/kinematics/motion.h"
#include "limber/pose_space/pose_skeleton.h"

/// \file
/// A pose as numbers that mean the same on every rig: how far each joint has moved, and how it has turned in the world.
/// Artists' local axes do not matter, and twist is there. Back again by rotations alone, so that bones keep their
/// lengths exactly.

namespace limber::pose_space {

/// Per joint: position change (3), first and second column of the world rotation change minus the identity's (6: Zhou
/// et al. 2019), in units in which they are usually about one.
inline constexpr int kStateSize = 9;
inline constexpr double kPositionUnit = 0.25;  ///< radii
inline constexpr double kRotationUnit = 0.35;

/// Numbers of all pose joints, kStateSize each.
using PoseState = std::vector<double>;

/// What of a pose is not in its state: where the root is, and which way the body looks.
struct PosePlace {
  Vec3 translation;    ///< Pose::root_translation
  double heading = 0;  ///< turn of the root about up, radians
};

/// A pose joint by joint: world rotation changes and places, in the skeleton's space.
struct PoseShape {
  std::vector<Mat3d> turns;
  std::vector<Vec3d> places;
};

struct EncodedPose {
  PoseState state;
  PosePlace place;
};

/// World rotation changes of all pose joints, without the heading, which goes to `heading` where that is given.
std::vector<Mat3d> turns_of(const PoseSkeleton& skeleton, std::span<const Vec3> angles, double* heading = nullptr);

/// `angles` are those of all joints of the rig; what riders do is lost.
EncodedPose encode_pose(const PoseSkeleton& skeleton, const kinematics::Pose& pose);

/// Angles near those of `previous`, where there are some, so that motions stay continuous. Riders are at rest.
kinematics::Pose decode_pose(const PoseSkeleton& skeleton, std::span<const double> state, const PosePlace& place,
                             std::span<const Vec3> previous = {});

/// The state of rotation changes; places follow from them.
PoseState state_of(const PoseSkeleton& skeleton, std::span<const Mat3d> turns);

/// What a state, which need not be of rotations exactly, says: its rotations made orthonormal, and places from them.
PoseShape shape_of(const PoseSkeleton& skeleton, std::span<const double> state);

/// Vector-Jacobian product of `shape_of`: adds the gradient on the state that gradients on turns and places make.
void shape_backward(const PoseSkeleton& skeleton, std::span<const double> state, const PoseShape& shape,
                    const PoseShape& grad_shape, std::span<double> grad_state);

}  // namespace limber::pose_space
