// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/stance.h"

#include <gtest/gtest.h>

#include <cmath>

namespace limber::rig {
namespace {

TEST(UprightFrom, IsExactAlongAxes) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const float sign : {-1.0f, 1.0f}) {
      Vec3 up;
      up[axis] = sign;
      const Mat3d turn = upright_from(up);
      EXPECT_EQ(turn * up.cast<double>(), (Vec3d{0, 1, 0}));
      EXPECT_EQ(determinant(turn), 1);
      for (int k = 0; k < 9; ++k) EXPECT_EQ(std::abs(turn(k / 3, k % 3)), turn(k / 3, k % 3) == 0 ? 0 : 1);
    }
  }
  const Vec3 slanting{0.3f, -0.5f, 2};
  EXPECT_LT(norm(upright_from(slanting) * normalized(slanting.cast<double>()) - Vec3d{0, 1, 0}), 1e-12);
}

TEST(NearestAxes, TurnsWhateverStandsAndLooksAlongAxesExactly) {
  int turns = 0;
  for (int k = 0; k < 36; ++k) {
    Vec3d up, forward;
    up[k / 12] = (k & 1) != 0 ? -1 : 1, forward[k / 4 % 3] = (k & 2) != 0 ? -1 : 1;
    if (dot(up, forward) != 0) continue;
    const Mat3d turn = nearest_axes(up, forward);
    EXPECT_EQ(turn * up, (Vec3d{0, 1, 0}));
    EXPECT_EQ(turn * forward, (Vec3d{0, 0, 1}));
    EXPECT_EQ(turn * transposed(turn), Mat3d::identity());
    EXPECT_EQ(determinant(turn), 1);
    EXPECT_EQ(nearest_axes(up + Vec3d{0.2, -0.3, 0.1}, forward + Vec3d{-0.1, 0.2, 0.3}), turn) << "a little askew";
    ++turns;
  }
  EXPECT_EQ(turns, 24);
}

TEST(Stance, SaysWhatWasAssumedAndWhichFieldChangesIt) {
  Facing facing = make_facing({0, 0, 1}, {0, -1, 0}).value();
  EXPECT_FALSE(is_doubtful(facing)) << "as asked";
  facing.confidence = 0.2f, facing.reason = "nothing tells";
  EXPECT_TRUE(is_doubtful(facing));
  const std::string said = in_words(warn_of_assumption(facing));
  for (const char* part : {"(0.0, 0.0, 1.0)", "(0.0, -1.0, 0.0)", "nothing tells", "0.20", "`up`", "`forward`"}) {
    EXPECT_NE(said.find(part), std::string::npos) << part << " in " << said;
  }
}

}  // namespace
}  // namespace limber::rig
