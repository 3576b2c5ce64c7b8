// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/kinematics/motion_energy.h"
#include "limber/pose_space/pose_skeleton.h"
#include "limber/pose_space/pose_state.h"

/// How far a motion is from where somebody would rather have its joints: what the networks of poses and of motions have
/// in common when they are asked about a motion that is fitted to something else.
namespace limber::pose_space {

/// Of every pose joint, the rotation that the rig's angles make where it is as a state says; the root's is the
/// identity.
std::vector<Mat3d> own_turns(const PoseSkeleton& skeleton, std::span<const double> state);

/// Mean squared turn, in radians, from every joint to where it is `wanted`, frames x pose joints: of rotations against
/// the parent, so that heading and place do not matter, and without the root, which nothing but the world knows.
/// Squared turns are taken as 2 - 2 cos, which is as smooth everywhere. `weights`: frames x joints of the rig, how much
/// each counts; empty: all one. `scale` times the gradient is added to `gradient`, which may be empty and is then
/// sized.
double add_turns(const PoseSkeleton& skeleton, const kinematics::Motion& motion, std::span<const Mat3d> wanted,
                 std::span<const float> weights, double scale, kinematics::MotionGradient& gradient);

/// A motion whose joints have gone towards where they are wanted, each the further the less is known of it:
/// `confidence` has a number from 0 to 1 per frame and joint of the rig. The root, riders and overrides stay.
kinematics::Motion lean_on_turns(const PoseSkeleton& skeleton, const kinematics::Motion& motion,
                                 std::span<const Mat3d> wanted, std::span<const float> confidence);

}  // namespace limber::pose_space
