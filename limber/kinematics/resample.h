// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "limber/kinematics/motion.h"

/// Motions in time: other rates, loops cut out of longer motions, and motions on the spot.
namespace limber::kinematics {

/// The travel over the ground from one round of a loop to the next (its height is zero). A motion does not store it: it
/// is what lets a cubic continue smoothly over the seam, which is exact at a steady pace and right to third order for
/// any.
Vec3 loop_lap(const Motion& motion);

/// The motion at another rate, > 0: a cubic spline through the frames, whose velocity and acceleration have no jumps,
/// of the angles as they are. Loops wrap around, with the root travelling on by its lap and angles by whole turns.
/// Overrides follow. Frame 0 stays. The last frame is the last one not after the old end; a loop becomes round(frames *
/// fps / old fps) frames, at least one, its time stretched a little so that they are one round.
Motion resampled(const Motion& motion, double fps);

struct LoopSettings {
  double shortest = 0.35, longest = 2.5;  ///< seconds that a loop may take
};

struct LoopCut {
  Motion motion;
  int first = 0;      ///< frame of the original that it starts from
  double period = 0;  ///< seconds of one round
  double gap = 0;     ///< largest angle of a joint that had to be closed, radians
};

/// Cuts a whole cycle, or several whole ones, out of a motion where it closes best: smallest difference in pose and
/// velocity against how much the cut moves. With `period` > 0 (seconds) a loop is about that long, or a multiple of it
/// within `longest`; otherwise any length in the settings will do. What is left of the difference is spread evenly over
/// the cut, half of it at each end. The root keeps its travel over the ground; height and turn close. None if the
/// motion is too short; a motion that loops already is returned as it is.
std::optional<LoopCut> cut_loop(const Motion& motion, double period, const LoopSettings& settings = {});

/// Takes the steady travel over the ground out of the root: a straight line in least squares, of loops the lap. Frame 0
/// stays. Returns what was taken out, per frame, in the motion's units (heights of the body).
Vec3 remove_travel(Motion& motion);

}  // namespace limber::kinematics
