// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/kinematics/motion.h"
#include "limber/pose_space/pose_skeleton.h"
#include "limber/pose_space/pose_state.h"

/// \file
/// Two seconds of a motion as numbers that mean the same on every rig, and back. A frame is a pose of `pose_space`; the
/// way of the body is told against its first frame, so that neither place nor heading drifts by sums of small steps.
///
/// What a network sees is split once more: the mean pose over the clip, which no two artists share, and the motion
/// about it, each in a unit in which it is about one. So are a steady way (how far, how much it turns) and what the
/// root does about that.

namespace limber::motion_space {

inline constexpr int kFrames = 60;
inline constexpr double kFps = 30;
inline constexpr int kFramesPerToken = 4;
/// The first token of a joint is its mean pose, the others are `kFramesPerToken` frames each.
inline constexpr int kTokens = 1 + kFrames / kFramesPerToken;
inline constexpr int kMostJoints = 63;

/// Of a joint in a frame: what `pose_space` has of it, and whether it stands on the ground, 1 or -1 (feet alone).
inline constexpr int kJointNumbers = pose_space::kStateSize + 1;
/// Of the body in a frame: heading against the first frame (radians), way to the left and ahead of that, height of the
/// root over where it is at rest (radii).
inline constexpr int kBodyNumbers = 4;
/// Of a token. Body tokens use the first of them.
inline constexpr int kTokenNumbers = kFramesPerToken * kJointNumbers;

/// Units of the split form, in those of the plain one.
inline constexpr double kMeanUnit = 0.5, kMovingUnit = 0.3;
inline constexpr double kSteadyUnits[kBodyNumbers] = {0.5, 0.5, 2.0, 0.15};  ///< over the whole clip; height: its mean
inline constexpr double kSwayUnits[kBodyNumbers] = {0.1, 0.05, 0.1, 0.05};

struct MotionState {
  int joints = 0;
  std::vector<double> poses;  ///< kFrames x joints x kJointNumbers
  std::vector<double> body;   ///< kFrames x kBodyNumbers

  explicit MotionState(int joint_count = 0);
  std::span<double> frame(int f);
  std::span<const double> frame(int f) const;
};

/// Where the first frame is: see pose_space::PosePlace.
using Start = pose_space::PosePlace;

/// The frames `from` .. `from + kFrames - 1` of a motion at kFps; beyond its end the last one holds. Contacts are those
/// of nobody (-1): motions do not know them.
MotionState encode_motion(const pose_space::PoseSkeleton& skeleton, const kinematics::Motion& motion, int from = 0,
                          Start* start = nullptr);

/// A motion of kFrames at kFps. Riders are at rest. Angles of the first frame are near to `previous` where that is
/// given, so that the motion goes on from there without a whole turn between.
kinematics::Motion decode_motion(const pose_space::PoseSkeleton& skeleton, const MotionState& state,
                                 const Start& start = {}, std::span<const Vec3> previous = {});

/// Takes what shakes out of the numbers of joints and body: a tenth of what moves four times a second and most of what
/// moves eight times and more, as a network's errors do from frame to frame (Whittaker 1923: the nearest
/// curve whose third differences are small). Curves of the second degree stay as they are. Contacts stay.
void smooth_state(MotionState& state);

/// Tokens row by row, [kTokens, 1 + joints, kTokenNumbers]: the body first, then the joints.
using Tokens = std::vector<float>;
Tokens split_state(const MotionState& state);
MotionState join_tokens(std::span<const float> tokens, int joints);

}  // namespace limber::motion_space
