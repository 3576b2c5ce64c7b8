// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/kinematics/ground_contact.h"
#include "limber/kinematics/motion.h"
#include "limber/rig/subject.h"

namespace limber::metrics {

using kinematics::GroundContact;

/// What can be said of a motion without watching it, on the ground y = 0. Lengths in subject units, angles in radians.
struct MotionMetrics {
  float slip = 0;         ///< farthest that a planted contact strays over the ground from where it was planted
  float penetration = 0;  ///< deepest point of the skinned surface below the ground
  float hover = 0;        ///< highest that the lowest point of the surface is in any frame with a planted contact
  float skate = 0;        ///< mean speed of planted contacts over the ground, per second; both frames of a step planted
  float mean_penetration = 0;  ///< of the deepest point below the ground, mean over all frames
  float floating = 0;      ///< mean height of the lowest point of the surface over the frames with a planted contact
  float limit_excess = 0;  ///< farthest that an angle leaves its joint's limits; the root is not limited
  float peak_speed = 0;    ///< largest change of a joint's rotation, per second; the root not counted
  float mean_jerk = 0;     ///< mean absolute third difference of the angles, times fps^3
  float loop_gap = 0;      ///< looping motions: largest step of an angle from the last frame to the first, beyond
                           ///< the largest step inside; 0 for others
  int not_finite = 0;      ///< numbers that are NaN or infinite
};

/// `slide_per_frame` is how far the ground moves under a motion in place, against +Z; zero for one that travels.
MotionMetrics motion_metrics(const rig::Subject& subject, const kinematics::Motion& motion,
                             std::span<const GroundContact> contacts, float slide_per_frame = 0);

}  // namespace limber::metrics
