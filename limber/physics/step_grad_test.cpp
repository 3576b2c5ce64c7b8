// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "limber/physics/physics_testing.h"
#include "limber/physics/step.h"
#include "limber/testing/gradient_check.h"

namespace limber::physics {
namespace {

using limber::testing::check_gradient;
using limber::testing::GradientCheck;
using testing::random_model;
using testing::random_state;
using testing::State;

/// One step as a function of a change of q, v, the targets and the external wrenches, weighed at random.
struct StepProblem {
  Model model;
  State state;
  StepSettings settings;
  Guide guide;
  std::vector<double> targets;
  std::vector<Spatial> external;
  std::vector<double> weight_q, weight_v;

  StepProblem(Model m, std::uint64_t seed, double height)
      : model(std::move(m)),
        state(random_state(model, seed, height)),
        targets(model.hinges.size()),
        external(model.bodies.size()),
        weight_q(model.velocity_count()),
        weight_v(model.velocity_count()) {
    Rng rng(seed, 5);
    for (double& x : targets) x = rng.uniform(-1, 1);
    for (double& x : weight_q) x = rng.uniform(-10, 10);
    for (double& x : weight_v) x = rng.uniform(-1, 1);
  }

  std::vector<double> point() const {
    std::vector<double> x(2 * model.velocity_count());
    std::copy(state.v.begin(), state.v.end(), x.begin() + static_cast<std::ptrdiff_t>(model.velocity_count()));
    x.insert(x.end(), targets.begin(), targets.end());
    for (const Spatial& w : external) {
      for (int k = 0; k < 3; ++k) x.push_back(w.angular[k]);
      for (int k = 0; k < 3; ++k) x.push_back(w.linear[k]);
    }
    return x;
  }

  double value(std::span<const double> x) const {
    const std::size_t n = model.velocity_count(), hinges = model.hinges.size();
    std::vector<double> q(state.q), next_q(q), next_v(n), change(n);
    integrate_position<double>(model, state.q, x.subspan(0, n), q);
    std::vector<Spatial> wrenches(external.size());
    for (std::size_t b = 0; b < wrenches.size(); ++b) {
      const std::span<const double> w = x.subspan(2 * n + hinges + 6 * b, 6);
      wrenches[b] = {{w[0], w[1], w[2]}, {w[3], w[4], w[5]}};
    }
    Workspace work(model);
    step<double>(model, work, settings, {x.subspan(2 * n, hinges), guide, wrenches}, q, x.subspan(n, n), next_q,
                 next_v);
    // Measured from where the step goes at x = 0, so that turns of the root are seen from a fixed place.
    std::vector<double> origin(state.q), rest_v(n);
    step<double>(model, work, settings, {targets, guide, external}, state.q, state.v, origin, rest_v);
    position_difference<double>(model, origin, next_q, change);
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += weight_q[k] * change[k] + weight_v[k] * next_v[k];
    return sum;
  }

  std::vector<double> gradient() const {
    const std::size_t n = model.velocity_count();
    std::vector<double> q(n), v(n), grad_targets(targets.size());
    std::vector<Spatial> grad_external(external.size());
    Workspace work(model);
    step_backward<double>(model, work, settings, {targets, guide, external}, state.q, state.v, weight_q, weight_v,
                          {q, v, grad_targets, grad_external});
    q.insert(q.end(), v.begin(), v.end());
    q.insert(q.end(), grad_targets.begin(), grad_targets.end());
    for (const Spatial& w : grad_external) {
      for (int k = 0; k < 3; ++k) q.push_back(w.angular[k]);
      for (int k = 0; k < 3; ++k) q.push_back(w.linear[k]);
    }
    return q;
  }

  GradientCheck check(double size = 1e-4) const {
    return check_gradient([this](std::span<const double> x) { return value(x); }, point(), gradient(),
                          {.step = size, .steps = {}, .floor = 1e-3});
  }
};

TEST(PhysicsStepGrad, IsExactInTheAir) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    StepProblem problem(random_model(1 + 2 * static_cast<int>(seed), seed), seed, 2);
    problem.settings.ground = false;
    for (auto& hinge : problem.model.hinges) hinge.limit_stiffness = 0;
    const GradientCheck check = problem.check();
    EXPECT_LT(check.error, 1e-6) << seed << ": " << check.summary();
  }
}

TEST(PhysicsStepGrad, IsExactAtJointLimits) {
  StepProblem problem(random_model(8, 11), 11, 2);
  problem.model.limit_softness = 0.1;
  const GradientCheck check = problem.check();
  EXPECT_LT(check.error, 1e-6) << check.summary();
}

TEST(PhysicsStepGrad, IsExactInSoftContact) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    StepProblem problem(random_model(6, seed), seed, 0.1);
    Workspace work(problem.model);
    std::vector<double> q(problem.state.q), v(problem.state.v);
    step<double>(problem.model, work, problem.settings, {problem.targets, {}, {}}, q, v, q, v);
    EXPECT_GE(work.contacts.size(), 4u);
    problem.model.contact.softness = 0.01;
    const GradientCheck check = problem.check(3e-5);
    EXPECT_LT(check.error, 1e-6) << seed << ": " << check.summary();
  }
}

TEST(PhysicsStepGrad, IsExactInHardContact) {
  StepProblem problem(random_model(6, 21), 21, 0.1);
  problem.model.contact = {5e4, 0.001, 2, 0.05, 0.9, 0.01};
  const GradientCheck check = problem.check(3e-6);
  EXPECT_LT(check.error, 1e-5) << check.summary();
}

TEST(PhysicsStepGrad, IsExactForTheGuideAndExternalForces) {
  StepProblem problem(random_model(5, 31), 31, 2);
  Rng rng(31);
  problem.guide.position = testing::random_vec(rng, 1), problem.guide.velocity = testing::random_vec(rng, 1);
  problem.guide.rotation = to_matrix(rotation_quat(testing::random_vec(rng, 1)));
  problem.guide.angular_velocity = testing::random_vec(rng, 1);
  problem.guide.pull = {100, 200, 300}, problem.guide.pull_damping = {10, 20, 30};
  problem.guide.turn = {30, 50, 20}, problem.guide.turn_damping = {1, 2, 3};
  for (Spatial& w : problem.external) w = {testing::random_vec(rng, 10), testing::random_vec(rng, 10)};
  const GradientCheck check = problem.check();
  EXPECT_LT(check.error, 1e-6) << check.summary();
}

TEST(PhysicsStepGrad, IsExactForAFixedRoot) {
  StepProblem problem(random_model(5, 41), 41, 0.2);
  problem.model.fixed_root = true;
  std::fill_n(problem.state.v.begin(), 6, 0.0);
  std::fill_n(problem.weight_v.begin(), 6, 0.0);
  const std::size_t n = problem.model.velocity_count();
  std::vector<double> gradient = problem.gradient(), x = problem.point();
  for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(gradient[n + k], 0);
  const GradientCheck check = problem.check(3e-5);
  EXPECT_LT(check.error, 1e-6) << check.summary();
}

TEST(PhysicsStepGrad, FloatAgreesWithDouble) {
  const StepProblem problem(random_model(10, 51), 51, 0.1);
  const ModelT<float> model = problem.model.cast<float>();
  const auto single = [](const std::vector<double>& x) { return std::vector<float>(x.begin(), x.end()); };
  const std::vector<float> q = single(problem.state.q), v = single(problem.state.v), targets = single(problem.targets);
  std::vector<float> grad_q(v.size()), grad_v(v.size()), grad_targets(targets.size());
  WorkspaceT<float> work(model);
  step_backward<float>(model, work, problem.settings, {targets, {}, {}}, q, v, single(problem.weight_q),
                       single(problem.weight_v), {grad_q, grad_v, grad_targets, {}});
  const std::vector<double> expected = problem.gradient();
  double square = 0, difference = 0;
  const auto add = [&](double e, double a) { square += e * e, difference += (e - a) * (e - a); };
  for (std::size_t k = 0; k < v.size(); ++k) add(expected[k], grad_q[k]), add(expected[v.size() + k], grad_v[k]);
  for (std::size_t k = 0; k < targets.size(); ++k) add(expected[2 * v.size() + k], grad_targets[k]);
  EXPECT_LT(std::sqrt(difference / square), 1e-4);
}

}  // namespace
}  // namespace limber::physics
