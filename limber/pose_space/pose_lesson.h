// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/nn/training_loop.h"
#include "limber/pose_space/pose_network.h"
#include "limber/pose_space/pose_trainer.h"

/// From examples to what a step of the training learns from. Private to the trainer.
namespace limber::pose_space {

/// Examples as tensors. J is kMostJoints, P kSurfacePoints, K kPosesEach.
struct PoseExamples {
  Tensor features;   ///< half [n, J, features]
  Tensor relations;  ///< uint8 [n, J, J]
  Tensor parents;    ///< int8 [n, J]; -1 for roots and joints that are not there
  Tensor counts;     ///< uint8 [n]: joints
  Tensor points;     ///< half [n, P, 6]
  Tensor movers;     ///< uint8 [n, P, 2]: joints that move a point
  Tensor shares;     ///< half [n, P]: of the first of them
  Tensor seen;       ///< uint8 [n]: whether there is a surface
  Tensor turns;      ///< half [n, K, J, 6]

  static PoseExamples empty(std::int64_t count);
  static PoseExamples from(const nn::TensorRun& r) { return {r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]}; }
  nn::TensorRun run() const { return {features, relations, parents, counts, points, movers, shares, seen, turns}; }
  /// Puts an example into row `at`; fails where its sizes do not fit together.
  Status put(std::int64_t at, const PoseExample& example);
};

enum class Variety {
  kNone,
  kAll  ///< mirrored, stretched, at rest in another pose, turned a little, some without their surface
};

/// Poses to be denoised, and poses to be judged.
struct PoseLesson {
  BodyBatch bodies;
  Tensor offsets, places;  ///< [n, J, 3]: from the parents, and at rest
  Tensor parents;          ///< long [n, J]; roots and joints that are not there have 0
  Tensor below;            ///< float [n, J, J]: 1 where the second joint carries the first, or is it
  Tensor turns;            ///< float [n, K, J, 3, 3]
  Tensor spoiled;          ///< bool [n]: whether the last of its poses is one that no body takes
  Tensor culprits;         ///< bool [n, J]: which of its joints were turned

  /// Places of joints, [n, k, J, 3], for rotations [n, k, J, 3, 3].
  Tensor places_of(const Tensor& rotations) const;
  /// States, [n, k, J, kStateSize].
  Tensor states_of(const Tensor& rotations) const;
};

/// Joints that each of `poses` of a body leaves open, bool [n, poses, J]: all that hangs on one or two of its joints.
Tensor draw_hidden(const PoseLesson& lesson, std::int64_t poses);

/// Draws examples as tensors.
Result<nn::TensorRun> draw_pose_run(const PoseSource& source, std::uint64_t first, std::int64_t count);

/// By the default generator of the examples' device.
PoseLesson make_pose_lesson(const PoseExamples& examples, Variety variety);

/// Rotations of states, [..., kStateSize] -> [..., 3, 3], made orthonormal. Differentiable.
Tensor rotations_in(const Tensor& states);

}  // namespace limber::pose_space
