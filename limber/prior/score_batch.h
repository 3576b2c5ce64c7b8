// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/prior/video_prior.h"

/// Several videos, each of its own body and prompt, judged in one pass of the network: on a GPU that takes hardly
/// longer than one.
namespace limber::prior {

struct VideoToScore {
  const Frames& frames;
  const Condition& condition;
  const ScoreSettings& settings;
};

struct ScoredVideo {
  ScoreReport report;  ///< its seconds are those of all videos together
  Frames grad_frames;
};

/// `VideoPrior::score` of every video, in order. In one pass where the prior is the built-in one and all ask for as
/// many draws, else one after the other. In what order sums are made depends on how many there are, so the last bits
/// may.
Result<std::vector<ScoredVideo>> score_videos(VideoPrior& prior, std::span<const VideoToScore> videos);

}  // namespace limber::prior
