// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/animate/made.h"
#include "limber/animate/motion_plan.h"
#include "limber/prior/video_prior.h"

/// The built-in prior's way: samples of the body itself, one chunk after the other, joined. Private to
/// `animate`.
namespace limber::animate {

/// How the prior draws chunks.
ChunkMaker chunk_maker(const prior::PriorInfo& info);

/// Up to this share of the progress a motion is drawn; from there on it is put on the ground.
inline constexpr double kSampled = 0.9;

/// `anchors` are in the world of the upright body.
Result<Made> sample_motion(const BySample& plan, const Context& context, prior::VideoPrior& prior,
                           const Anchors& anchors);

}  // namespace limber::animate
