// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/animate/motion_plan.h"
#include "limber/prior/video_prior.h"

/// The built-in prior's way: samples of the body itself, one chunk after the other, joined and finished. Private to
/// `animate`.
namespace limber::animate {

/// How the prior draws chunks.
ChunkMaker chunk_maker(const prior::PriorInfo& info);

/// `subject` stands upright and faces +Z; `anchors` are in its world.
Result<Animation> sample_motion(const rig::Subject& subject, prior::VideoPrior& prior, const Request& request,
                                const Anchors& anchors);

}  // namespace limber::animate
