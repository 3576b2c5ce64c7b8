// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "limber/animate/animation.h"
#include "limber/animate/known_poses.h"
#include "limber/animate/plan.h"
#include "limber/rig/subject.h"

/// How a request is cut into chunks that a network draws at once, whatever the network: what all of them have in
/// common. Private to `animate`.
namespace limber::animate {

/// What chunks are drawn by.
struct ChunkMaker {
  std::span<const prior::ActionWords> actions;  ///< that it was taught
  double fps = 12;
  ChunkRule rule;
};

/// How a request is cut into samples. Frames are the network's, those of a clip that is continued included.
struct MotionPlan {
  std::vector<PromptSegment> segments;
  std::vector<int> ends;      ///< per segment, one after its last frame
  std::vector<Chunk> chunks;  ///< in order
  int before = 0;             ///< frames of a clip that is continued
  int start = 0;              ///< the result's first frame: the last one of these, else 0
  std::optional<int> period;  ///< of a motion whose last chunk leads back to its beginning, in frames
  std::vector<Key> keys;      ///< at their times in these frames
};
MotionPlan plan_motion(const std::string& prompt, const SpanPlan& span, const ChunkMaker& maker,
                       const Anchors& anchors);

/// Seconds of the result that each segment takes.
std::vector<Segment> segments_of(const MotionPlan& plan, double fps);

/// What a person should know of the segments before they are drawn, once each.
std::vector<Warning> warnings_of(std::span<const PromptSegment> segments, std::span<const prior::ActionWords> actions,
                                 const rig::Rig& rig);

/// Poses that the result has exactly: the keyframes, and first of all where the clip ended.
std::vector<Key> keys_of(const Anchors& anchors);

/// How a motion that does not close by itself is drawn once more, so that it does: its first frames are known, and come
/// again after `period` frames.
struct LoopPlan {
  int period = 0;
  std::vector<Key> again;
};
/// `known` frames are given at both ends. None where it closes, or is too short.
std::optional<LoopPlan> plan_loop(const rig::Rig& rig, const kinematics::Motion& motion,
                                  std::span<const metrics::LimbEnd> ends, int known);

/// Drops the frames before `first`, and the way there stays.
void drop_frames(kinematics::Motion& motion, int first);

/// How much limbs move in each segment of the finished motion, and how far the body gets.
void measure_segments(const rig::Subject& subject, bool continues, Animation& animation);

}  // namespace limber::animate
