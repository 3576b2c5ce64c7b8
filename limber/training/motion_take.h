// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "limber/kinematics/motion.h"
#include "limber/motion_space/motion_trainer.h"
#include "limber/training/clip_names.h"

/// A clip as the motion space is taught with it: world turns of joints, which any part of a skeleton can take. Private
/// to training.
namespace limber::training {

struct MotionTake {
  double fps = 24;
  int frames = 0, joints = 0;
  bool loops = false;
  bool once = false;         ///< done once rather than over and over
  bool way_known = true;     ///< else nobody knows how far it got: it was made in place
  int cycles = 1;            ///< how often a loop repeats itself
  std::vector<float> turns;  ///< frames x joints x 6
  std::vector<float> way;    ///< frames x kBodyNumbers: heading and way since the first frame, in its world, height
  std::vector<int> actions;  ///< any of which says it
  motion_space::MotionFacts facts;  ///< beside the action
};

/// Of all joints of a skeleton. `velocity`: what a treadmill took away, in the rig's lengths a second. What bursts, a
/// joint that is somewhere else in the next frame, is cut off. None where little is left, or it does not move.
std::optional<MotionTake> make_take(const pose_space::PoseSkeleton& skeleton, const kinematics::Motion& motion,
                                    Vec3 velocity = {});

/// Where a take is played from, and how fast.
struct TakePlaying {
  double start = 0, speed = 1;
  bool periodic = false;  ///< the frame after the last one is the first
};

/// Two seconds of it for some of its joints, `kept`, of a body that has these alone: smooth between frames.
void play_take(const MotionTake& take, const TakePlaying& playing, const std::vector<int>& kept,
               motion_space::MotionExample& example);

/// Tells which feet stand: low, and nearly still where it is known how far the body goes.
void find_contacts(const pose_space::PoseSkeleton& skeleton, const std::vector<bool>& feet,
                   motion_space::MotionExample& example);

}  // namespace limber::training
