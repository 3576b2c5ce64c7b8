// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/base/math.h"
#include "limber/kinematics/motion.h"

/// Motions played from another start, faster, longer or shorter.
namespace limber::kinematics {

/// Keeps the first frames.
void cut_motion(Motion& motion, int frames);

/// How to play a motion.
struct Playing {
  double fps = 12;
  int frames = 24;
  double start = 0;     ///< seconds of the motion; before its beginning the first frame holds
  double speed = 1;     ///< seconds of the motion per second
  bool repeat = false;  ///< a loop continues from its end, along its path; otherwise the last frame holds
  Vec3 velocity;        ///< to be added, in lengths per second of the motion, from `start` on
};
Motion play(const Motion& motion, const Playing& playing);

}  // namespace limber::kinematics
