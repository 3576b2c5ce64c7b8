// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "limber/physics/dynamics.h"
#include "limber/physics/physics_testing.h"
#include "limber/physics/rotation.h"
#include "limber/physics/track_loss.h"
#include "limber/testing/gradient_check.h"

namespace limber::physics {
namespace {

using limber::testing::check_gradient;
using limber::testing::GradientCheck;

constexpr int kFrames = 4;

Puppet random_puppet(std::uint64_t seed) {
  Puppet puppet;
  puppet.model = testing::random_model(4, seed);
  puppet.metres = 1.3;
  return puppet;
}

/// Moves steadily; one point of every body is planted in two frames.
Reference random_reference(const Model& model, Habitat habitat, std::uint64_t seed) {
  Reference reference;
  reference.habitat = habitat;
  reference.frames = reference.count = kFrames;
  testing::State state = testing::random_state(model, seed, 0.3, 1);
  std::vector<double> delta = state.v;
  for (double& d : delta) d /= reference.fps;
  for (int f = 0; f < kFrames; ++f) {
    reference.positions.insert(reference.positions.end(), state.q.begin(), state.q.end());
    integrate_position<double>(model, std::vector<double>(state.q), delta, state.q);
  }
  reference.flight.assign(kFrames, false);
  reference.planted.assign(model.points.size(), std::vector<bool>(kFrames));
  for (const BodyT<double>& body : model.bodies) {
    reference.planted[static_cast<std::size_t>(body.first_point)][1] = true;
    reference.planted[static_cast<std::size_t>(body.first_point)][2] = true;
  }
  return reference;
}

/// The gradient on all targets and the start's velocity against differences of the loss.
GradientCheck check_track_loss(Habitat habitat, std::uint64_t seed, RootHelp help = RootHelp::kFull) {
  const Puppet puppet = random_puppet(seed);
  const Reference reference = random_reference(puppet.model, habitat, seed);
  TrackSettings settings;
  settings.max_step = 1.0 / 72, settings.clip_growth = 0;  // the exact gradient
  settings.help = help;
  const TrackProblem problem = make_problem(puppet, reference, settings);
  Workspace work(problem.model);
  TrackControls controls = warm_start(problem, work).controls;
  for (std::size_t k = 0; k < controls.targets.size(); ++k) controls.targets[k] += 0.1 * static_cast<double>(k % 5);
  const std::vector<Guide> guides = make_guides(problem, 0.2);

  const RolloutGradientT<double> analytic =
      loss_gradient(problem, work, guides, controls, play(problem, work, guides, controls));
  std::vector<double> x = controls.targets, gradient = analytic.targets;
  x.insert(x.end(), controls.velocity.begin(), controls.velocity.end());
  gradient.insert(gradient.end(), analytic.v.begin(), analytic.v.end());
  const auto loss = [&](std::span<const double> changed) {
    const std::size_t targets = controls.targets.size();
    const TrackControls other{{changed.begin(), changed.begin() + static_cast<std::ptrdiff_t>(targets)},
                              {changed.begin() + static_cast<std::ptrdiff_t>(targets), changed.end()}};
    return play(problem, work, guides, other).loss;
  };
  return check_gradient(loss, x, gradient, {.step = 1e-4, .steps = {}, .floor = 1e-3});
}

TEST(PhysicsTrackLossGrad, IsExactInTheAir) {
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    const GradientCheck check = check_track_loss(Habitat::kFree, seed);
    EXPECT_LT(check.error, 1e-5) << seed << ": " << check.summary();
  }
}

TEST(PhysicsTrackLossGrad, IsExactOnTheGround) {
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    const GradientCheck check = check_track_loss(Habitat::kGround, seed);
    EXPECT_LT(check.error, 1e-3) << seed << ": " << check.summary();
  }
}

TEST(PhysicsTrackLossGrad, IsExactWithAForceThatOnlyKeepsTheRootUpright) {
  const GradientCheck check = check_track_loss(Habitat::kFree, 1, RootHelp::kUpright);
  EXPECT_LT(check.error, 1e-5) << check.summary();
}

TEST(PhysicsTrackLoss, AkdsIsEquationThirteenAndNothingElse) {
  const Puppet puppet = random_puppet(3);
  Reference reference = random_reference(puppet.model, Habitat::kGround, 3);
  TrackSettings settings;
  settings.loss = TrackLoss::kAkd, settings.max_step = 1.0 / 72;
  const TrackProblem problem = make_problem(puppet, reference, settings);
  ASSERT_GT(problem.anchor_count, 0u);
  Workspace work(problem.model);
  const TrackControls controls = warm_start(problem, work).controls;
  const Played played = play(problem, work, make_guides(problem, 1), controls);
  double bones = 0, second = 0;
  const std::size_t bodies = problem.model.bodies.size(), nq = problem.model.position_count();
  for (int f = 1; f < kFrames; ++f) {
    std::vector<Affined> poses(bodies);
    const auto first = static_cast<std::size_t>(f * problem.schedule.steps_per_frame) * nq;
    body_poses<double>(problem.model, work, std::span<const double>(played.rollout.q).subspan(first, nq), poses);
    for (std::size_t b = 0; b < bodies; ++b) {
      const Affined& wanted = problem.poses[static_cast<std::size_t>(f) * bodies + b];
      const Vec3d apart = (poses[b].translation - wanted.translation) / problem.height;
      const Vec3d turn = rotation_vector(to_quat(poses[b].linear * transposed(wanted.linear)));
      for (int k = 0; k < 3; ++k) bones += std::abs(apart[k]) + std::abs(turn[k]);
    }
  }
  const std::size_t hinges = problem.model.hinges.size();
  for (std::size_t k = hinges; k + hinges < controls.targets.size(); ++k) {
    second += std::abs(controls.targets[k - hinges] - 2 * controls.targets[k] + controls.targets[k + hinges]);
  }
  const double terms = static_cast<double>(static_cast<std::size_t>(problem.schedule.keys - 2) * hinges);
  EXPECT_NEAR(played.loss, bones / ((kFrames - 1) * static_cast<double>(bodies)) + 0.2 * second / terms, 1e-12);
}

TEST(PhysicsTrackProblem, AForceThatOnlyKeepsTheRootUprightNeitherPullsNorTurnsItRound) {
  const Puppet puppet = random_puppet(4);
  const Reference reference = random_reference(puppet.model, Habitat::kGround, 4);
  TrackSettings settings;
  settings.help = RootHelp::kUpright;
  const TrackProblem problem = make_problem(puppet, reference, settings);
  const std::vector<Guide> guides = make_guides(problem, 1);
  ASSERT_EQ(guides.size(), static_cast<std::size_t>(problem.schedule.steps));
  for (const Guide& guide : guides) {
    EXPECT_EQ(norm(guide.pull) + norm(guide.pull_damping), 0);
    EXPECT_EQ(guide.turn.x + guide.turn.z + guide.turn_damping.y, 0);
    EXPECT_GT(guide.turn.y, 0);
    EXPECT_EQ(guide.rotation.column(1).y, 1);
  }
}

TEST(PhysicsTrackLoss, ASimulationThatIsLostIsNotMistakenForAGoodOne) {
  const Puppet puppet = random_puppet(2);
  const Reference reference = random_reference(puppet.model, Habitat::kFree, 2);
  const TrackSettings settings;
  const TrackProblem problem = make_problem(puppet, reference, settings);
  Workspace work(problem.model);
  TrackControls controls = warm_start(problem, work).controls;
  controls.velocity[3] = 1e200;  // finite, but its square is not
  EXPECT_EQ(play(problem, work, make_guides(problem, 1), controls).loss, kLostLoss);
}

}  // namespace
}  // namespace limber::physics
