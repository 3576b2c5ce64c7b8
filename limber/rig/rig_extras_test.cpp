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

TEST(RigExtras, StandBesideOtherKeys) { EXPECT_TRUE(read_extras(R"({"author": "x", "limber": {"joints": []}})", 0)); }

TEST(RigExtras, AreIgnoredWhereTheyAreBroken) {
  const std::string good = R"({"axes": [0, 0, 0, 1], "lower": [0, 0, 0], "upper": [1, 1, 1]})";
  EXPECT_TRUE(read_extras(R"({"limber": {"joints": [)" + good + "]}}", 1));
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string("{}"), std::string(R"({"limber": 3})"),
        R"({"limber": {"joints": [)" + good + "," + good + "]}}",  // too many
        std::string(R"({"limber": {"joints": [{}]}})"),            // nothing
        std::string(R"({"limber": {"joints": [{"axes": [0, 0, 0, "1"], "lower": [0, 0, 0], "upper": [1, 1, 1]}]}})"),
        std::string(R"({"limber": {"joints": [{"axes": [0, 0, 0, 1], "lower": [2, 0, 0], "upper": [1, 1, 1]}]}})"),
        std::string(
            R"({"limber": {"joints": [{"axes": [0, 0, 0, 1], "lower": [1e999, 0, 0], "upper": [1, 1, 1]}]}})")}) {
    EXPECT_FALSE(read_extras(text, 1)) << text;
  }
}

}  // namespace
}  // namespace limber::rig
