// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/trajectories.h"

#include <algorithm>

namespace limber::prior {
namespace {

/// One number per video for all its pixels.
Tensor per_video(const Tensor& values) { return values.view({-1, 1, 1, 1, 1, 1}); }

/// One Euler step along the straight line to `aim`.
Tensor moved(const Tensor& x, const Tensor& aim, double sigma, double next) { return aim + (next / sigma) * (x - aim); }

/// Twice, for both halves of the guidance.
Tensor twice(const Tensor& x) { return x.defined() ? at::cat({x, x}) : x; }

/// Rows of a table that may not be there.
Tensor narrowed(const Tensor& table, std::int64_t first, std::int64_t count) {
  return table.defined() ? table.narrow(0, first, count) : table;
}
Tensor picked(const Tensor& table, const Tensor& index) {
  return table.defined() ? table.index_select(0, index) : table;
}

/// The share of noise after `done` of `all` steps.
double share_after(int done, int all, const SketchModel& model) {
  return noise_share(static_cast<double>(all - done) / all, model.few_steps.shift);
}

Tensor shares_of(const Tensor& x, double share) { return at::full({x.size(0)}, share, x.options().dtype(at::kFloat)); }

}  // namespace

SketchCondition some_of(const SketchCondition& c, std::int64_t first, std::int64_t count) {
  return {narrowed(c.text, first, count), narrowed(c.rest, first, count), narrowed(c.has_rest, first, count),
          narrowed(c.known, first, count), narrowed(c.is_known, first, count)};
}
DrawingTask some_of(const DrawingTask& task, std::int64_t first, std::int64_t count) {
  return {some_of(task.condition, first, count), narrowed(task.noise, first, count)};
}

Tensor tube_shares(const Tensor& share, const SketchCondition& condition, const SketchModel& model) {
  const Tensor shares = share.unsqueeze(1).expand({-1, model.tubes()});
  return condition.is_known.defined() ? shares * open_tubes(condition.is_known, model) : shares;
}

Tensor with_known(const Tensor& x, const DrawingTask& task, const Tensor& share, const SketchModel& model) {
  if (!task.condition.is_known.defined()) return x;
  const Tensor s = per_frame(tube_shares(share, task.condition, model).repeat_interleave(model.patch_frames, 1));
  const Tensor held = (1 - s) * task.condition.known + s * task.noise;
  return at::where(per_frame(task.condition.is_known) > 0, held, x);
}

GuidedSteps steps_of_jump(int jump, const FewStepsSettings& settings) {
  const int stride = settings.teacher_steps / settings.steps;
  return {jump * stride, (jump + 1) * stride, settings.teacher_steps, settings.guidance_of(jump)};
}

Guided draw_guided(const SketchTransformer& teacher, const DrawingTask& task, const Tensor& without,
                   const Tensor& start, const GuidedSteps& steps, const SketchModel& model) {
  const at::NoGradGuard no_gradients;
  const SketchCondition& c = task.condition;
  const SketchCondition both{at::cat({c.text, without}), twice(c.rest), twice(c.has_rest), twice(c.known),
                             twice(c.is_known)};
  const std::int64_t count = task.noise.size(0);
  Tensor x = start, aim = start;
  for (int i = steps.first; i < steps.last; ++i) {
    const double sigma = share_after(i, steps.all, model), next = share_after(i + 1, steps.all, model);
    const Tensor share = shares_of(x, sigma);
    x = with_known(x, task, share, model);
    const Tensor seen = teacher.denoised(twice(x), twice(tube_shares(share, c, model)), both).to(at::kFloat);
    const Tensor bare = seen.narrow(0, count, count);
    aim = bare + steps.guidance * (seen.narrow(0, 0, count) - bare);
    x = moved(x, aim, sigma, next);
  }
  return {with_known(x, task, shares_of(x, share_after(steps.last, steps.all, model)), model),
          with_known(aim, task, shares_of(x, 0), model)};
}

Tensor draw_by_jumps(const SketchTransformer& network, const DrawingTask& task, const SketchModel& model, int count) {
  const at::NoGradGuard no_gradients;
  const int all = model.few_steps.steps;
  Tensor x = task.noise;
  for (int i = 0; i < count; ++i) {
    const double sigma = share_after(i, all, model), next = share_after(i + 1, all, model);
    x = with_known(x, task, shares_of(x, sigma), model);
    const Tensor from = tube_shares(shares_of(x, sigma), task.condition, model);
    const Tensor to = tube_shares(shares_of(x, next), task.condition, model);
    x = moved(x, network.denoised(x, from, task.condition, to).to(at::kFloat), sigma, next);
  }
  return with_known(x, task, shares_of(x, share_after(count, all, model)), model);
}

Jumps teach_jump(const SketchTransformer& teacher, const DrawingTask& task, const Tensor& without,
                 const TaughtJump& jump, const SketchModel& model, const FewStepsSettings& settings) {
  const int all = model.few_steps.steps;
  const Guided guided = draw_guided(teacher, task, without, jump.start, steps_of_jump(jump.number, settings), model);
  Jumps jumps{jump.learner, jump.start, guided.end, guided.seen, {}, {}};
  jumps.condition.known = Tensor();
  jumps.from = shares_of(jump.start, share_after(jump.number, all, model));
  jumps.to = shares_of(jump.start, share_after(jump.number + 1, all, model));
  return jumps;
}

void JumpPool::add(const Jumps& jumps) {
  const std::int64_t count = jumps.start.size(0);
  LIMBER_EXPECT(count <= capacity_, std::to_string(count));
  const Tensor slots = (at::arange(count, jumps.start.options().dtype(at::kLong)) + drawn_).remainder(capacity_);
  const auto store = [&](Tensor& table, const Tensor& rows) {
    if (!rows.defined()) return;
    if (!table.defined()) {
      std::vector<std::int64_t> shape = rows.sizes().vec();
      shape[0] = capacity_;
      table = at::zeros(shape, rows.options());
    }
    table.index_copy_(0, slots, rows);
  };
  const auto small = [](const Tensor& video) { return video.to(at::kHalf); };
  store(held_.start, small(jumps.start)), store(held_.end, small(jumps.end)), store(held_.clean, small(jumps.clean));
  store(held_.from, jumps.from), store(held_.to, jumps.to);
  const SketchCondition& c = jumps.condition;
  store(held_.condition.text, c.text), store(held_.condition.rest, c.rest);
  store(held_.condition.has_rest, c.has_rest), store(held_.condition.is_known, c.is_known);
  drawn_ += count;
}

Jumps JumpPool::draw(std::int64_t count) const {
  const at::NoGradGuard no_gradients;
  const Tensor rows = at::randint(std::min(drawn_, capacity_), {count}, held_.start.options().dtype(at::kLong));
  const auto video = [&](const Tensor& table) { return picked(table, rows).to(at::kFloat); };
  const SketchCondition& c = held_.condition;
  Jumps jumps{{picked(c.text, rows), picked(c.rest, rows), picked(c.has_rest, rows), {}, picked(c.is_known, rows)},
              video(held_.start),
              video(held_.end),
              video(held_.clean),
              picked(held_.from, rows),
              picked(held_.to, rows)};
  if (c.is_known.defined()) jumps.condition.known = jumps.clean;
  return jumps;
}

Tensor jump_loss(const SketchTransformer& network, const Jumps& jumps, const SketchModel& model,
                 const FewStepsSettings& settings) {
  const SketchCondition& condition = jumps.condition;
  const Tensor from = tube_shares(jumps.from, condition, model), to = tube_shares(jumps.to, condition, model);
  const Tensor seen = network.denoised(jumps.start, from, condition, to).to(at::kFloat);
  const Tensor taken = (jumps.start - seen) / per_video(jumps.from.clamp_min(settings.noise_floor));
  const Tensor wanted = (jumps.start - jumps.end) / per_video(jumps.from - jumps.to);
  const Tensor error = ((taken - wanted).square() + settings.huber * settings.huber).sqrt() - settings.huber;
  // What is still is soon learned, and is most of a video; gaits are in the few pixels that change.
  const Tensor moves = (jumps.clean - jumps.clean.mean(2, /*keepdim=*/true)).abs().amax(3, /*keepdim=*/true);
  Tensor weight = pixel_weights(jumps.clean, settings.body_weight) + settings.move_weight * moves;
  if (condition.is_known.defined()) weight = weight * per_frame(1 - condition.is_known);
  return (error * (weight / weight.mean().clamp_min(1e-6))).mean();
}

}  // namespace limber::prior
