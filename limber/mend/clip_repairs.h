// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/kinematics/motion.h"
#include "limber/mend/clip_checks.h"

/// Repairs of one clip, of the upright body. Motions have their last frame and do not `loop`. Private to `mend`.
namespace limber::mend {

/// Fills single frames in which a joint turns over and back from those around it.
void fill_flips(const metrics::ClipBody& body, kinematics::Motion& motion);

/// Takes out what turns or moves a body away that should stay, or lead one astray that should go straight.
void take_out_drift(const metrics::ClipBody& body, kinematics::Motion& motion);

/// Lets the last frame be the first one again, but for where the body got: appends it where it is all that lacks, else
/// spreads the difference evenly over the clip; then lets velocities meet.
void close_clip(const metrics::ClipBody& body, kinematics::Motion& motion);

/// Brings stances down to the floor, by moving the whole body where all of it hovers, and its legs where they do.
void touch_floor(const metrics::ClipBody& body, const std::string& name, kinematics::Motion& motion);

/// Takes out of the floor what is below it: the body as a whole where its feet are, else legs, what hangs, and the rest
/// last.
void rise_from_floor(const metrics::ClipBody& body, const std::string& name, kinematics::Motion& motion);

}  // namespace limber::mend
