// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/track_loss.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "limber/physics/rotation.h"
#include "limber/physics/sweeps.h"
#include "limber/physics/trajectory.h"

namespace limber::physics {
namespace {

RolloutInputT<double> rollout_input(const TrackProblem& problem, std::span<const Guide> guides,
                                    const TrackControls& controls) {
  return {row(problem.dense, 0, problem.model.position_count()),
          controls.velocity,
          problem.schedule.steps,
          problem.schedule.steps_per_key,
          controls.targets,
          {},
          guides};
}

/// Loss of a frame's bones and planted points; adds its gradient to `grad_q` of that frame, laid out like a velocity.
double bone_loss(const TrackProblem& problem, Workspace& work, int frame, std::span<const double> q,
                 std::span<double> grad_q) {
  const Model& model = problem.model;
  const TrackSettings& settings = problem.settings;
  const std::span<const Affined> targets = row(problem.poses, frame, model.bodies.size());
  const double share = 1.0 / (std::max(problem.reference.frames - 1, 1) * static_cast<double>(model.bodies.size()));
  const bool akd = settings.loss == TrackLoss::kAkd;
  const Vec3d root = root_of(q);
  const std::vector<double> still(model.velocity_count());
  sweep_kinematics<double>(model, work, q, still);
  double loss = 0;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    auto& body = work.bodies[b];
    const Vec3d apart = (body.position + root - targets[b].translation) / problem.height;
    const Vec3d turn = rotation_vector(to_quat(body.rotation * transposed(targets[b].linear)));
    Vec3d force, torque;
    for (int k = 0; k < 3; ++k) {
      // |log R|^2 changes by 2 log R for a small turn; |log R|_1 nearly by its signs.
      if (akd) {
        loss += share * (std::abs(apart[k]) + std::abs(turn[k]));
        force[k] = share * std::copysign(1.0, apart[k]);
        torque[k] = share * std::copysign(1.0, turn[k]);
      } else {
        loss += share * (apart[k] * apart[k] + settings.rotation_weight * turn[k] * turn[k]);
        force[k] = 2 * share * apart[k];
        torque[k] = 2 * share * settings.rotation_weight * turn[k];
      }
    }
    body.force = force_at(body.position, force / problem.height);
    body.force.angular += torque;
  }
  // Equation 13 knows no planted feet.
  const std::span<const Anchor> anchors = akd ? std::span<const Anchor>{} : problem.anchors[at(frame)];
  for (const Anchor& anchor : anchors) {
    auto& body = work.bodies[at(anchor.body)];
    const Vec3d x = body.position + body.rotation * anchor.point;
    const Vec3d apart = (x + root - anchor.place) / problem.height;
    const double weight = settings.plant_weight / static_cast<double>(problem.anchor_count);
    loss += weight * squared_norm(apart);
    body.force += force_at(x, (2 * weight / problem.height) * apart);
  }
  std::vector<double> gradient(model.velocity_count());
  sweep_project<double>(model, work, gradient);
  for (std::size_t k = 0; k < gradient.size(); ++k) grad_q[k] += gradient[k];
  return loss;
}

/// lambda_3 times the mean absolute second difference of the controls (softened by default); adds its gradient.
double control_loss(const TrackProblem& problem, std::span<const double> targets, std::span<double> gradient) {
  const std::size_t hinges = problem.model.hinges.size();
  if (problem.schedule.keys < 3 || hinges == 0) return 0;
  const double terms = static_cast<double>(at(problem.schedule.keys - 2) * hinges);
  const double smoothness = problem.settings.smoothness;
  const bool akd = problem.settings.loss == TrackLoss::kAkd;
  double loss = 0;
  for (std::size_t k = hinges; k + hinges < targets.size(); ++k) {
    const double second = targets[k - hinges] - 2 * targets[k] + targets[k + hinges];
    const double slope = (akd ? std::copysign(1.0, second) : 0.2 * second) * smoothness / terms;
    loss += (akd ? std::abs(second) : 0.1 * second * second) * smoothness / terms;
    gradient[k - hinges] += slope, gradient[k] -= 2 * slope, gradient[k + hinges] += slope;
  }
  return loss;
}

}  // namespace

Played play(const TrackProblem& problem, Workspace& work, std::span<const Guide> guides,
            const TrackControls& controls) {
  const std::size_t nq = problem.model.position_count(), nv = problem.model.velocity_count();
  const TrackSchedule& schedule = problem.schedule;
  Played played;
  rollout_forward(problem.model, work, problem.step, rollout_input(problem, guides, controls), played.rollout);
  if (played.rollout.finite_steps < schedule.steps) return played;
  played.grad_q.resize((at(schedule.steps) + 1) * nv), played.grad_targets.resize(controls.targets.size());
  double loss = control_loss(problem, controls.targets, played.grad_targets);
  for (int f = 1; f < problem.reference.frames; ++f) {
    const int i = f * schedule.steps_per_frame;
    loss += bone_loss(problem, work, f, row(std::as_const(played.rollout.q), i, nq), row(played.grad_q, i, nv));
  }
  if (loss < kLostLoss) played.loss = loss;
  return played;
}

RolloutGradientT<double> loss_gradient(const TrackProblem& problem, Workspace& work, std::span<const Guide> guides,
                                       const TrackControls& controls, const Played& played) {
  const std::vector<double> grad_v(played.grad_q.size());
  RolloutGradientT<double> gradient;
  rollout_backward<double>(problem.model, work, problem.step, rollout_input(problem, guides, controls), played.rollout,
                           played.grad_q, grad_v,
                           {std::max(problem.schedule.steps_per_frame, 16), problem.settings.clip_growth}, gradient);
  for (std::size_t k = 0; k < played.grad_targets.size(); ++k) gradient.targets[k] += played.grad_targets[k];
  return gradient;
}

}  // namespace limber::physics
