// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/physics/model.h"
#include "limber/physics/step.h"
#include "limber/physics/workspace.h"

/// Many steps, and the gradient through all of them. Instantiated for float and double.
namespace limber::physics {

/// Start and controls of a rollout. Spans are not owned.
template <class T>
struct RolloutInputT {
  std::span<const T> q, v;  ///< start
  int steps = 0;
  int steps_per_key = 1;       ///< >= 1
  std::span<const T> targets;  ///< keys x hinges, key k at step k * steps_per_key, linear between; the last one holds
  std::span<const SpatialT<T>> wrenches;  ///< per key: torque and force on the root; empty for none
  std::span<const GuideT<T>> guides;      ///< per step; empty for none
};

/// States before each step and after the last: (steps + 1) x position_count and (steps + 1) x velocity_count.
template <class T>
struct RolloutT {
  std::vector<T> q, v;
  int finite_steps = 0;  ///< steps before a number stopped being finite; all of them if none did
};

/// How the adjoint is kept from exploding over long times (AKD section 4.5): after every `chunk` steps the gradient on
/// the state is scaled back (never cut entry by entry) if it is more than `growth` times as long as all that the loss
/// has put in so far. Lengths are measured by the inverse inertia.
struct ClipSettings {
  int chunk = 24;     ///< steps, >= 1
  double growth = 0;  ///< 0: no clipping, the exact gradient
};

template <class T>
struct RolloutGradientT {
  std::vector<T> q, v;                ///< on the start, both laid out like velocities
  std::vector<T> targets;             ///< keys x hinges
  std::vector<SpatialT<T>> wrenches;  ///< per key
  int chunks = 0, clipped = 0;        ///< how many there were, and how many of them were scaled back
};

/// Steps on until the end or until something is not finite; the rest of the states is then a copy of the last good one.
template <class T>
void rollout_forward(const ModelT<T>& model, WorkspaceT<T>& work, const StepSettings& settings,
                     const RolloutInputT<T>& input, RolloutT<T>& result);

/// From gradients on every state, (steps + 1) x velocity_count each, to gradients on start and controls. Recomputes
/// each step from its state. Only for rollouts that stayed finite.
template <class T>
void rollout_backward(const ModelT<T>& model, WorkspaceT<T>& work, const StepSettings& settings,
                      const RolloutInputT<T>& input, const RolloutT<T>& rollout, std::span<const T> grad_q,
                      std::span<const T> grad_v, const ClipSettings& clip, RolloutGradientT<T>& result);

/// Independent rollouts of one model on all threads. The same bits for any number of threads.
template <class T>
void rollouts_forward(const ModelT<T>& model, const StepSettings& settings, std::span<const RolloutInputT<T>> inputs,
                      std::span<RolloutT<T>> results);

}  // namespace limber::physics
