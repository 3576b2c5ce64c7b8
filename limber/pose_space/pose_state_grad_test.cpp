// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "limber/base/rng.h"
#include "limber/pose_space/pose_state.h"
#include "limber/testing/gradient_check.h"
#include "limber/testing/toy_rigs.h"

namespace limber::pose_space {
namespace {

TEST(PoseStateGrad, OfPlacesAndTurnsAgreesWithDifferences) {
  testing::ToyRigSettings settings;
  settings.axes = true, settings.joints = 9;
  const PoseSkeleton skeleton = make_pose_skeleton(testing::toy_rig(settings));
  Rng rng(5);
  PoseState state;
  for (std::size_t i = 0; i < skeleton.joints.size() * kStateSize; ++i) state.push_back(rng.normal());
  // Any linear function of what comes out.
  PoseShape weights;
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    weights.places.push_back({rng.normal(), rng.normal(), rng.normal()});
    Mat3d turn;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) turn(r, c) = rng.normal();
    }
    weights.turns.push_back(turn);
  }
  const auto value = [&](std::span<const double> x) {
    const PoseShape shape = shape_of(skeleton, x);
    double sum = 0;
    for (std::size_t j = 0; j < shape.places.size(); ++j) {
      sum += dot(shape.places[j], weights.places[j]);
      for (int c = 0; c < 3; ++c) sum += dot(shape.turns[j].column(c), weights.turns[j].column(c));
    }
    return sum;
  };
  PoseState gradient(state.size(), 0);
  shape_backward(skeleton, state, shape_of(skeleton, state), weights, gradient);
  const testing::GradientCheck check = testing::check_gradient(value, state, gradient);
  EXPECT_LT(check.error, 1e-6) << check.summary();
}

}  // namespace
}  // namespace limber::pose_space
