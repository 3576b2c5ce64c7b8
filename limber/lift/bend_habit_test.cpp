// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/bend_habit.h"

#include <gtest/gtest.h>

#include "limber/lift/lift_testing.h"
#include "limber/testing/gradient_check.h"
#include "limber/testing/toy_rigs.h"

namespace limber::lift {
namespace {

TEST(BendHabitGrad, EnergyFallsAsItsGradientSays) {
  const rig::Subject tube = test_tube(4);
  Rng rng(2);
  std::vector<Vec3> center;
  for (int j = 0; j < 4; ++j) center.push_back(testing::random_vector(rng, 0.2));
  const BendEnergy energy(bend_precisions(tube), center);
  kinematics::Motion motion = kinematics::rest_motion(tube.rig, 3, 24);
  std::vector<double> x;
  for (Vec3& a : motion.angles) {
    a = testing::random_vector(rng, 0.5);
    for (int k = 0; k < 3; ++k) x.push_back(static_cast<double>(a[k]));
  }
  kinematics::MotionGradient gradient;
  energy.add(motion, 2.0, gradient);
  std::vector<double> slopes;
  for (const Vec3& g : gradient.angles) {
    for (int k = 0; k < 3; ++k) slopes.push_back(static_cast<double>(g[k]));
  }
  const auto f = [&](std::span<const double> y) {
    kinematics::Motion other = motion;
    for (std::size_t i = 0; i < other.angles.size(); ++i) {
      other.angles[i] = Vec3d{y[3 * i], y[3 * i + 1], y[3 * i + 2]}.cast<float>();
    }
    kinematics::MotionGradient unused;
    return 2 * energy.add(other, 0, unused);
  };
  testing::GradientCheckSettings settings;
  settings.step = 0.05;  // quadratic: large steps are exact, and angles are float
  const testing::GradientCheck check = testing::check_gradient(f, x, slopes, settings);
  EXPECT_LT(check.error, 1e-3) << check.summary();
}

TEST(BendHabit, TwistsLessThanItBendsWhateverTheJointsAxes) {
  // A tube along +Y that faces +Z: twist is about y, stride about x.
  rig::Subject tube = test_tube(3);
  for (const bool turned : {false, true}) {
    if (turned) {
      rig::RigDraft draft;
      draft.joints.assign(tube.rig.joints().begin(), tube.rig.joints().end());
      draft.bones.assign(tube.rig.bones().begin(), tube.rig.bones().end());
      for (rig::Joint& joint : draft.joints) joint.axes = axis_angle(normalized(Vec3{1, 2, -1}), 0.9f);
      tube.rig = rig::build_rig(draft).value();
    }
    const BendHabit habit;
    const std::vector<Mat3d> precisions = bend_precisions(tube, habit);
    const Mat3d axes = to_matrix(tube.rig.joints()[1].axes.cast<double>());
    const Mat3d world = axes * precisions[1] * transposed(axes);
    EXPECT_NEAR(world(1, 1), 1 / (habit.twist * habit.twist), 1e-2);
    EXPECT_NEAR(world(0, 0), 1 / (habit.stride * habit.stride), 1e-2);
    EXPECT_NEAR(world(2, 2), 1 / (habit.sideways * habit.sideways), 1e-2);
    EXPECT_NEAR(world(0, 1), 0, 1e-2);
    EXPECT_EQ(precisions[0], Mat3d{});
  }
}

}  // namespace
}  // namespace limber::lift
