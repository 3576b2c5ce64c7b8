// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/motion_metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace limber::metrics {
namespace {

/// A stick of two joints, its foot at the origin; the surface is three points around the foot.
rig::Subject stick() {
  rig::RigDraft draft;
  draft.joints.resize(2);
  draft.joints[0].name = "hip", draft.joints[0].rest.translation = {0, 1, 0};
  draft.joints[1].name = "foot", draft.joints[1].parent = 0, draft.joints[1].rest.translation = {0, -1, 0};
  draft.joints[1].limits = {{-1, -1, -1}, {1, 1, 1}};
  rig::Subject subject{rig::build_rig(std::move(draft)).value(), {}, {}, {}, {}, {}, 1, {}, {}, {}};
  subject.points = {{0, 0, 0}, {0.1f, 0.1f, 0}, {0, 0.1f, 0.1f}};
  const std::vector<std::vector<rig::Influence>> rows(3, {{1, 1.0f}});
  subject.weights = rig::make_skin_weights(rows, 4);
  return subject;
}

GroundContact foot(int frames) { return {1, {0, 0, 0}, std::vector<bool>(static_cast<std::size_t>(frames), true)}; }

TEST(MotionMetrics, FindsNothingWrongWithStandingStill) {
  const rig::Subject subject = stick();
  const kinematics::Motion motion = kinematics::rest_motion(subject.rig, 8, 24);
  const std::vector<GroundContact> contacts = {foot(8)};
  const MotionMetrics m = motion_metrics(subject, motion, contacts);
  EXPECT_EQ(m.slip, 0);
  EXPECT_EQ(m.penetration, 0);
  EXPECT_EQ(m.hover, 0);
  EXPECT_EQ(m.limit_excess, 0);
  EXPECT_EQ(m.mean_jerk, 0);
}

TEST(MotionMetrics, MeasuresSlidingFeetFromWhereTheyWerePlanted) {
  const rig::Subject subject = stick();
  kinematics::Motion motion = kinematics::rest_motion(subject.rig, 5, 24);
  for (int f = 0; f < 5; ++f) motion.root_translations[static_cast<std::size_t>(f)].z = 0.1f * static_cast<float>(f);
  std::vector<GroundContact> contacts = {foot(5)};
  EXPECT_NEAR(motion_metrics(subject, motion, contacts).slip, 0.4f, 1e-6f);
  // Lifted in frame 2: two stands of two frames each.
  contacts[0].planted[2] = false;
  EXPECT_NEAR(motion_metrics(subject, motion, contacts).slip, 0.1f, 1e-6f);
  // The ground moves along: no slip at all.
  EXPECT_NEAR(motion_metrics(subject, motion, contacts, -0.1f).slip, 0, 1e-6f);
}

TEST(MotionMetrics, MeasuresSinkingHoveringAndLimits) {
  const rig::Subject subject = stick();
  kinematics::Motion motion = kinematics::rest_motion(subject.rig, 3, 10);
  motion.root_translations[1].y = -0.25f;
  motion.root_translations[2].y = 0.5f;
  motion.frame_angles(1)[1].x = 1.5f;
  const std::vector<GroundContact> contacts = {foot(3)};
  const MotionMetrics m = motion_metrics(subject, motion, contacts);
  EXPECT_GT(m.penetration, 0.2f);
  EXPECT_NEAR(m.hover, 0.5f, 1e-6f);
  EXPECT_NEAR(m.limit_excess, 0.5f, 1e-6f);
  EXPECT_NEAR(m.peak_speed, 15.0f, 1e-4f);
}

TEST(MotionMetrics, SeesALoopThatDoesNotClose) {
  const rig::Subject subject = stick();
  kinematics::Motion motion = kinematics::rest_motion(subject.rig, 10, 24);
  motion.loops = true;
  for (int f = 0; f < 10; ++f) motion.frame_angles(f)[1].x = 0.05f * static_cast<float>(f);
  EXPECT_NEAR(motion_metrics(subject, motion, {}).loop_gap, 0.4f, 1e-5f);
  for (int f = 0; f < 10; ++f) {
    motion.frame_angles(f)[1].x = 0.2f * static_cast<float>(std::sin(2 * kPi * f / 10));
  }
  EXPECT_NEAR(motion_metrics(subject, motion, {}).loop_gap, 0, 1e-5f);
}

TEST(MotionMetrics, CountsNumbersThatAreNotFiniteAndStops) {
  const rig::Subject subject = stick();
  kinematics::Motion motion = kinematics::rest_motion(subject.rig, 4, 24);
  motion.frame_angles(2)[1].y = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(motion_metrics(subject, motion, {}).not_finite, 1);
}

TEST(MotionMetrics, ExpectsTheRigsOwnMotion) {
  const rig::Subject subject = stick();
  kinematics::Motion motion = kinematics::rest_motion(subject.rig, 4, 24);
  motion.joint_count = 3;
  EXPECT_THROW(motion_metrics(subject, motion, {}), ContractError);
}

}  // namespace
}  // namespace limber::metrics
