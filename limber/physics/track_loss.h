// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/physics/rollout.h"
#include "limber/physics/track_problem.h"

/// How far a simulation is from what was asked, and the gradient of that on the controls. Private to `physics`.
namespace limber::physics {

/// The loss of a simulation that left the finite numbers, or came near to that.
constexpr double kLostLoss = 1e9;

/// One simulation from the reference's start, with its loss.
struct Played {
  RolloutT<double> rollout;
  double loss = kLostLoss;
  std::vector<double> grad_q;        ///< of the loss on every state: (steps + 1) x velocity_count
  std::vector<double> grad_targets;  ///< of the controls' own smoothness alone
};

Played play(const TrackProblem& problem, Workspace& work, std::span<const Guide> guides, const TrackControls& controls);

/// The gradient of the loss on the controls that were played, kept from exploding (see ClipSettings). Only where the
/// loss is less than `kLostLoss`.
RolloutGradientT<double> loss_gradient(const TrackProblem& problem, Workspace& work, std::span<const Guide> guides,
                                       const TrackControls& controls, const Played& played);

}  // namespace limber::physics
