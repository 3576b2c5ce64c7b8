// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/rig_extras.h"

#include <gtest/gtest.h>

namespace limber::rig {
namespace {

TEST(RigExtras, ReadWhatTheyWrote) {
  RigExtras extras;
  extras.forward = {0, 0, -1};
  extras.joints = {{axis_angle(Vec3{0, 1, 0}, 0.3f), {{-1, -2, -0.1f}, {0.1f, 2, 3}}}, {}};
  const auto again = read_extras(write_extras(extras), 2);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->forward, extras.forward);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_LT(angle_between(again->joints[j].axes, extras.joints[j].axes), 1e-6);
    EXPECT_EQ(again->joints[j].limits.lower, extras.joints[j].limits.lower);
    EXPECT_EQ(again->joints[j].limits.upper, extras.joints[j].limits.upper);
  }
}

/// Extras of one joint with these values.
std::string text(const std::string& axes, const std::string& lower, const std::string& upper) {
  return R"({"author": "x", "limber": {"axes": )" + axes + R"(, "lower": )" + lower + R"(, "upper": )" + upper + "}}";
}

TEST(RigExtras, StandBesideOtherKeys) {
  const auto extras = read_extras(text("[[0, 0, 0, 2]]", "[[0, -1, 0]]", "[[1, 1, 1]]"), 1);
  ASSERT_TRUE(extras);
  EXPECT_EQ(extras->forward, (Vec3{0, 0, 1}));
  EXPECT_EQ(extras->joints[0].axes, Quat{});
  EXPECT_EQ(extras->joints[0].limits.lower, (Vec3{0, -1, 0}));
}

TEST(RigExtras, AreIgnoredWhereTheyAreBroken) {
  const std::string good = text("[[0, 0, 0, 1]]", "[[0, 0, 0]]", "[[1, 1, 1]]");
  EXPECT_TRUE(read_extras(good, 1));
  EXPECT_FALSE(read_extras(good, 2));
  for (const std::string& broken :
       {std::string(), std::string("{"), std::string("[]"), std::string("{}"), std::string(R"({"limber": 3})"),
        text("[[0, 0, 0, \"1\"]]", "[[0, 0, 0]]", "[[1, 1, 1]]"), text("[[0, 0, 0, 1]]", "[[2, 0, 0]]", "[[1, 1, 1]]"),
        text("[[0, 0, 0, 1]]", "[[0, 0]]", "[[1, 1, 1]]"), text("[[0, 0, 0, 1]]", "[[-1e300, 0, 0]]", "[[1, 1, 1]]")}) {
    EXPECT_FALSE(read_extras(broken, 1)) << broken;
  }
}

}  // namespace
}  // namespace limber::rig
