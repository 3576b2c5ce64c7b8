// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

/// A motion longer than a sample, as samples that overlap. Private to `animate`.
namespace limber::animate {

/// A stretch of a motion that is drawn at once. Frames are those of the whole motion.
struct Chunk {
  int segment = 0;  ///< of the prompt
  int first = 0;    ///< the sample's first frame
  int kept = 0;     ///< of its first frames: the last ones of the chunk before, which it passes through
  int end = 0;      ///< one after the last frame that is used
  int fresh() const { return end - first - kept; }
};

/// How samples overlap: of `frames` each, `kept` frames are known, fewer (but not fewer than `least`) where that saves
/// a chunk.
struct ChunkRule {
  int frames = 24, kept = 8, least = 4;
};

/// Chunks for segments that take `frames` frames each, in order, after `before` frames that are there already. A
/// segment begins with a chunk of its own. Every segment takes at least one frame.
std::vector<Chunk> plan_chunks(std::span<const int> frames, int before, const ChunkRule& rule);

/// `frames` shared out evenly, the rest to the last ones.
std::vector<int> share_frames(int frames, int segments);

}  // namespace limber::animate
