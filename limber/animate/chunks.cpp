// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/chunks.h"

#include <algorithm>
#include <string>

#include "limber/base/expect.h"

namespace limber::animate {

std::vector<Chunk> plan_chunks(std::span<const int> frames, int before, const ChunkRule& rule) {
  LIMBER_EXPECT(rule.least >= 1 && rule.kept >= rule.least && rule.frames > rule.kept, std::to_string(rule.frames));
  std::vector<Chunk> chunks;
  int at = before, end = before;
  for (std::size_t segment = 0; segment < frames.size(); ++segment) {
    LIMBER_EXPECT(frames[segment] >= 1, std::to_string(frames[segment]));
    end += frames[segment];
    while (at < end) {
      Chunk chunk;
      chunk.segment = static_cast<int>(segment);
      const int rest = end - at;
      const bool fits = rest + rule.least <= rule.frames;
      chunk.kept = std::min({at, rule.kept, fits ? rule.frames - rest : rule.kept});
      chunk.first = at - chunk.kept;
      chunk.end = std::min(chunk.first + rule.frames, end);
      // A last chunk that is nearly all known, at its beginning and, in a loop, at its end, has no room to move: the
      // two last ones share what is left.
      const int left = end - chunk.end, most = rule.frames - rule.kept;
      if (left > 0 && left <= 2 * rule.least) chunk.end = at + std::max((rest + 1) / 2, rest - most);
      at = chunk.end;
      chunks.push_back(chunk);
    }
  }
  return chunks;
}

std::vector<int> share_frames(int frames, int segments) {
  std::vector<int> shares;
  for (int i = 0; i < segments; ++i) shares.push_back(std::max(1, (i + 1) * frames / segments - i * frames / segments));
  return shares;
}

}  // namespace limber::animate
