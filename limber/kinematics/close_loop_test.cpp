// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/kinematics/close_loop.h"

#include <gtest/gtest.h>

#include <cmath>

namespace limber::kinematics {
namespace {

/// Two joints that swing with a period of 20 frames, for so many frames.
Motion swing(int frames) {
  Motion motion;
  motion.fps = 30, motion.joint_count = 2;
  for (int f = 0; f < frames; ++f) {
    const auto turned = static_cast<float>(0.5 * std::sin(2 * kPi * f / 20));
    motion.root_translations.push_back({0, 0, 0.1f * static_cast<float>(f)});
    motion.angles.push_back({turned, 0, 0});
    motion.angles.push_back({0, 0.3f * turned, 0});
  }
  return motion;
}

TEST(CloseLoop, DropsTheFrameThatAClipHasTwice) {
  Motion motion = swing(21);
  // Rounded by whoever wrote the file.
  motion.angles[40].x += 1e-3f;
  close_loop(motion);
  EXPECT_TRUE(motion.loops);
  EXPECT_EQ(motion.frame_count(), 20);
}

TEST(CloseLoop, GoesOnFromAFrameBeforeTheFirst) {
  Motion motion = swing(20);
  close_loop(motion);
  EXPECT_TRUE(motion.loops);
  EXPECT_EQ(motion.frame_count(), 20);
}

TEST(CloseLoop, LeavesWhatEndsElsewhereAsItIs) {
  Motion half = swing(14), fallen = swing(20), brief = swing(4);
  fallen.root_translations.back().y = -0.4f;
  for (Motion* motion : {&half, &fallen, &brief}) {
    const int frames = motion->frame_count();
    close_loop(*motion);
    EXPECT_FALSE(motion->loops) << frames;
    EXPECT_EQ(motion->frame_count(), frames);
  }
}

}  // namespace
}  // namespace limber::kinematics
