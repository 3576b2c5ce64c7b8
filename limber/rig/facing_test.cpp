// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/facing.h"

#include <gtest/gtest.h>

namespace limber::rig {
namespace {

TEST(ParseDirection, ReadsAxesInEitherCaseWithOrWithoutASign) {
  EXPECT_EQ(parse_direction("+x"), (Vec3{1, 0, 0}));
  EXPECT_EQ(parse_direction("-X"), (Vec3{-1, 0, 0}));
  EXPECT_EQ(parse_direction("y"), (Vec3{0, 1, 0}));
  EXPECT_EQ(parse_direction(" -Z "), (Vec3{0, 0, -1}));
}

TEST(ParseDirection, ReadsThreeNumbersAsAUnitVector) {
  EXPECT_EQ(parse_direction("0,0,2"), (Vec3{0, 0, 1}));
  const auto slanting = parse_direction("+3, 0, -4");
  ASSERT_TRUE(slanting);
  EXPECT_LT(norm(*slanting - Vec3{0.6f, 0, -0.8f}), 1e-6f);
}

TEST(ParseDirection, RefusesAnythingElse) {
  for (const char* text : {"", "w", "xx", "+", "1,2", "1,2,3,4", "0,0,0", "nan,0,1", "1e40,0,0", "1,2,", "x,0,0"}) {
    EXPECT_FALSE(parse_direction(text)) << text;
  }
}

TEST(MakeFacing, LaysForwardLevel) {
  const Facing facing = make_facing({0, 0, 2}, {1, 0, 1}).value();
  EXPECT_EQ(facing.up, (Vec3{0, 0, 1}));
  EXPECT_EQ(facing.forward, (Vec3{1, 0, 0}));
  EXPECT_TRUE(facing.known());
}

TEST(MakeFacing, NamesBothWhereUpRunsAlongForward) {
  const auto facing = make_facing({0, 1, 0}, {0, -3, 0});
  ASSERT_FALSE(facing.ok());
  EXPECT_EQ(facing.error().kind, ErrorKind::kConflict);
  EXPECT_NE(facing.error().what.find("0,1,0"), std::string::npos);
  EXPECT_NE(facing.error().what.find("0,-3,0"), std::string::npos);
}

}  // namespace
}  // namespace limber::rig
