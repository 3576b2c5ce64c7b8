// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/chunks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace limber::animate {
namespace {

/// Chunks follow each other without a gap, each after enough frames that are known.
void expect_whole(const std::vector<Chunk>& chunks, int before, int total, const ChunkRule& rule) {
  int at = before;
  for (const Chunk& chunk : chunks) {
    EXPECT_EQ(chunk.first + chunk.kept, at);
    EXPECT_GE(chunk.first, 0);
    EXPECT_LE(chunk.end - chunk.first, rule.frames);
    EXPECT_GE(chunk.fresh(), 1);
    EXPECT_GE(chunk.kept, std::min(at, rule.least));
    at = chunk.end;
  }
  EXPECT_EQ(at, before + total);
}

TEST(PlanChunks, KeepsEightFramesAndMakesSixteenMore) {
  const std::vector<int> frames{24 + 16 + 16};
  const std::vector<Chunk> chunks = plan_chunks(frames, 0, {});
  ASSERT_EQ(chunks.size(), 3u);
  EXPECT_EQ(chunks[0].kept, 0);
  EXPECT_EQ(chunks[0].end, 24);
  EXPECT_EQ(chunks[1].first, 16);
  EXPECT_EQ(chunks[1].kept, 8);
  EXPECT_EQ(chunks[2].fresh(), 16);
}

TEST(PlanChunks, BeginsEverySegmentWithAChunkOfItsOwn) {
  const std::vector<int> frames{32, 32, 33};
  const std::vector<Chunk> chunks = plan_chunks(frames, 0, {});
  expect_whole(chunks, 0, 97, {});
  ASSERT_EQ(chunks.size(), 6u) << "the odd frame is no chunk of its own";
  int segment = -1;
  for (const Chunk& chunk : chunks) {
    if (chunk.segment == segment) continue;
    segment = chunk.segment;
    EXPECT_EQ(chunk.first + chunk.kept, 32 * segment);
  }
  EXPECT_EQ(segment, 2);
}

TEST(PlanChunks, SharesTheRestOfTheWayBetweenTheLastTwo) {
  // 24 and 16 frames, and 5 more: of a loop, four of these are known.
  const std::vector<Chunk> chunks = plan_chunks(std::vector<int>{24 + 16 + 5}, 0, {});
  expect_whole(chunks, 0, 45, {});
  ASSERT_EQ(chunks.size(), 3u);
  EXPECT_EQ(chunks[1].fresh(), 11);
  EXPECT_EQ(chunks[2].fresh(), 10);
  for (int frames = 25; frames < 200; ++frames) {
    const std::vector<Chunk> all = plan_chunks(std::vector<int>{frames}, 0, {});
    expect_whole(all, 0, frames, {});
    EXPECT_GT(all.back().fresh(), 8) << frames;
  }
}

TEST(PlanChunks, LeavesNoGapWhateverTheLengths) {
  const ChunkRule rule{16, 6, 3};
  for (int before : {0, 1, 8}) {
    for (int a = 1; a < 40; a += 3) {
      for (int b = 1; b < 40; b += 4) {
        const std::vector<int> frames{a, b};
        expect_whole(plan_chunks(frames, before, rule), before, a + b, rule);
      }
    }
  }
}

TEST(ShareFrames, AddsUp) {
  for (const int segments : {1, 2, 3, 7}) {
    const std::vector<int> shares = share_frames(97, segments);
    EXPECT_EQ(static_cast<int>(shares.size()), segments);
    EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), 0), 97);
  }
}

}  // namespace
}  // namespace limber::animate
