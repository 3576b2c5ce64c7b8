// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/base/rng.h"
#include "limber/kinematics/motion.h"
#include "limber/prior/sketch_trainer.h"
#include "limber/rig/rig.h"
#include "limber/splat/gaussians.h"
#include "limber/training/captions.h"

/// Private to `training`: what all sources of training clips have in common.
namespace limber::training {

/// Faster than this, a cycle has too few frames to be seen as a movement.
inline constexpr double kFramesPerCycle = 8;

/// Draws a motion from a model's views, which stand a little differently each time, and says what it shows.
prior::SketchClip draw_sketch_clip(const prior::SketchModel& model, const rig::Rig& rig,
                                   const splat::Gaussians& surface, const kinematics::Motion& motion,
                                   const ClipFacts& facts, Rng& rng);

}  // namespace limber::training
