// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/dynamics.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "limber/physics/physics_testing.h"

namespace limber::physics {
namespace {

using testing::random_model;
using testing::random_state;
using testing::State;

double largest(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (std::size_t k = 0; k < a.size(); ++k) worst = std::max(worst, std::abs(a[k] - b[k]));
  return worst;
}

/// The mass matrix, column by column from inverse dynamics.
std::vector<std::vector<double>> mass_matrix(const Model& model, const std::vector<double>& q) {
  Model weightless = model;
  weightless.gravity = {};
  Workspace work(model);
  const std::size_t n = model.velocity_count();
  std::vector<std::vector<double>> columns;
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<double> unit(n), tau(n), still(n);
    unit[k] = 1;
    inverse_dynamics<double>(weightless, work, q, still, unit, tau);
    columns.push_back(tau);
  }
  return columns;
}

TEST(PhysicsDynamics, ForwardUndoesInverse) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Model model = random_model(1 + static_cast<int>(seed), seed);
    ASSERT_TRUE(check_model(model).ok());
    const State s = random_state(model, seed, 1, 3);
    Workspace work(model);
    Rng rng(seed);
    std::vector<double> a(s.v.size()), tau(a.size()), back(a.size());
    for (double& x : a) x = rng.uniform(-5, 5);
    inverse_dynamics<double>(model, work, s.q, s.v, a, tau);
    forward_dynamics<double>(model, work, s.q, s.v, tau, back);
    EXPECT_LT(largest(a, back), 1e-10) << seed;
    inverse_dynamics<double>(model, work, s.q, s.v, back, a);
    EXPECT_LT(largest(a, tau), 1e-11 * (1 + *std::max_element(tau.begin(), tau.end()))) << seed;
  }
}

TEST(PhysicsDynamics, MassMatrixIsSymmetricAndGivesKineticEnergy) {
  const Model model = random_model(9, 5);
  const State s = random_state(model, 5, 1, 2);
  const auto m = mass_matrix(model, s.q);
  double energy = 0;
  for (std::size_t i = 0; i < m.size(); ++i) {
    for (std::size_t j = 0; j < m.size(); ++j) {
      EXPECT_NEAR(m[i][j], m[j][i], 1e-12);
      energy += s.v[i] * m[i][j] * s.v[j] / 2;
    }
    EXPECT_GT(m[i][i], 0);
  }
  Workspace work(model);
  EXPECT_NEAR(mechanics<double>(model, work, s.q, s.v).kinetic, energy, 1e-12 * energy);
}

TEST(PhysicsDynamics, VelocitiesAreDerivativesOfPositions) {
  const Model model = random_model(8, 3);
  const State s = random_state(model, 3, 1, 2);
  Workspace work(model);
  const double h = 1e-5;
  std::vector<double> step(s.v), ahead(s.q), behind(s.q);
  for (double& x : step) x *= h;
  integrate_position<double>(model, s.q, step, ahead);
  for (double& x : step) x = -x;
  integrate_position<double>(model, s.q, step, behind);
  const auto now = mechanics<double>(model, work, s.q, s.v);
  const auto next = mechanics<double>(model, work, ahead, s.v), last = mechanics<double>(model, work, behind, s.v);
  const Vec3d velocity = (next.centre - last.centre) / (2 * h);
  EXPECT_LT(norm(model.total_mass() * velocity - now.linear_momentum), 1e-7);
}

TEST(PhysicsDynamics, PositionDifferenceUndoesIntegration) {
  const Model model = random_model(5, 8);
  const State a = random_state(model, 1, 1), b = random_state(model, 2, 3);
  std::vector<double> delta(model.velocity_count()), back(a.q);
  position_difference<double>(model, a.q, b.q, delta);
  integrate_position<double>(model, a.q, delta, back);
  for (std::size_t k = 0; k < back.size(); ++k) EXPECT_NEAR(back[k], b.q[k], 1e-12) << k;
}

TEST(PhysicsDynamics, FloatAgreesWithDouble) {
  const Model model = random_model(12, 4);
  const ModelT<float> single = model.cast<float>();
  const State s = random_state(model, 4, 1, 2);
  const std::vector<float> q(s.q.begin(), s.q.end()), v(s.v.begin(), s.v.end());
  std::vector<double> tau(s.v.size()), a(s.v.size());
  std::vector<float> tau_single(s.v.size()), a_single(s.v.size());
  Workspace work(model);
  WorkspaceT<float> work_single(single);
  forward_dynamics<double>(model, work, s.q, s.v, tau, a);
  forward_dynamics<float>(single, work_single, q, v, tau_single, a_single);
  double scale = 0;
  for (const double x : a) scale = std::max(scale, std::abs(x));
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], a_single[k], 1e-4 * scale) << k;
}

TEST(PhysicsDynamics, RefusesBrokenModels) {
  Model model = random_model(4, 1);
  model.bodies[2].parent = 3;
  EXPECT_FALSE(check_model(model).ok());
  model = random_model(4, 1);
  model.bodies[1].mass = 0;
  EXPECT_FALSE(check_model(model).ok());
  model = random_model(4, 1);
  model.hinges[0].axis = {};
  EXPECT_FALSE(check_model(model).ok());
  EXPECT_FALSE(check_model(Model{}).ok());
  model = random_model(4, 1);
  Workspace other(random_model(5, 1));
  std::vector<double> v(model.velocity_count());
  EXPECT_THROW(inverse_dynamics<double>(model, other, zero_position(model), v, v, v), ContractError);
}

}  // namespace
}  // namespace limber::physics
