// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/animate/animation.h"
#include "limber/animate/known_poses.h"
#include "limber/prior/video_prior.h"

/// The built-in prior's way: samples of the body itself, one chunk after the other, joined and finished. Private to
/// `animate`.
namespace limber::animate {

/// How a request is cut into samples. Frames are the prior's, those of a clip that is continued included.
struct MotionPlan {
  std::vector<PromptPart> parts;
  std::vector<int> ends;      ///< per part, one after its last frame
  std::vector<Chunk> chunks;  ///< in order
  int before = 0;             ///< frames of a clip that is continued
  int start = 0;              ///< the result's first frame: the last one of these, else 0
  std::optional<int> period;  ///< of a motion whose last chunk leads back to its beginning, in frames
  std::vector<Key> keys;      ///< at their times in these frames
};
MotionPlan plan_motion(const Request& request, const prior::PriorInfo& info, const Anchors& anchors);

/// `subject` stands upright and faces +Z; `anchors` are in its world.
Result<Animation> sample_motion(const rig::Subject& subject, prior::VideoPrior& prior, const Request& request,
                                const Anchors& anchors);

}  // namespace limber::animate
