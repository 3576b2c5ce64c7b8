// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/trajectory.h"

#include <gtest/gtest.h>

#include "limber/physics/physics_testing.h"

namespace limber::physics {
namespace {

constexpr double kFps = 24;

/// A motion with one velocity all the time.
struct Steady {
  std::vector<double> velocity, positions;
};

Steady steady_motion(const Model& model, int frames) {
  testing::State state = testing::random_state(model, 3, 1);
  Steady steady{state.v, {}};
  std::vector<double> delta = state.v;
  for (double& d : delta) d /= kFps;
  for (int f = 0; f < frames; ++f) {
    steady.positions.insert(steady.positions.end(), state.q.begin(), state.q.end());
    integrate_position<double>(model, std::vector<double>(state.q), delta, state.q);
  }
  return steady;
}

TEST(PhysicsTrajectory, ASteadyMotionHasItsVelocityAndNoAcceleration) {
  const Model model = testing::random_model(4, 2);
  const Steady steady = steady_motion(model, 5);
  const Derivatives d = differentiate(model, steady.positions, kFps);
  const std::size_t nv = model.velocity_count();
  for (int f = 0; f < 5; ++f) {
    for (std::size_t k = 0; k < nv; ++k) {
      EXPECT_NEAR(row(d.velocities, f, nv)[k], steady.velocity[k], 1e-9) << f << " " << k;
      EXPECT_NEAR(row(d.accelerations, f, nv)[k], 0, 1e-6) << f << " " << k;
    }
  }
}

TEST(PhysicsTrajectory, SubdividedPositionsPassThroughTheFramesAndStaySteadyBetweenThem) {
  const Model model = testing::random_model(4, 2);
  const std::size_t nq = model.position_count(), nv = model.velocity_count();
  const Steady steady = steady_motion(model, 4);
  const std::vector<double> velocities = differentiate(model, steady.positions, kFps).velocities;
  const std::vector<double> dense = subdivide(model, steady.positions, velocities, kFps, 5);
  ASSERT_EQ(dense.size(), 16 * nq);
  for (int f = 0; f < 4; ++f) {
    for (std::size_t k = 0; k < nq; ++k) EXPECT_NEAR(row(dense, 5 * f, nq)[k], row(steady.positions, f, nq)[k], 1e-12);
  }
  std::vector<double> delta(nv);
  for (int i = 0; i + 1 < 16; ++i) {
    position_difference<double>(model, row(dense, i, nq), row(dense, i + 1, nq), delta);
    for (std::size_t k = 0; k < nv; ++k) EXPECT_NEAR(delta[k] * kFps * 5, steady.velocity[k], 1e-7) << i << " " << k;
  }
}

TEST(PhysicsTrajectory, ASingleFrameIsLeftAsItIs) {
  const Model model = testing::random_model(2, 1);
  const std::vector<double> positions = steady_motion(model, 1).positions;
  EXPECT_EQ(subdivide(model, positions, differentiate(model, positions, kFps).velocities, kFps, 8), positions);
}

}  // namespace
}  // namespace limber::physics
