// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/prior/few_steps_trainer.h"
#include "limber/prior/part_batches.h"

/// What a teacher passes through from noise to a clean video, and jumps between two such places. Private to `prior`.
namespace limber::prior {

/// Videos to be drawn together: what is asked for, and what is known of them.
struct DrawingTask {
  PartCondition condition;  ///< of the network that draws
  Tensor noise;             ///< [videos, views, frames, 3, size, size]
};

/// The share of noise of each tube, [videos, tubes], where those that are not known whole have `share` [videos].
Tensor tube_shares(const Tensor& share, const PartCondition& condition, const PartModel& model);

/// `x` with its known frames at their share of noise, where the others have `share` [videos].
Tensor with_known(const Tensor& x, const DrawingTask& task, const Tensor& share, const PartModel& model);

/// Everything that guided steps pass through, known frames included: [videos, steps + 1, ...] in 16 bits, from the
/// noise to the clean end. `without`: what the prompt is held against, [videos, width].
Tensor draw_trajectories(const PartTransformer& teacher, const DrawingTask& task, const Tensor& without,
                         const PartModel& model, int steps, double guidance);

/// Where `steps` jumps without guidance end.
Tensor draw_by_jumps(const PartTransformer& network, const DrawingTask& task, const PartModel& model, int steps);

/// Trajectories that are learned from, on the device. The oldest give way to new ones.
class TrajectoryPool {
 public:
  explicit TrajectoryPool(std::int64_t capacity) : capacity_(capacity) {}

  /// `condition` is that of the network that learns; its known frames are read off the clean end.
  void add(const Tensor& states, const PartCondition& condition);
  std::int64_t drawn() const { return drawn_; }

  /// Two places of one trajectory each.
  struct Jumps {
    PartCondition condition;
    Tensor start, end, clean;  ///< [jumps, views, frames, 3, size, size] in float
    Tensor from, to;           ///< [jumps]: shares of noise, from > to
  };
  /// By the default generator of the device.
  Jumps draw(std::int64_t count, const FewStepsSettings& settings) const;

 private:
  std::int64_t capacity_, drawn_ = 0;
  Tensor states_;                             ///< [capacity, steps + 1, ...]
  Tensor text_, rest_, has_rest_, is_known_;  ///< [capacity, ...]; the last is undefined where nothing is ever known
};

/// Mean of the pseudo-Huber distance between the velocity that a network takes for a jump and the one that leads to its
/// end.
Tensor jump_loss(const PartTransformer& network, const TrajectoryPool::Jumps& jumps, const PartModel& model,
                 const FewStepsSettings& settings);

}  // namespace limber::prior
