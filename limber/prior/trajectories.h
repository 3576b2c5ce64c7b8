// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/prior/few_steps_trainer.h"
#include "limber/prior/sketch_batches.h"

/// What a teacher does from where a jump starts, and how far a jump is from that. Private to `prior`.
namespace limber::prior {

/// Videos to be drawn together: what is asked for, and what is known of them.
struct DrawingTask {
  SketchCondition condition;  ///< of the network that draws
  Tensor noise;               ///< [videos, views, frames, 3, size, size]
};

/// Some of the videos of a task, or of its conditions.
SketchCondition some_of(const SketchCondition& condition, std::int64_t first, std::int64_t count);
DrawingTask some_of(const DrawingTask& task, std::int64_t first, std::int64_t count);

/// The share of noise of each tube, [videos, tubes], where those that are not known whole have `share` [videos].
Tensor tube_shares(const Tensor& share, const SketchCondition& condition, const SketchModel& model);

/// `x` with its known frames at their share of noise, where the others have `share` [videos].
Tensor with_known(const Tensor& x, const DrawingTask& task, const Tensor& share, const SketchModel& model);

/// Guided steps `first` .. `last` - 1 of a whole of `all`; shares of noise are spread as for jumps (`FewSteps::shift`).
struct GuidedSteps {
  int first = 0, last = 20, all = 20;
  double guidance = 2.5;
};

/// Those that make one jump of a sample.
GuidedSteps steps_of_jump(int jump, const FewStepsSettings& settings);

/// Where they lead from `x`, and the clean videos that were seen last; known frames included.
struct Guided {
  Tensor end, seen;
};

/// `without`: what the prompt is held against, [videos, width].
Guided draw_guided(const SketchTransformer& teacher, const DrawingTask& task, const Tensor& without, const Tensor& x,
                   const GuidedSteps& steps, const SketchModel& model);

/// Where the first `count` jumps of a sample lead, without guidance.
Tensor draw_by_jumps(const SketchTransformer& network, const DrawingTask& task, const SketchModel& model, int count);

/// Jumps that are learned from.
struct Jumps {
  SketchCondition condition;  ///< of the network that learns; known frames are those of `clean`
  Tensor start, end, clean;   ///< [jumps, views, frames, 3, size, size]
  Tensor from, to;            ///< [jumps]: shares of noise, from > to
};

/// Jump `number` of a sample from where `start` is, as guided steps of the teacher make it.
struct TaughtJump {
  int number = 0;
  Tensor start;
  SketchCondition learner;  ///< as `task` has it for the teacher
};
Jumps teach_jump(const SketchTransformer& teacher, const DrawingTask& task, const Tensor& without,
                 const TaughtJump& jump, const SketchModel& model, const FewStepsSettings& settings);

/// Jumps on the device, pictures in 16 bits. The oldest give way to new ones.
class JumpPool {
 public:
  explicit JumpPool(std::int64_t capacity) : capacity_(capacity) {}

  void add(const Jumps& jumps);
  std::int64_t drawn() const { return drawn_; }

  /// Any of them, in float, by the default generator of the device.
  Jumps draw(std::int64_t count) const;

 private:
  std::int64_t capacity_, drawn_ = 0;
  Jumps held_;  ///< [capacity, ...]; what is never known is undefined
};

/// Mean of the pseudo-Huber distance between the velocity that a network takes for a jump and the one that leads to its
/// end.
Tensor jump_loss(const SketchTransformer& network, const Jumps& jumps, const SketchModel& model,
                 const FewStepsSettings& settings);

}  // namespace limber::prior
