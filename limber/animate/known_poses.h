// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "limber/animate/chunks.h"
#include "limber/animate/join.h"
#include "limber/animate/plan.h"
#include "limber/animate/upright.h"
#include "limber/asset/asset.h"
#include "limber/kinematics/motion.h"

/// Poses that are given before anything is drawn: where a clip or a chunk ended, keyframes, the beginning of a loop.
/// Private to `animate`.
namespace limber::animate {

/// What a sample passes through.
struct KnownPoses {
  std::vector<std::uint8_t> known;  ///< per frame of the sample, 1 or 0
  /// Per frame: how firmly the lift keeps to it, 0 to 1. In a row of known frames that falls off towards those that are
  /// not: a fit that is held here and free one frame later has a kink there.
  std::vector<float> holds;
  /// All frames, to be tried in turn: they agree in those that are known, and guess how the body moves on over the
  /// ground in the others. The cameras follow the guess, and the lift begins from it.
  std::vector<kinematics::Motion> guesses;
};

/// What is given of a whole motion.
struct Anchors {
  std::optional<kinematics::Motion> before;  ///< the last frames of the clip that it continues, at the prior's rate
  std::vector<Key> keys;                     ///< in order
};

/// Reads them, as motions of the upright subject at `fps`. `before` has `frames` frames. `asset` may be null where no
/// clip is continued.
///
/// Errors: `kMissing` without the clip or the file, `kInput` where the file's skeleton is another one: it names the
/// joints.
Result<Anchors> find_anchors(const rig::Subject& subject, const Upright& upright, const asset::Asset* asset,
                             const SpanPlan& span, double fps, int frames);

/// How fast a body may be after the frames that are known.
enum class Pace {
  kSame,  ///< it does the same as before
  kNew    ///< it does something else: as fast as before, at rest, or half a height a second forward
};

/// What a chunk of `frames` frames knows of a motion that is as long as its first frame and those that it keeps say,
/// and of keys at their times in it. None where nothing is known. With `loop` the frames from there on are the first
/// ones of the motion again, a lap farther on.
std::optional<KnownPoses> known_poses(const kinematics::Motion& motion, const Chunk& chunk, int frames,
                                      std::span<const Key> keys, Pace pace, std::optional<int> loop = std::nullopt);

}  // namespace limber::animate
