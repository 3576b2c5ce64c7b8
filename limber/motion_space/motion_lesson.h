// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/motion_space/motion_network.h"
#include "limber/motion_space/motion_trainer.h"
#include "limber/nn/training_loop.h"

/// From examples to what a step of the training learns from. Private to the trainer.
namespace limber::motion_space {

/// Examples as tensors. J is kMostJoints.
struct MotionExamples {
  Tensor features;   ///< half [n, J, pose_space::kJointFeatures]
  Tensor flesh;      ///< half [n, J, 3]
  Tensor feet;       ///< uint8 [n, J]
  Tensor relations;  ///< uint8 [n, 1 + J, 1 + J]
  Tensor parents;    ///< int8 [n, J]; -1 for roots and joints that are not there
  Tensor counts;     ///< uint8 [n]: joints
  Tensor turns;      ///< half [n, kFrames, J, 6]
  Tensor way;        ///< float [n, kFrames, kBodyNumbers]
  Tensor contacts;   ///< uint8 [n, kFrames, J]
  Tensor facts;      ///< int16 [n, 1 + kFactCount + 2]: action (-1: none), facts, way known, periodic

  static MotionExamples empty(std::int64_t count);
  static MotionExamples from(const nn::TensorRun& r) {
    return {r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9]};
  }
  nn::TensorRun run() const { return {features, flesh, feet, relations, parents, counts, turns, way, contacts, facts}; }
  /// Puts an example into row `at`; fails where its sizes do not fit together.
  Status put(std::int64_t at, const MotionExample& example);
};

/// Draws examples as tensors.
Result<nn::TensorRun> draw_motion_run(const MotionSource& source, std::uint64_t first, std::int64_t count);

enum class Variety { kNone, kAll };

/// Clips to be learned, of bodies of about one size.
struct MotionLesson {
  BodyBatch bodies;
  Tensor offsets, places;  ///< [n, J, 3]: from the parents, and at rest
  Tensor parents;          ///< long [n, J]; roots and joints that are not there have 0
  Tensor below;            ///< float [n, J, J]: 1 where the second joint carries the first, or is it
  Tensor turns;            ///< float [n, kFrames, J, 3, 3]
  Tensor way;              ///< float [n, kFrames, kBodyNumbers]
  Tensor feet, contacts;   ///< bool [n, J], bool [n, kFrames, J]
  Tensor way_known;        ///< bool [n]
  Tensor periodic;         ///< bool [n]: the frame after the last one is the first
  Tensor actions, facts;   ///< long [n], the last: any; long [n, kFactCount], as MotionFacts has them
  Tensor tokens;           ///< float [n, kTokens, N, kTokenNumbers]: the clip
  Tensor counted;          ///< float, as tokens: 1 where a number means something and is known

  /// Places of joints, [n, frames, J, 3], for rotations [n, frames, J, 3, 3].
  Tensor places_of(const Tensor& rotations) const;
};

/// `count` examples as lessons of `parts` bodies' sizes: sorted by joints, so that none has many that are not there. By
/// the default generator of the examples' device. `any`: the table's entry for "any action".
std::vector<MotionLesson> make_motion_lessons(const MotionExamples& examples, Variety variety, int parts, int any);

/// The clip as states of frames, from tokens: [n, kFrames, J, kJointNumbers] and [n, kFrames, kBodyNumbers].
struct FrameStates {
  Tensor poses, body;
};
FrameStates join(const Tensor& tokens);

/// The clip's own numbers at frames and joints that are known, bool [n, kFrames, N], for Wishes::known.
Tensor known_numbers(const MotionLesson& lesson, const Tensor& known);
/// Some clips' known frames and joints: how they begin, where they begin and end, a few frames, some joints, the way.
Tensor draw_known(const MotionLesson& lesson);

/// Rotations of states of poses, [..., kJointNumbers] -> [..., 3, 3], made orthonormal. Differentiable.
Tensor rotations_of(const Tensor& poses);

}  // namespace limber::motion_space
