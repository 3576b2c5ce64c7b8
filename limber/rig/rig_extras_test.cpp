// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/rig_extras.h"

#include <gtest/gtest.h>

namespace limber::rig {
namespace {

TEST(RigExtras, ReadWhatTheyWrote) {
  RigExtras extras;
  extras.facing.up = {0, 0, 1}, extras.facing.forward = {0, -1, 0}, extras.facing.confidence = 0.75f;
  extras.root_rotation = axis_angle(Vec3{1, 0, 0}, 0.7f);
  extras.limbs = {{}, {LimbKind::kLeg, Side::kRight, 0, 0.5f}};
  extras.joints = {{axis_angle(Vec3{0, 1, 0}, 0.3f), {{-1, -2, -0.1f}, {0.1f, 2, 3}}, {0, 0}}, {{}, {}, {1, 3}}};
  const auto again = read_extras(write_extras(extras), 2);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->facing.up, extras.facing.up);
  EXPECT_EQ(again->facing.forward, extras.facing.forward);
  EXPECT_EQ(again->facing.confidence, extras.facing.confidence);
  ASSERT_TRUE(again->root_rotation);
  EXPECT_LT(angle_between(*again->root_rotation, *extras.root_rotation), 1e-6);
  EXPECT_EQ(again->limbs, extras.limbs);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_LT(angle_between(again->joints[j].axes, extras.joints[j].axes), 1e-6);
    EXPECT_EQ(again->joints[j].limits.lower, extras.joints[j].limits.lower);
    EXPECT_EQ(again->joints[j].limits.upper, extras.joints[j].limits.upper);
    EXPECT_EQ(again->joints[j].role, extras.joints[j].role);
  }
}

TEST(RigExtras, TurnTheFacingWithTheSkeleton) {
  RigExtras extras;
  extras.facing.confidence = 1;
  const Quat then = axis_angle(Vec3{0, 0, 1}, 0.5f), turn = axis_angle(Vec3{0, 1, 0}, 0.9f);
  // Without a word of how the skeleton stood it stands as it did.
  EXPECT_EQ(facing_now(extras, turn).forward, (Vec3{0, 0, 1}));
  extras.root_rotation = then;
  EXPECT_EQ(facing_now(extras, then).forward, (Vec3{0, 0, 1}));
  EXPECT_LT(norm(facing_now(extras, turn * then).forward - rotate(turn, Vec3{0, 0, 1})), 1e-6f);
  EXPECT_LT(norm(facing_now(extras, turn * then).up - Vec3{0, 1, 0}), 1e-6f);
}

TEST(RigExtras, SayNothingOfWhatIsNotKnown) {
  RigExtras extras;
  extras.joints.resize(1);
  const std::string text = write_extras(extras);
  EXPECT_EQ(text.find("forward"), std::string::npos);
  EXPECT_EQ(text.find("limbs"), std::string::npos);
  const auto again = read_extras(text, 1);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->facing.known());
  EXPECT_TRUE(again->limbs.empty());
}

/// Extras of one joint with these values.
std::string text(const std::string& axes, const std::string& lower, const std::string& upper) {
  return R"({"author": "x", "limber": {"axes": )" + axes + R"(, "lower": )" + lower + R"(, "upper": )" + upper + "}}";
}

TEST(RigExtras, StandBesideOtherKeys) {
  const auto extras = read_extras(text("[[0, 0, 0, 2]]", "[[0, -1, 0]]", "[[1, 1, 1]]"), 1);
  ASSERT_TRUE(extras);
  EXPECT_FALSE(extras->facing.known());
  EXPECT_EQ(extras->joints[0].axes, Quat{});
  EXPECT_EQ(extras->joints[0].limits.lower, (Vec3{0, -1, 0}));
}

TEST(RigExtras, OfEarlierFilesHaveAFrontAlone) {
  const auto extras = read_extras(
      R"({"limber": {"forward": [0, 0, -2], "axes": [[0, 0, 0, 1]], "lower": [[0, 0, 0]], "upper": [[1, 1, 1]]}})", 1);
  ASSERT_TRUE(extras);
  EXPECT_EQ(extras->facing.up, (Vec3{0, 1, 0}));
  EXPECT_EQ(extras->facing.forward, (Vec3{0, 0, -1}));
  EXPECT_EQ(extras->facing.confidence, 1);
}

TEST(RigExtras, LeaveOutLimbsAndFrontsThatAreBroken) {
  const auto with = [](const std::string& more) {
    return read_extras(
        R"({"limber": {"axes": [[0, 0, 0, 1]], "lower": [[0, 0, 0]], "upper": [[1, 1, 1]], )" + more + "}}", 1);
  };
  const auto good = with(R"("limbs": [["trunk", "middle", -1, 0]], "roles": [[0, 0]])");
  ASSERT_TRUE(good);
  EXPECT_EQ(good->limbs.size(), 1u);
  for (const char* broken :
       {R"("limbs": 3, "roles": [[0, 0]])", R"("limbs": [["wheel", "middle", -1, 0]], "roles": [[0, 0]])",
        R"("limbs": [["trunk", "middle", 0, 0]], "roles": [[0, 0]])",
        R"("limbs": [["trunk", "middle", -1, 1e300]], "roles": [[0, 0]])",
        R"("limbs": [["trunk", "middle", -1, 0]], "roles": [[1, 0]])",
        R"("limbs": [["trunk", "middle", -1, 0]], "roles": [[0, -1]])",
        R"("limbs": [["trunk", "middle", -1, 0]], "roles": [[0, 0.5]])",
        R"("limbs": [["trunk", "middle", -1, 0]], "roles": [[0, 0], [0, 1]])",
        R"("limbs": [["trunk", "middle", -1, 0]])", R"("forward": [0, 1, 0])", R"("forward": [0, 0, 0])",
        R"("forward": "+z")"}) {
    const auto extras = with(broken);
    ASSERT_TRUE(extras) << broken;
    EXPECT_TRUE(extras->limbs.empty()) << broken;
    EXPECT_EQ(extras->joints[0].role, Role{}) << broken;
    EXPECT_FALSE(extras->facing.known()) << broken;
  }
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
