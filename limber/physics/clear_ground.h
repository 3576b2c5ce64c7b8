// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/kinematics/motion.h"
#include "limber/rig/subject.h"

namespace limber::physics {

/// Raises a motion as a whole, evenly over a fifth of a second, by as much as its skin would be below the ground, and
/// by `most` at most (in the subject's units): what a foot sinks in or a tail dips no eye should see. Nothing is
/// lowered. Returns how far each frame was raised.
std::vector<float> clear_ground(const rig::Subject& subject, float most, kinematics::Motion& motion);

/// An even curve that is nowhere below `needs`, and 0 where nothing is needed within twice `reach` frames. Around the
/// corner for loops.
std::vector<float> even_cover(const std::vector<float>& needs, int reach, bool loops);

}  // namespace limber::physics
