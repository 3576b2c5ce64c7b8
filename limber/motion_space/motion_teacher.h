// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/motion_space/motion_lesson.h"
#include "limber/motion_space/motion_network.h"
#include "limber/nn/weights.h"

/// From noise to a motion, in as few passes as may be. Private to the trainer.
namespace limber::motion_space {

/// A clip with its noise.
struct NoisyClip {
  Tensor noisy;         ///< as tokens
  Tensor times, clear;  ///< [n]
  Tensor weights;       ///< [n]: how much it counts
};

NoisyClip add_noise(const MotionLesson& lesson, const Tensor& times);

/// A place on the way of every sample, [n], 1 (noise) to 0 (a clip), as `time_of_step` counts.
Tensor draw_steps(const MotionLesson& lesson);
Tensor times_of(const Tensor& steps);

/// A network that draws in many guided steps, for one that does it in half of them with a pass each (progressive
/// distillation, Salimans and Ho 2022, with guidance taken along as by Meng et al. 2023).
class MotionTeacher {
 public:
  MotionTeacher(const MotionModel& model, nn::Weights& weights, const MotionPupil& pupil);

  /// What the pupil should say at `steps`, so that one step as long as two of the teacher leads where those lead.
  Tensor two_steps(const MotionLesson& lesson, const Wishes& wishes, const NoisyClip& clip, const Tensor& steps) const;

 private:
  /// As MotionSpace guides.
  Tensor guided(const MotionLesson& lesson, const Wishes& wishes, const Tensor& noisy, const Tensor& times) const;

  MotionNetwork network_;
  MotionPupil pupil_;
  std::int64_t any_;
};

}  // namespace limber::motion_space
