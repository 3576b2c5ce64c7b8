// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/rollout.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/physics/sweeps.h"

namespace limber::physics {
namespace {

/// The two keys around a step and the share of the second.
template <class T>
struct KeyBlend {
  std::size_t first, second;
  T share;
};

template <class T>
KeyBlend<T> blend_at(const ModelT<T>& model, const RolloutInputT<T>& input, int step) {
  const int keys = model.hinges.empty() ? static_cast<int>(input.wrenches.size())
                                        : static_cast<int>(input.targets.size() / model.hinges.size());
  const int key = step / input.steps_per_key;
  if (key + 1 >= keys) return {at(std::max(keys - 1, 0)), at(std::max(keys - 1, 0)), T(0)};
  return {at(key), at(key + 1), static_cast<T>(step % input.steps_per_key) / static_cast<T>(input.steps_per_key)};
}

/// Controls of one step at a time.
template <class T>
class Controls {
 public:
  Controls(const ModelT<T>& model, const RolloutInputT<T>& input)
      : model_(model), input_(input), targets_(model.hinges.size()), external_(model.bodies.size()) {}

  ControlT<T> at_step(int step) {
    const KeyBlend<T> blend = blend_at(model_, input_, step);
    const std::size_t hinges = model_.hinges.size();
    for (std::size_t h = 0; h < hinges; ++h) {
      targets_[h] = (T(1) - blend.share) * input_.targets[blend.first * hinges + h] +
                    blend.share * input_.targets[blend.second * hinges + h];
    }
    ControlT<T> control;
    control.targets = targets_;
    if (!input_.guides.empty()) control.guide = input_.guides[at(step)];
    if (!input_.wrenches.empty()) {
      external_[0] = (T(1) - blend.share) * input_.wrenches[blend.first] + blend.share * input_.wrenches[blend.second];
      control.external = external_;
    }
    return control;
  }

 private:
  const ModelT<T>& model_;
  const RolloutInputT<T>& input_;
  std::vector<T> targets_;
  std::vector<SpatialT<T>> external_;
};

template <class T>
void check_input(const ModelT<T>& model, const RolloutInputT<T>& input) {
  const std::size_t hinges = model.hinges.size();
  const std::size_t keys = hinges == 0 ? input.wrenches.size() : input.targets.size() / hinges;
  LIMBER_EXPECT(input.steps >= 0 && input.steps_per_key >= 1,
                std::to_string(input.steps) + " steps, " + std::to_string(input.steps_per_key) + " per key");
  LIMBER_EXPECT(input.q.size() == model.position_count() && input.v.size() == model.velocity_count(),
                std::to_string(input.q.size()) + " positions, " + std::to_string(input.v.size()) + " velocities");
  LIMBER_EXPECT((hinges == 0 || (keys >= 1 && input.targets.size() == keys * hinges)) &&
                    (input.wrenches.empty() || input.wrenches.size() == keys) &&
                    (input.guides.empty() || input.guides.size() >= at(input.steps)),
                std::to_string(input.targets.size()) + " targets, " + std::to_string(input.wrenches.size()) +
                    " wrenches, " + std::to_string(input.guides.size()) + " guides");
}

template <class T>
bool all_finite(std::span<const T> values) {
  return std::all_of(values.begin(), values.end(), [](T x) { return std::isfinite(x); });
}

}  // namespace

template <class T>
void rollout_forward(const ModelT<T>& model, WorkspaceT<T>& work, const StepSettings& settings,
                     const RolloutInputT<T>& input, RolloutT<T>& result) {
  check_input(model, input);
  const std::size_t nq = model.position_count(), nv = model.velocity_count(), states = at(input.steps) + 1;
  result.q.resize(states * nq), result.v.resize(states * nv);
  std::copy(input.q.begin(), input.q.end(), result.q.begin());
  std::copy(input.v.begin(), input.v.end(), result.v.begin());
  const auto q = [&](int i) { return std::span<T>(result.q).subspan(at(i) * nq, nq); };
  const auto v = [&](int i) { return std::span<T>(result.v).subspan(at(i) * nv, nv); };
  Controls<T> controls(model, input);
  result.finite_steps = input.steps;
  for (int i = 0; i < input.steps; ++i) {
    step<T>(model, work, settings, controls.at_step(i), q(i), v(i), q(i + 1), v(i + 1));
    if (all_finite<T>(q(i + 1)) && all_finite<T>(v(i + 1))) continue;
    result.finite_steps = i;
    for (int k = i + 1; k <= input.steps; ++k) {
      std::copy(q(i).begin(), q(i).end(), q(k).begin());
      std::fill(v(k).begin(), v(k).end(), T(0));
    }
    return;
  }
}

namespace {

/// Length of a gradient on the state: sqrt(g_v' H^-1 g_v + time^2 g_q' H^-1 g_q), with the factors of the last step.
template <class T>
double gradient_length(const ModelT<T>& model, WorkspaceT<T>& work, std::span<const T> grad_q,
                       std::span<const T> grad_v, double time) {
  double sum = 0;
  const auto add = [&](std::span<const T> g, double factor) {
    for (auto& body : work.bodies) body.force = {};
    sweep_solve<T>(model, work, g, work.scratch);
    for (std::size_t k = 0; k < g.size(); ++k) sum += factor * static_cast<double>(g[k]) * work.scratch[k];
  };
  add(grad_v, 1);
  add(grad_q, time * time);
  return std::sqrt(std::max(sum, 0.0));
}

}  // namespace

template <class T>
void rollout_backward(const ModelT<T>& model, WorkspaceT<T>& work, const StepSettings& settings,
                      const RolloutInputT<T>& input, const RolloutT<T>& rollout, std::span<const T> grad_q,
                      std::span<const T> grad_v, const ClipSettings& clip, RolloutGradientT<T>& result) {
  check_input(model, input);
  const std::size_t nq = model.position_count(), nv = model.velocity_count(), states = at(input.steps) + 1;
  LIMBER_EXPECT(rollout.finite_steps == input.steps && rollout.q.size() == states * nq,
                std::to_string(rollout.finite_steps) + " of " + std::to_string(input.steps) + " steps");
  LIMBER_EXPECT(grad_q.size() == states * nv && grad_v.size() == states * nv && clip.chunk >= 1,
                std::to_string(grad_q.size()) + " and " + std::to_string(grad_v.size()) + " gradients");
  const std::size_t hinges = model.hinges.size();
  const auto last = static_cast<std::ptrdiff_t>(at(input.steps) * nv);
  result.q.assign(grad_q.begin() + last, grad_q.end());
  result.v.assign(grad_v.begin() + last, grad_v.end());
  result.targets.assign(input.targets.size(), T(0));
  result.wrenches.assign(input.wrenches.size(), {});
  result.chunks = result.clipped = 0;

  Controls<T> controls(model, input);
  std::vector<T> to_targets(hinges);
  std::vector<SpatialT<T>> to_external(input.wrenches.empty() ? 0 : model.bodies.size());
  const double time = clip.chunk * settings.dt;
  double put_in = 0;
  for (int i = input.steps; i-- > 0;) {
    std::fill(to_targets.begin(), to_targets.end(), T(0));
    std::fill(to_external.begin(), to_external.end(), SpatialT<T>{});
    step_backward<T>(model, work, settings, controls.at_step(i), std::span<const T>(rollout.q).subspan(at(i) * nq, nq),
                     std::span<const T>(rollout.v).subspan(at(i) * nv, nv), result.q, result.v,
                     {result.q, result.v, to_targets, to_external});
    const KeyBlend<T> blend = blend_at(model, input, i);
    for (std::size_t h = 0; h < hinges; ++h) {
      result.targets[blend.first * hinges + h] += (T(1) - blend.share) * to_targets[h];
      result.targets[blend.second * hinges + h] += blend.share * to_targets[h];
    }
    if (!to_external.empty()) {
      result.wrenches[blend.first] += (T(1) - blend.share) * to_external[0];
      result.wrenches[blend.second] += blend.share * to_external[0];
    }
    const std::span<const T> own_q = grad_q.subspan(at(i) * nv, nv), own_v = grad_v.subspan(at(i) * nv, nv);
    for (std::size_t k = 0; k < nv; ++k) result.q[k] += own_q[k], result.v[k] += own_v[k];
    if (clip.growth <= 0) continue;
    const auto any = [](std::span<const T> g) {
      return std::any_of(g.begin(), g.end(), [](T x) { return x != T(0); });
    };
    if (any(own_q) || any(own_v)) put_in += gradient_length(model, work, own_q, own_v, time);
    if (i % clip.chunk != 0) continue;
    ++result.chunks;
    const double length = gradient_length<T>(model, work, result.q, result.v, time);
    if (!(length > clip.growth * put_in)) continue;
    ++result.clipped;
    const T scale = std::isfinite(length) ? static_cast<T>(clip.growth * put_in / length) : T(0);
    for (std::size_t k = 0; k < nv; ++k) {
      result.q[k] = scale == T(0) ? T(0) : scale * result.q[k];
      result.v[k] = scale == T(0) ? T(0) : scale * result.v[k];
    }
  }
}

template <class T>
void rollouts_forward(const ModelT<T>& model, const StepSettings& settings, std::span<const RolloutInputT<T>> inputs,
                      std::span<RolloutT<T>> results) {
  LIMBER_EXPECT(inputs.size() == results.size(), std::to_string(results.size()) + " results");
  parallel_for(inputs.size(), 1, [&](std::size_t i, std::size_t) {
    WorkspaceT<T> work(model);
    rollout_forward(model, work, settings, inputs[i], results[i]);
  });
}

#define LIMBER_INSTANTIATE(T)                                                                                     \
  template void rollout_forward(const ModelT<T>&, WorkspaceT<T>&, const StepSettings&, const RolloutInputT<T>&,   \
                                RolloutT<T>&);                                                                    \
  template void rollout_backward(const ModelT<T>&, WorkspaceT<T>&, const StepSettings&, const RolloutInputT<T>&,  \
                                 const RolloutT<T>&, std::span<const T>, std::span<const T>, const ClipSettings&, \
                                 RolloutGradientT<T>&);                                                           \
  template void rollouts_forward(const ModelT<T>&, const StepSettings&, std::span<const RolloutInputT<T>>,        \
                                 std::span<RolloutT<T>>);
LIMBER_INSTANTIATE(float)
LIMBER_INSTANTIATE(double)
#undef LIMBER_INSTANTIATE

}  // namespace limber::physics
