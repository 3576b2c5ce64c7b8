// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/track_problem.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "limber/physics/dynamics.h"
#include "limber/physics/support.h"
#include "limber/physics/sweeps.h"
#include "limber/physics/trajectory.h"

namespace limber::physics {
namespace {

constexpr double kGravity = 9.81;
constexpr double kKeyRate = 24;  ///< controls a second, at least

TrackSchedule make_schedule(const Reference& reference, double max_step) {
  const int keys = std::max(1, static_cast<int>(std::ceil(kKeyRate / reference.fps - 1e-9)));
  TrackSchedule schedule;
  schedule.steps_per_key = std::max(1, static_cast<int>(std::ceil(1 / (reference.fps * keys * max_step) - 1e-9)));
  schedule.steps_per_frame = keys * schedule.steps_per_key;
  schedule.dt = 1 / (reference.fps * schedule.steps_per_frame);
  schedule.steps = (reference.frames - 1) * schedule.steps_per_frame;
  schedule.keys = (reference.frames - 1) * keys + 1;
  return schedule;
}

Model in_habitat(Model model, Habitat habitat) {
  if (habitat == Habitat::kFree) model.gravity = {};
  if (habitat == Habitat::kCrawl) model.contact.friction = std::min(model.contact.friction, 0.1);
  return model;
}

std::vector<Affined> reference_poses(const Model& model, const Reference& reference) {
  const std::size_t bodies = model.bodies.size();
  Workspace work(model);
  std::vector<Affined> poses(at(reference.frames) * bodies);
  for (int f = 0; f < reference.frames; ++f) {
    body_poses<double>(model, work, row(reference.positions, f, model.position_count()), row(poses, f, bodies));
  }
  return poses;
}

/// Where every planted point stood on average while it was planted, on the ground; per frame.
std::vector<std::vector<Anchor>> find_anchors(const Model& model, const Reference& reference) {
  std::vector<std::vector<Anchor>> anchors(at(reference.frames));
  const std::vector<Vec3d> points = contact_points(model, reference.positions);
  for (int b = 0; b < model.body_count(); ++b) {
    const BodyT<double>& body = model.bodies[at(b)];
    for (int p = body.first_point; p < body.first_point + body.point_count; ++p) {
      const auto place = [&](int f) { return points[at(f) * model.points.size() + at(p)]; };
      const std::vector<bool>& planted = reference.planted[at(p)];
      for (int f = 0; f < reference.frames; ++f) {
        if (!planted[at(f)]) continue;
        int end = f;
        Vec3d sum;
        for (; end < reference.frames && planted[at(end)]; ++end) sum += place(end);
        sum = sum / static_cast<double>(end - f);
        for (int k = f; k < end; ++k) {
          anchors[at(k)].push_back({b, model.points[at(p)], {sum.x, place(k).y, sum.z}});
        }
        f = end;
      }
    }
  }
  return anchors;
}

}  // namespace

TrackProblem make_problem(const Puppet& puppet, const Reference& reference, const TrackSettings& settings) {
  TrackProblem problem{.puppet = puppet,
                       .reference = reference,
                       .settings = settings,
                       .model = in_habitat(puppet.model, reference.habitat),
                       .step = {},
                       .schedule = make_schedule(reference, settings.max_step),
                       .height = puppet.metres,
                       .weight = puppet.model.total_mass() * kGravity,
                       .start_velocity = {},
                       .dense = {},
                       .poses = {},
                       .anchors = {},
                       .anchor_count = 0};
  const Model& model = problem.model;
  problem.step.ground = reference.habitat != Habitat::kFree;
  problem.step.dt = problem.schedule.dt;
  const std::vector<double> velocities = differentiate(model, reference.positions, reference.fps).velocities;
  const std::span<const double> first = row(velocities, 0, model.velocity_count());
  problem.start_velocity.assign(first.begin(), first.end());
  problem.dense = subdivide(model, reference.positions, velocities, reference.fps, problem.schedule.steps_per_frame);
  problem.poses = reference_poses(model, reference);
  problem.anchors = find_anchors(model, reference);
  for (const std::vector<Anchor>& frame : problem.anchors) problem.anchor_count += frame.size();
  return problem;
}

WarmStart warm_start(const TrackProblem& problem, Workspace& work) {
  const Model& model = problem.model;
  const TrackSchedule& schedule = problem.schedule;
  const std::size_t nq = model.position_count(), nv = model.velocity_count(), hinges = model.hinges.size();
  const double height = problem.height, weight = problem.weight;
  std::vector<double> keys;
  for (int k = 0; k < schedule.keys; ++k) {
    const std::span<const double> q = row(problem.dense, k * schedule.steps_per_key, nq);
    keys.insert(keys.end(), q.begin(), q.end());
  }
  const double key_rate = problem.reference.fps * schedule.steps_per_frame / schedule.steps_per_key;
  const Derivatives d = differentiate(model, keys, key_rate);
  WarmStart start;
  start.controls.targets.resize(at(schedule.keys) * hinges);
  double force = 0, torque = 0, worst = -1;
  for (int k = 0; k < schedule.keys; ++k) {
    const std::span<const double> q = row(std::as_const(keys), k, nq), v = row(d.velocities, k, nv);
    const Support support = find_support(model, work, q, v, row(d.accelerations, k, nv),
                                         problem.step.ground ? 0.02 * height : -1e9, 0.5 * height);
    for (std::size_t h = 0; h < hinges; ++h) {
      const HingeT<double>& hinge = model.hinges[h];
      // Not too much pull: accelerations from differences are rough.
      const double pull = std::clamp(support.torque[h] / hinge.stiffness, -0.7, 0.7);
      const double lead = std::clamp(hinge.damping * v[6 + h] / hinge.stiffness, -2.0, 2.0);
      start.controls.targets[at(k) * hinges + h] = q[7 + h] + pull + lead;
    }
    const double push = norm(support.missing.linear) / weight;
    force += push * push, torque += squared_norm(support.missing.angular) / std::pow(weight * height, 2);
    if (push > worst) {
      worst = push;
      start.worst_frame = k * schedule.steps_per_key / schedule.steps_per_frame - problem.reference.first;
    }
  }
  start.missing_force = std::sqrt(force / schedule.keys), start.missing_torque = std::sqrt(torque / schedule.keys);
  start.controls.velocity = problem.start_velocity;
  return start;
}

namespace {

/// Holds the body's own up along the world's, and lets it go and turn where it will.
Guide upright_guide(double turn, double turn_damping) {
  Guide guide;
  guide.turn = {0, turn, 0}, guide.turn_damping = {turn_damping, 0, turn_damping};
  return guide;
}

}  // namespace

std::vector<Guide> make_guides(const TrackProblem& problem, double share) {
  const Model& model = problem.model;
  const Reference& reference = problem.reference;
  const std::size_t nq = model.position_count();
  const double mass = model.total_mass(), height = problem.height, weight = problem.weight, dt = problem.step.dt;
  const double pull = share * weight / (0.04 * height), turn = share * weight * height * 0.5;
  const double inertia = mass * height * height * 0.08;
  const double damping = 1.4 * std::sqrt(pull * mass), turn_damping = 1.4 * std::sqrt(turn * inertia);
  if (problem.settings.help == RootHelp::kUpright) {
    return std::vector<Guide>(at(problem.schedule.steps), upright_guide(turn, turn_damping));
  }
  // Less help against gravity: legs are there for that, unless it leaps.
  const bool leaps = std::find(reference.flight.begin(), reference.flight.end(), true) != reference.flight.end();
  const double up = reference.habitat == Habitat::kFree || leaps ? 1 : 0.3;
  std::vector<Guide> guides(at(problem.schedule.steps));
  std::vector<double> change(model.velocity_count());
  for (int i = 0; i < problem.schedule.steps; ++i) {
    const std::span<const double> q = row(problem.dense, i, nq);
    position_difference<double>(model, q, row(problem.dense, i + 1, nq), change);
    Guide& guide = guides[at(i)];
    guide.position = root_of(q), guide.rotation = root_rotation<double>(q);
    guide.velocity = Vec3d{change[3], change[4], change[5]} / dt;
    guide.angular_velocity = Vec3d{change[0], change[1], change[2]} / dt;
    guide.pull = {pull, up * pull, pull};
    guide.pull_damping = {damping, std::sqrt(up) * damping, damping};
    guide.turn = {turn / 2, turn / 2, turn / 2};
    guide.turn_damping = {turn_damping, turn_damping, turn_damping};
  }
  return guides;
}

}  // namespace limber::physics
