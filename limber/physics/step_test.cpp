// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/physics/dynamics.h"
#include "limber/physics/physics_testing.h"

namespace limber::physics {
namespace {

using testing::box_model;
using testing::Branching;
using testing::random_model;
using testing::random_state;
using testing::State;

/// Without drives and limits: only gravity and inertia.
Model passive(Model model) {
  for (auto& hinge : model.hinges) hinge.stiffness = hinge.damping = hinge.limit_stiffness = 0;
  return model;
}

void simulate(const Model& model, const StepSettings& settings, State& s, int steps, std::vector<double> targets = {}) {
  Workspace work(model);
  targets.resize(model.hinges.size());
  for (int i = 0; i < steps; ++i) {
    step<double>(model, work, settings, {targets, {}, {}}, s.q, s.v, s.q, s.v);
  }
}

TEST(PhysicsStep, FreeFallIsThatOfTheTextbook) {
  const Model model = box_model();
  State s{zero_position(model), std::vector<double>(6)};
  s.q[1] = 100;
  StepSettings settings;
  simulate(model, settings, s, 240);
  EXPECT_NEAR(s.v[4], -9.81, 1e-9);
  // Semi-implicit Euler falls g dt / 2 farther per second.
  EXPECT_NEAR(s.q[1], 100 - 9.81 / 2 * (1 + settings.dt), 1e-9);
}

TEST(PhysicsStep, FreeFlightKeepsMomentum) {
  Model model = passive(random_model(7, 2));
  model.gravity = {};
  State s = random_state(model, 2, 5, 1);
  Workspace work(model);
  const auto before = mechanics<double>(model, work, s.q, s.v);
  const StepSettings settings{.dt = 1e-4};
  for (int i = 0; i < 1000; ++i) {
    const auto last = mechanics<double>(model, work, s.q, s.v);
    simulate(model, settings, s, 1);
    const auto now = mechanics<double>(model, work, s.q, s.v);
    EXPECT_LT(norm(now.linear_momentum - last.linear_momentum), 1e-6 * norm(before.linear_momentum));
    EXPECT_LT(norm(now.angular_momentum - last.angular_momentum), 1e-6 * norm(before.angular_momentum));
  }
}

TEST(PhysicsStep, TumblingChainKeepsItsEnergy) {
  Model model = passive(random_model(5, 3, Branching::kChain));
  model.gravity = {};
  State s = random_state(model, 3, 5, 1);
  Workspace work(model);
  const double before = mechanics<double>(model, work, s.q, s.v).kinetic;
  simulate(model, {.dt = 1.0 / 480}, s, 960);
  const double after = mechanics<double>(model, work, s.q, s.v).kinetic;
  EXPECT_NEAR(after, before, 0.01 * before);
}

/// A rod of one hinge on a fixed root, swinging about z.
Model pendulum_model(double length, double mass) {
  Model model;
  model.fixed_root = true;
  model.bodies.emplace_back();
  BodyT<double> bob;
  bob.parent = 0, bob.hinge_count = 1, bob.mass = mass, bob.centre = {0, -length, 0};
  bob.inertia = {1e-9, 0, 0, 1e-9, 0, 1e-9};
  HingeT<double> hinge;
  hinge.axis = {0, 0, 1};
  model.hinges.push_back(hinge);
  model.bodies.push_back(bob);
  return model;
}

TEST(PhysicsStep, PendulumSwingsInItsPeriod) {
  const double length = 0.7;
  const Model model = pendulum_model(length, 2);
  State s{zero_position(model), std::vector<double>(7)};
  s.q[7] = 0.05;
  const StepSettings settings{.dt = 1e-4, .ground = false};
  Workspace work(model);
  const std::vector<double> targets(1);
  double crossing = 0;
  for (int i = 0; i < 20000 && crossing == 0; ++i) {
    const double before = s.q[7];
    step<double>(model, work, settings, {targets, {}, {}}, s.q, s.v, s.q, s.v);
    if (before > 0 && s.q[7] <= 0) crossing = settings.dt * (i + before / (before - s.q[7]));
  }
  const double period = 2 * kPi * std::sqrt(length / 9.81) * (1 + 0.05 * 0.05 / 16);
  EXPECT_NEAR(4 * crossing, period, 1e-3 * period);
}

TEST(PhysicsStep, DoublePendulumConvergesToFineSteps) {
  Model model = passive(random_model(3, 6, Branching::kChain));
  model.fixed_root = true;
  const State start = random_state(model, 6, 5, 0);
  const auto run = [&](double dt) {
    State s = start;
    simulate(model, {.dt = dt, .ground = false}, s, static_cast<int>(std::lround(0.5 / dt)));
    return s.q;
  };
  const std::vector<double> fine = run(1e-5), coarse = run(2e-3), middle = run(1e-3);
  double error_coarse = 0, error_middle = 0;
  for (std::size_t k = 7; k < fine.size(); ++k) {
    error_coarse = std::max(error_coarse, std::abs(coarse[k] - fine[k]));
    error_middle = std::max(error_middle, std::abs(middle[k] - fine[k]));
  }
  EXPECT_LT(error_middle, 0.02);
  EXPECT_NEAR(error_coarse / error_middle, 2, 0.3);
}

TEST(PhysicsStep, DroppedBoxRestsWhereItsStiffnessSays) {
  const Model model = box_model(10, {0.2, 0.1, 0.15});
  State s{zero_position(model), std::vector<double>(6)};
  s.q[1] = 0.3;
  simulate(model, {}, s, 720);
  for (const double x : s.v) EXPECT_NEAR(x, 0, 1e-6);
  // Four corners share the weight: k eps ln(1 + e^(-d / eps)) = m g / 4.
  const ContactLawT<double>& law = model.contact;
  const double pressed = 10 * 9.81 / 4 / (law.stiffness * law.softness);
  const double height = -law.softness * std::log(std::expm1(pressed));
  EXPECT_NEAR(s.q[1] - 0.1, height, 1e-6);
}

TEST(PhysicsStep, BoxOnASlopeSlidesOnlyIfItIsSteep) {
  for (const double slope : {0.3, 0.8, 0.88, 0.95, 1.5}) {
    Model model = box_model();
    model.contact.friction = 0.9, model.contact.stick_speed = 0.01;
    State s{zero_position(model), std::vector<double>(6)};
    s.q[1] = 0.1;
    simulate(model, {}, s, 240);
    const double angle = std::atan(slope);
    model.gravity = 9.81 * Vec3d{std::sin(angle), -std::cos(angle), 0};
    simulate(model, {}, s, 240);
    const double speed = s.v[3];
    if (slope < 0.9) {
      // Creep: v = v_s t / sqrt(1 - t^2) with t the used share of the friction.
      const double share = slope / 0.9;
      EXPECT_LT(speed, 1.1 * 0.01 * share / std::sqrt(1 - share * share)) << slope;
    } else {
      EXPECT_NEAR(speed, 9.81 * (std::sin(angle) - 0.9 * std::cos(angle)), 0.1) << slope;
    }
  }
}

TEST(PhysicsStep, FrictionStaysInTheCone) {
  Model model = random_model(6, 9);
  model.contact.stick_speed = 0.05;
  State s = random_state(model, 9, 0.5, 2);
  Workspace work(model);
  const std::vector<double> targets(model.hinges.size());
  const StepSettings settings{.dt = 1.0 / 480};
  std::size_t seen = 0;
  for (int i = 0; i < 960; ++i) {
    step<double>(model, work, settings, {targets, {}, {}}, s.q, s.v, s.q, s.v);
    for (const ContactT<double>& c : work.contacts) {
      // The law itself, before the step's own acceleration.
      const double law = c.drag * std::hypot(c.velocity.x, c.velocity.z);
      EXPECT_LE(law, model.contact.friction * c.push);
      EXPECT_GE(c.push, 0);
      ++seen;
    }
  }
  EXPECT_GT(seen, 1000u);
}

TEST(PhysicsStep, StiffDrivesAreStableAtLongSteps) {
  Model model = random_model(8, 12);
  for (auto& hinge : model.hinges) hinge.stiffness = 1e6, hinge.damping = 1e3;
  State s = random_state(model, 12, 0.5, 2);
  simulate(model, {.dt = 1.0 / 60}, s, 600);
  for (const double x : s.v) EXPECT_LT(std::abs(x), 0.5);
}

TEST(PhysicsStep, NeverExplodes) {
  // A body on the ground whose targets jump about at random, for a million steps in all.
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Model model = random_model(4, 60 + seed);
    State s = random_state(model, seed, 0.4, 3);
    Workspace work(model);
    Rng rng(seed);
    std::vector<double> targets(model.hinges.size());
    double fastest = 0, highest = 0;
    for (int i = 0; i < 250000; ++i) {
      if (i % 60 == 0) std::generate(targets.begin(), targets.end(), [&] { return rng.uniform(-1.5, 1.5); });
      step<double>(model, work, {}, {targets, {}, {}}, s.q, s.v, s.q, s.v);
      for (std::size_t k = 0; k < s.v.size(); ++k) fastest = std::max(fastest, std::abs(s.v[k]));
      highest = std::max(highest, std::abs(s.q[1]));
      ASSERT_TRUE(std::isfinite(fastest) && std::isfinite(s.q[1])) << i;
    }
    EXPECT_LE(fastest, 200);
    EXPECT_LT(highest, 5);
  }
}

TEST(PhysicsStep, ASlowStepAndNoStepAreHarmless) {
  const Model model = random_model(3, 4);
  const State start = random_state(model, 4, 0.2);
  State s = start;
  simulate(model, {.dt = 0}, s, 3);
  EXPECT_EQ(s.v, start.v);
  for (std::size_t k = 0; k < s.q.size(); ++k) EXPECT_NEAR(s.q[k], start.q[k], 1e-15);
  simulate(model, {.dt = 0.2}, s, 50);
  for (const double x : s.q) EXPECT_TRUE(std::isfinite(x));
}

}  // namespace
}  // namespace limber::physics
