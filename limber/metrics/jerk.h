// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/kinematics/motion.h"
#include "limber/rig/rig.h"

/// Where a motion jerks: motions that were joined show it at their seams.
namespace limber::metrics {

/// Per frame, the largest third difference of a joint's place against the root's, of the root's own path, times fps^3;
/// in heights / s^3. Frame i looks at i - 2 to i + 1; the first two frames and the last have none (0).
std::vector<double> frame_jerk(const rig::Rig& rig, const kinematics::Motion& motion);

/// The same, of all joints and frames the mean: how rough a motion is to the eye, where one foot that lands does not
/// decide.
double mean_jerk(const rig::Rig& rig, const kinematics::Motion& motion);

/// The largest of it near seams, and elsewhere.
struct SeamJerk {
  double seams = 0, within = 0;
};
/// A seam is a frame that something new begins with; `reach` frames on either side belong to it.
SeamJerk seam_jerk(std::span<const double> jerk, std::span<const int> seams, int reach);

}  // namespace limber::metrics
