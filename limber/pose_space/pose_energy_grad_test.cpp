// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "limber/pose_space/pose_energy.h"
#include "limber/pose_space/pose_testing.h"
#include "limber/testing/gradient_check.h"
#include "limber/testing/toy_rigs.h"

namespace limber::pose_space {
namespace {

PoseState random_state(const PoseSkeleton& skeleton, std::uint64_t seed, double size) {
  Rng rng(seed, 6);
  PoseState state(skeleton.joints.size() * kStateSize);
  for (double& v : state) v = size * rng.normal();
  return state;
}

/// The gradient of an energy on a state against differences; the energy must be at work there.
void expect_gradient(const PoseSkeleton& skeleton, std::shared_ptr<const PoseEnergy> energy, double size = 0.6) {
  const std::vector<WeightedPoseEnergy> terms{{1.7, std::move(energy)}};
  const PoseState state = random_state(skeleton, 3, size);
  PoseState gradient(state.size(), 0);
  EXPECT_GT(add_energies(skeleton, terms, state, gradient), 1e-4);
  const auto value = [&](std::span<const double> x) {
    PoseState unused(x.size(), 0);
    return add_energies(skeleton, terms, x, unused);
  };
  testing::GradientCheckSettings settings;
  settings.step = 1e-5;
  const testing::GradientCheck check = testing::check_gradient(value, state, gradient, settings);
  EXPECT_LT(check.error, 1e-5) << check.summary();
}

PoseSkeleton toy_skeleton(bool limits = false) {
  testing::ToyRigSettings settings;
  settings.axes = true, settings.frames = true, settings.joints = 10;
  rig::Rig rig = testing::toy_rig(settings);
  if (limits) {
    rig::RigDraft draft;
    draft.joints.assign(rig.joints().begin(), rig.joints().end());
    for (rig::Joint& joint : draft.joints) joint.limits = {{-0.1f, -0.15f, -0.05f}, {0.12f, 0.1f, 0.2f}};
    rig = rig::build_rig(draft).value();
  }
  return make_pose_skeleton(rig);
}

TEST(PoseEnergyGrad, OfHandles) {
  expect_gradient(toy_skeleton(),
                  std::make_shared<HandleEnergy>(std::vector<PoseHandle>{{9, {0.3, 0.1, -0.4}}, {4, {0, 1, 0}}}));
}

TEST(PoseEnergyGrad, OfLooking) {
  expect_gradient(toy_skeleton(), std::make_shared<LookEnergy>(7, Vec3d{0, 0.6, 0.8}, Vec3d{2, 1, -1}));
}

TEST(PoseEnergyGrad, OfLimits) {
  const PoseSkeleton skeleton = toy_skeleton(true);
  expect_gradient(skeleton, std::make_shared<AngleLimitEnergy>(skeleton));
}

TEST(PoseEnergyGrad, OfFloors) { expect_gradient(toy_skeleton(), std::make_shared<FloorEnergy>(0.2)); }

TEST(PoseEnergyGrad, OfCapsules) {
  const PoseSkeleton skeleton = make_pose_skeleton(test_creature().subject.rig);
  const std::vector<double> thick(skeleton.joints.size(), 0.25);
  expect_gradient(skeleton, std::make_shared<CapsuleEnergy>(skeleton, thick));
}

TEST(PoseEnergy, OfABodyAtRestIsNothing) {
  const zoo::Creature creature = test_creature();
  const PoseSkeleton skeleton = make_pose_skeleton(creature.subject.rig);
  const std::vector<double> girths = girths_of(skeleton, sample_surface(skeleton, surface_of(creature.subject)));
  PoseState rest(skeleton.joints.size() * kStateSize, 0), gradient(rest.size(), 0);
  const std::vector<WeightedPoseEnergy> terms{{1, std::make_shared<CapsuleEnergy>(skeleton, girths)},
                                              {1, std::make_shared<AngleLimitEnergy>(skeleton)},
                                              {1, std::make_shared<FloorEnergy>(-2)}};
  EXPECT_NEAR(add_energies(skeleton, terms, rest, gradient), 0, 1e-12);
}

TEST(PoseEnergy, GuidesDownhillAndKeepsPlacesWithTurns) {
  const PoseSkeleton skeleton = toy_skeleton();
  const std::vector<PoseHandle> handles{{9, {0.3, 0.1, -0.4}}};
  const std::vector<WeightedPoseEnergy> terms{{1, std::make_shared<HandleEnergy>(handles)}};
  PoseState guess = state_of(skeleton, shape_of(skeleton, random_state(skeleton, 1, 0.5)).turns);
  PoseState unused(guess.size(), 0);
  const double before = add_energies(skeleton, terms, guess, unused);
  guide_by(skeleton, terms, 10)(guess, 0.5);
  EXPECT_LT(add_energies(skeleton, terms, guess, unused), 0.2 * before);
  const PoseState sound = state_of(skeleton, shape_of(skeleton, guess).turns);
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(guess[j * kStateSize + k], sound[j * kStateSize + k], 1e-9);
  }
}

}  // namespace
}  // namespace limber::pose_space
