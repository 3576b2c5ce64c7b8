// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/rollout.h"

#include <gtest/gtest.h>

#include "limber/base/threads.h"
#include "limber/physics/physics_testing.h"
#include "limber/testing/gradient_check.h"

namespace limber::physics {
namespace {

using limber::testing::check_gradient;
using limber::testing::GradientCheck;
using testing::random_model;
using testing::random_state;
using testing::State;

/// A creature-like body: three legs of two bodies each with firm drives, standing.
Model tripod() {
  Model model;
  BodyT<double> trunk;
  trunk.mass = 8, trunk.inertia = testing::box_inertia(8, {0.2, 0.1, 0.2});
  testing::add_corners(model, trunk, {}, {0.2, 0.1, 0.2});
  model.bodies.push_back(trunk);
  for (int leg = 0; leg < 3; ++leg) {
    const double angle = 2 * kPi * leg / 3;
    const Vec3d out{std::cos(angle), 0, std::sin(angle)}, across{-std::sin(angle), 0, std::cos(angle)};
    for (int part = 0; part < 2; ++part) {
      BodyT<double> body;
      body.parent = part == 0 ? 0 : model.body_count() - 1;
      body.first_hinge = model.hinge_count(), body.hinge_count = 2;
      for (int k = 0; k < 2; ++k) {
        HingeT<double> hinge;
        hinge.axis = k == 0 ? across : out;
        if (k == 0) hinge.offset = part == 0 ? 0.2 * out : Vec3d{0, -0.25, 0};
        hinge.stiffness = 300, hinge.damping = 15;
        model.hinges.push_back(hinge);
      }
      body.mass = 0.5, body.centre = {0, -0.125, 0}, body.inertia = testing::box_inertia(0.5, {0.03, 0.125, 0.03});
      testing::add_corners(model, body, body.centre, {0.03, 0.125, 0.03});
      model.bodies.push_back(body);
    }
  }
  model.contact = testing::soft_ground(model.total_mass());
  return model;
}

struct Problem {
  Model model;
  State state;
  StepSettings settings;
  int steps, keys, steps_per_key;
  std::vector<double> targets, weights_q, weights_v;
  std::vector<Spatial> wrenches;

  Problem(Model m, State s, int step_count, int per_key)
      : model(std::move(m)),
        state(std::move(s)),
        steps(step_count),
        keys(step_count / per_key + 1),
        steps_per_key(per_key),
        targets(static_cast<std::size_t>(keys) * model.hinges.size()),
        weights_q(static_cast<std::size_t>(steps + 1) * model.velocity_count()),
        weights_v(weights_q.size()),
        wrenches(static_cast<std::size_t>(keys)) {
    Rng rng(3);
    for (double& x : targets) x = rng.uniform(-0.3, 0.3);
    // The loss looks at a few states, as a tracking loss does.
    const std::size_t n = model.velocity_count();
    for (int i = per_key; i <= steps; i += per_key) {
      for (std::size_t k = 3; k < n; ++k) {
        weights_q[static_cast<std::size_t>(i) * n + k] = rng.uniform(-1, 1);
        weights_v[static_cast<std::size_t>(i) * n + k] = 0.1 * rng.uniform(-1, 1);
      }
    }
  }

  RolloutInputT<double> input() const { return {state.q, state.v, steps, steps_per_key, targets, wrenches, {}}; }
  RolloutT<double> run(const RolloutInputT<double>& in) const {
    Workspace work(model);
    RolloutT<double> rollout;
    rollout_forward(model, work, settings, in, rollout);
    return rollout;
  }
  double loss(const RolloutT<double>& rollout) const {
    const std::size_t n = model.velocity_count();
    double sum = 0;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(steps); ++i) {
      for (std::size_t k = 3; k < n; ++k) {
        const double q = k < 6 ? rollout.q[i * (n + 1) + k - 3] : rollout.q[i * (n + 1) + k + 1];
        sum += weights_q[i * n + k] * q + weights_v[i * n + k] * rollout.v[i * n + k];
      }
    }
    return sum;
  }
  RolloutGradientT<double> gradient(const ClipSettings& clip = {}) const {
    Workspace work(model);
    RolloutGradientT<double> g;
    rollout_backward<double>(model, work, settings, input(), run(input()), weights_q, weights_v, clip, g);
    return g;
  }

  /// On the start velocity, a few targets and the first wrench.
  GradientCheck check(double step_size) const {
    const RolloutGradientT<double> g = gradient();
    std::vector<double> x(state.v), expected(g.v);
    const std::size_t n = x.size(), some = std::min<std::size_t>(12, targets.size());
    x.insert(x.end(), targets.begin(), targets.begin() + static_cast<std::ptrdiff_t>(some));
    expected.insert(expected.end(), g.targets.begin(), g.targets.begin() + static_cast<std::ptrdiff_t>(some));
    for (int k = 0; k < 3; ++k) x.push_back(0), expected.push_back(g.wrenches[0].linear[k]);
    const auto f = [&](std::span<const double> y) {
      std::vector<double> moved(targets);
      std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(n), some, moved.begin());
      std::vector<Spatial> pushed(wrenches);
      for (int k = 0; k < 3; ++k) pushed[0].linear[k] += y[n + some + static_cast<std::size_t>(k)];
      RolloutInputT<double> in = input();
      in.v = y.subspan(0, n), in.targets = moved, in.wrenches = pushed;
      return loss(run(in));
    };
    return check_gradient(f, x, expected, {.step = step_size, .steps = {}, .floor = 1e-3});
  }
};

State standing(const Model& model, double height) {
  State s{zero_position(model), std::vector<double>(model.velocity_count())};
  s.q[1] = height;
  return s;
}

TEST(PhysicsRolloutGrad, IsExactThroughSixtyStepsInContact) {
  Problem problem(tripod(), standing(tripod(), 0.51), 60, 12);
  problem.model.contact.softness = 0.01;
  const GradientCheck check = problem.check(1e-5);
  EXPECT_LT(check.error, 1e-5) << check.summary();
}

TEST(PhysicsRolloutGrad, IsExactThroughFiveHundredSteps) {
  Problem problem(tripod(), standing(tripod(), 0.51), 500, 50);
  problem.model.contact.softness = 0.01;
  const GradientCheck check = problem.check(3e-6);
  EXPECT_LT(check.error, 1e-4) << check.summary();
}

TEST(PhysicsRolloutGrad, IsExactThroughSixHundredStepsInTheAir) {
  Model model = random_model(5, 7);
  for (auto& hinge : model.hinges) hinge.lower = -100, hinge.upper = 100;
  Problem problem(model, random_state(model, 7, 3, 0.3), 600, 60);
  problem.settings.ground = false;
  problem.model.gravity = {};
  const GradientCheck check = problem.check(1e-5);
  EXPECT_LT(check.error, 1e-5) << check.summary();
}

TEST(PhysicsRolloutGrad, ClippingScalesTheGradientBackAndCounts) {
  Problem problem(tripod(), standing(tripod(), 0.51), 240, 24);
  const RolloutGradientT<double> exact = problem.gradient(), loose = problem.gradient({24, 1e6});
  EXPECT_EQ(loose.chunks, 10);
  EXPECT_EQ(loose.clipped, 0);
  EXPECT_EQ(exact.targets, loose.targets);
  const RolloutGradientT<double> tight = problem.gradient({24, 1e-3});
  EXPECT_GT(tight.clipped, 5);
  double long_ = 0, short_ = 0;
  for (const double x : exact.v) long_ += x * x;
  for (const double x : tight.v) short_ += x * x;
  EXPECT_LT(short_, long_);
}

TEST(PhysicsRollout, SameBitsForAnyThreadCount) {
  const Model model = tripod();
  std::vector<Problem> problems;
  for (int i = 0; i < 6; ++i) {
    problems.emplace_back(model, standing(model, 0.51 + 0.05 * i), 200, 20);
  }
  std::vector<RolloutInputT<double>> inputs;
  for (const Problem& problem : problems) inputs.push_back(problem.input());
  std::vector<std::vector<RolloutT<double>>> results;
  for (const int threads : {1, 2, 4}) {
    set_thread_count(threads);
    results.emplace_back(inputs.size());
    rollouts_forward<double>(model, {}, inputs, results.back());
  }
  set_thread_count(0);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(results[0][i].q, results[1][i].q);
    EXPECT_EQ(results[0][i].q, results[2][i].q);
    EXPECT_EQ(results[0][i].finite_steps, 200);
  }
  EXPECT_NE(results[0][0].q, results[0][1].q);
}

TEST(PhysicsRollout, StopsWhereNumbersStopBeingFinite) {
  Problem problem(tripod(), standing(tripod(), 0.51), 100, 10);
  problem.targets[5 * problem.model.hinges.size() + 2] = std::nan("");
  const RolloutT<double> rollout = problem.run(problem.input());
  EXPECT_EQ(rollout.finite_steps, 40);  // a share of zero of a key that is not a number
  for (const double x : rollout.q) EXPECT_TRUE(std::isfinite(x));
}

TEST(PhysicsRollout, AStandingBodyStands) {
  Problem problem(tripod(), standing(tripod(), 0.51), 960, 960);
  std::fill(problem.targets.begin(), problem.targets.end(), 0.0);
  const RolloutT<double> rollout = problem.run(problem.input());
  const std::size_t last = rollout.q.size() - problem.model.position_count();
  EXPECT_NEAR(rollout.q[last + 1], 0.5, 0.01);
  EXPECT_LT(std::hypot(rollout.q[last], rollout.q[last + 2]), 0.01);
}

}  // namespace
}  // namespace limber::physics
