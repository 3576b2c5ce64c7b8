// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/jerk.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "limber/zoo/action.h"

namespace limber::metrics {
namespace {

struct Walk {
  rig::Rig rig;
  kinematics::Motion motion;
};

Walk walk() {
  const zoo::Creature creature = zoo::make_creature({zoo::Plan::kQuadruped, 5, 24}).value();
  zoo::ActionSettings action;
  action.fps = 12, action.frames = 36;
  return {creature.subject.rig, zoo::perform(creature, action).value().motion};
}

TEST(FrameJerk, OfABodyThatGoesStraightOnIsNothing) {
  Walk still = walk();
  still.motion = kinematics::rest_motion(still.rig, 12, 12);
  for (std::size_t f = 0; f < 12; ++f) {
    const auto t = static_cast<float>(f);
    still.motion.root_translations[f] = {0.1f * t, 0, 0.02f * t * t};
  }
  const std::vector<double> jerk = frame_jerk(still.rig, still.motion);
  EXPECT_LT(*std::max_element(jerk.begin(), jerk.end()), 1.0) << "steady acceleration is no jerk, but for rounding";
}

TEST(FrameJerk, ShowsWhereAMotionWasCutTogether) {
  Walk cut = walk();
  // From frame 18 on half a second later: legs jump.
  const kinematics::Motion whole = cut.motion;
  for (int f = 18; f + 6 < whole.frame_count(); ++f) {
    const auto from = whole.frame_angles(f + 6);
    std::copy(from.begin(), from.end(), cut.motion.frame_angles(f).begin());
  }
  const std::vector<int> seams{18};
  const int last = whole.frame_count() - 7;
  const auto measured = [&](const kinematics::Motion& motion) {
    std::vector<double> jerk = frame_jerk(cut.rig, motion);
    jerk.resize(static_cast<std::size_t>(last));
    return seam_jerk(jerk, seams, 2);
  };
  EXPECT_GT(measured(cut.motion).seams, 1.5 * measured(cut.motion).within);
  EXPECT_LT(measured(whole).seams, 1.1 * measured(whole).within);
}

TEST(MeanJerk, CountsEveryJointAlike) {
  Walk jumping = walk();
  jumping.motion = kinematics::rest_motion(jumping.rig, 12, 12);
  for (std::size_t f = 1; f < 12; f += 2) jumping.motion.root_translations[f].y += 0.01f;
  const std::vector<double> largest = frame_jerk(jumping.rig, jumping.motion);
  // Only the root jumps: all others are where they were against it.
  EXPECT_NEAR(mean_jerk(jumping.rig, jumping.motion), largest[5] / jumping.rig.joint_count(), 1e-3 * largest[5]);
  EXPECT_GT(largest[5], 10);
  EXPECT_EQ(mean_jerk(jumping.rig, kinematics::rest_motion(jumping.rig, 3, 12)), 0) << "no third difference";
}

TEST(SeamJerk, CountsFramesWithinReach) {
  const std::vector<double> jerk{1, 2, 9, 4, 7, 3};
  const std::vector<int> seams{3};
  EXPECT_EQ(seam_jerk(jerk, seams, 1).seams, 9);
  EXPECT_EQ(seam_jerk(jerk, seams, 1).within, 3);
  EXPECT_EQ(seam_jerk(jerk, seams, 0).seams, 4);
  EXPECT_EQ(seam_jerk(jerk, {}, 1).seams, 0);
}

}  // namespace
}  // namespace limber::metrics
