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
Tensor picked_rows(const Tensor& table, const Tensor& index) {
  return table.defined() ? table.index_select(0, index) : table;
}

/// Places on a trajectory of so many steps, [count] each: half to the end, and so on.
struct Places {
  Tensor from, to;  ///< 0 is the noise
};
Places draw_places(std::int64_t count, const FewStepsSettings& settings, const at::TensorOptions& options) {
  const std::int64_t last = settings.teacher_steps, stride = last / settings.steps;
  const Tensor kind = at::rand({count}, options), random = at::rand({count}, options);
  const Tensor anywhere = at::randint(last, {count}, options);
  const Tensor grid = at::randint(settings.steps, {count}, options) * static_cast<double>(stride);
  const Tensor on_grid = at::logical_and(kind >= settings.to_end, kind < settings.to_end + settings.on_grid);
  const Tensor later = anywhere + 1 + (random * (static_cast<double>(last) - anywhere)).floor();
  Places places;
  places.from = at::where(on_grid, grid, anywhere);
  places.to = at::where(on_grid, grid + static_cast<double>(stride), later.clamp_max(static_cast<double>(last)));
  places.to = at::where(kind < settings.to_end, at::full_like(kind, static_cast<double>(last)), places.to);
  return places;
}

}  // namespace

Tensor tube_shares(const Tensor& share, const PartCondition& condition, const PartModel& model) {
  const Tensor shares = share.unsqueeze(1).expand({-1, model.tubes()});
  return condition.is_known.defined() ? shares * open_tubes(condition.is_known, model) : shares;
}

Tensor with_known(const Tensor& x, const DrawingTask& task, const Tensor& share, const PartModel& model) {
  if (!task.condition.is_known.defined()) return x;
  const Tensor s = per_frame(tube_shares(share, task.condition, model).repeat_interleave(model.patch_frames, 1));
  const Tensor held = (1 - s) * task.condition.known + s * task.noise;
  return at::where(per_frame(task.condition.is_known) > 0, held, x);
}

Tensor draw_trajectories(const PartTransformer& teacher, const DrawingTask& task, const Tensor& without,
                         const PartModel& model, int steps, double guidance) {
  const at::NoGradGuard no_gradients;
  const PartCondition& c = task.condition;
  const PartCondition both{at::cat({c.text, without}), twice(c.rest), twice(c.has_rest), twice(c.known),
                           twice(c.is_known)};
  const std::int64_t count = task.noise.size(0);
  std::vector<std::int64_t> shape = task.noise.sizes().vec();
  shape.insert(shape.begin() + 1, steps + 1);
  Tensor states = at::empty(shape, task.noise.options().dtype(at::kHalf)), x = task.noise;
  for (int i = 0; i <= steps; ++i) {
    const double sigma = 1 - static_cast<double>(i) / steps, next = 1 - static_cast<double>(i + 1) / steps;
    const Tensor share = at::full({count}, sigma, x.options());
    x = with_known(x, task, share, model);
    states.select(1, i).copy_(x);
    if (i == steps) break;
    const Tensor seen = teacher.denoised(twice(x), twice(tube_shares(share, c, model)), both).to(at::kFloat);
    const Tensor bare = seen.narrow(0, count, count);
    x = moved(x, bare + guidance * (seen.narrow(0, 0, count) - bare), sigma, next);
  }
  return states;
}

Tensor draw_by_jumps(const PartTransformer& network, const DrawingTask& task, const PartModel& model, int steps) {
  const at::NoGradGuard no_gradients;
  const std::int64_t count = task.noise.size(0);
  const auto shares = [&](double sigma) { return at::full({count}, sigma, task.noise.options()); };
  Tensor x = task.noise;
  for (int i = 0; i < steps; ++i) {
    const double sigma = 1 - static_cast<double>(i) / steps, next = 1 - static_cast<double>(i + 1) / steps;
    x = with_known(x, task, shares(sigma), model);
    const Tensor from = tube_shares(shares(sigma), task.condition, model);
    const Tensor to = tube_shares(shares(next), task.condition, model);
    x = moved(x, network.denoised(x, from, task.condition, to).to(at::kFloat), sigma, next);
  }
  return with_known(x, task, shares(0), model);
}

void TrajectoryPool::add(const Tensor& states, const PartCondition& condition) {
  const std::int64_t count = states.size(0);
  LIMBER_EXPECT(count <= capacity_, std::to_string(count));
  const auto index_options = states.options().dtype(at::kLong);
  const Tensor slots = (at::arange(count, index_options) + drawn_).remainder(capacity_);
  const auto store = [&](Tensor& table, const Tensor& rows) {
    if (!rows.defined()) return;
    if (!table.defined()) {
      std::vector<std::int64_t> shape = rows.sizes().vec();
      shape[0] = capacity_;
      table = at::zeros(shape, rows.options());
    }
    table.index_copy_(0, slots, rows);
  };
  store(states_, states), store(text_, condition.text), store(rest_, condition.rest);
  store(has_rest_, condition.has_rest), store(is_known_, condition.is_known);
  drawn_ += count;
}

TrajectoryPool::Jumps TrajectoryPool::draw(std::int64_t count, const FewStepsSettings& settings) const {
  const at::NoGradGuard no_gradients;
  const auto options = states_.options().dtype(at::kFloat);
  const Tensor rows = at::randint(std::min(drawn_, capacity_), {count}, options.dtype(at::kLong));
  const Places places = draw_places(count, settings, options);
  const auto state = [&](const Tensor& place) { return states_.index({rows, place.to(at::kLong)}).to(at::kFloat); };
  Jumps jumps;
  jumps.start = state(places.from), jumps.end = state(places.to);
  jumps.clean = state(at::full_like(places.from, static_cast<double>(settings.teacher_steps)));
  jumps.from = 1 - places.from / settings.teacher_steps, jumps.to = 1 - places.to / settings.teacher_steps;
  jumps.condition = {picked_rows(text_, rows),
                     picked_rows(rest_, rows),
                     picked_rows(has_rest_, rows),
                     {},
                     picked_rows(is_known_, rows)};
  if (is_known_.defined()) jumps.condition.known = jumps.clean;
  return jumps;
}

Tensor jump_loss(const PartTransformer& network, const TrajectoryPool::Jumps& jumps, const PartModel& model,
                 const FewStepsSettings& settings) {
  const PartCondition& condition = jumps.condition;
  const Tensor from = tube_shares(jumps.from, condition, model), to = tube_shares(jumps.to, condition, model);
  const Tensor seen = network.denoised(jumps.start, from, condition, to).to(at::kFloat);
  const Tensor taken = (jumps.start - seen) / per_video(jumps.from.clamp_min(settings.noise_floor));
  const Tensor wanted = (jumps.start - jumps.end) / per_video(jumps.from - jumps.to);
  const Tensor error = ((taken - wanted).square() + settings.huber * settings.huber).sqrt() - settings.huber;
  Tensor weight = pixel_weights(jumps.clean, settings.body_weight);
  if (condition.is_known.defined()) weight = weight * per_frame(1 - condition.is_known);
  return (error * (weight / weight.mean().clamp_min(1e-6))).mean();
}

}  // namespace limber::prior
