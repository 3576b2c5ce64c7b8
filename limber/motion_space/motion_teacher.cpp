// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/motion_space/motion_teacher.h"

#include <cmath>

#include "limber/motion_space/noise_times.h"

namespace limber::motion_space {
namespace {

constexpr double kMostWeight = 8;  // of what has little noise: it shows details, which count less

/// One for each motion, beside its tokens.
Tensor each(const Tensor& numbers) { return numbers.view({-1, 1, 1, 1}); }

/// How much clip and noise there are at some times.
struct Mix {
  Tensor clear, noise;
  explicit Mix(const Tensor& times)
      : clear(each((times * (M_PI / 2)).cos())), noise(each((times * (M_PI / 2)).sin())) {}
};

}  // namespace

NoisyClip add_noise(const MotionLesson& lesson, const Tensor& times) {
  NoisyClip clip;
  clip.times = times, clip.clear = (times * (M_PI / 2)).cos();
  const Mix mix(times);
  const Tensor there = lesson.bodies.present.view({times.size(0), 1, -1, 1});
  clip.noisy =
      (mix.clear * lesson.tokens + mix.noise * at::randn(lesson.tokens.sizes(), lesson.tokens.options())) * there;
  clip.weights = (1 / mix.noise.view({-1}).square().clamp_min(1e-6)).clamp_max(kMostWeight);
  return clip;
}

Tensor draw_steps(const MotionLesson& lesson) { return at::rand({lesson.turns.size(0)}, lesson.way.options()); }

Tensor times_of(const Tensor& steps) {
  return (((steps * (M_PI / 2)).tan() * kShift).atan() * (2 / M_PI)).clamp_max(kFirstTime);
}

MotionTeacher::MotionTeacher(const MotionModel& model, nn::Weights& weights, const MotionPupil& pupil)
    : network_(model, weights.root()), pupil_(pupil), any_(static_cast<std::int64_t>(model.actions.size())) {}

Tensor MotionTeacher::guided(const MotionLesson& lesson, const Wishes& wishes, const Tensor& noisy,
                             const Tensor& times) const {
  const Tensor asked = network_(lesson.bodies, wishes, noisy, times);
  Wishes any = wishes;
  any.actions = at::full_like(wishes.actions, any_);
  const Tensor free = network_(lesson.bodies, any, noisy, times);
  Tensor said = free + pupil_.guidance * (asked - free);
  const std::int64_t joints = asked.size(2) - 1;
  said.narrow(1, 0, 1).narrow(2, 1, joints).copy_(asked.narrow(1, 0, 1).narrow(2, 1, joints));
  return said * lesson.counted;
}

Tensor MotionTeacher::two_steps(const MotionLesson& lesson, const Wishes& wishes, const NoisyClip& clip,
                                const Tensor& steps) const {
  const at::NoGradGuard no_gradients;
  const double step = 1.0 / pupil_.teacher_steps;
  const Tensor half_way = (steps - step).clamp_min(0), end = (steps - 2 * step).clamp_min(0);
  const Tensor half_time = times_of(half_way);
  const Mix from(clip.times), half(half_time), to(times_of(end));
  const Tensor first = guided(lesson, wishes, clip.noisy, clip.times);
  const Tensor between = half.clear * first + half.noise * (clip.noisy - from.clear * first) / from.noise;
  // Where the first step has arrived there is no second one.
  const Tensor second = at::where(each(half_way) > 0, guided(lesson, wishes, between, half_time), first);
  const Tensor left = at::where(each(half_way) > 0, (between - half.clear * second) / half.noise.clamp_min(1e-6),
                                at::zeros_like(second));
  const Tensor there = to.clear * second + to.noise * left;
  // The clip that one step from the same noise would have to see.
  const Tensor share = to.noise / from.noise.clamp_min(1e-6);
  return (there - share * clip.noisy) / (to.clear - share * from.clear) * lesson.counted;
}

}  // namespace limber::motion_space
