// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/joint_names.h"

#include <gtest/gtest.h>

namespace limber::anatomy {
namespace {

TEST(JointNames, AreCutIntoWords) {
  EXPECT_EQ(words_of("b_LeftForeArm_010"), (Words{"b", "left", "fore", "arm"}));
  EXPECT_EQ(words_of("LHipJoint"), (Words{"l", "hip", "joint"}));
  EXPECT_EQ(words_of("toes.L"), (Words{"toes", "l"}));
  EXPECT_EQ(words_of("WALKS, AGAIN!"), (Words{"walks", "again"}));
  EXPECT_TRUE(words_of("_01").empty());
}

TEST(JointNames, OfAPairDifferInTheirSideAlone) {
  EXPECT_EQ(unsided("hand.L.002"), unsided("hand.R.002"));
  EXPECT_NE(unsided("hand.L.002"), unsided("hand.R.003"));
  EXPECT_EQ(unsided("spine.1"), "");
  EXPECT_EQ(named_side(words_of("LeftToe_R")), 0);
}

TEST(JointNames, TellOfPartsWithoutNamingThem) {
  EXPECT_EQ(read_name("lfemur").side, 1);
  EXPECT_TRUE(read_name("lfemur").leg());
  EXPECT_EQ(read_name("RightForeArm").section(), 1);
  EXPECT_EQ(read_name("PalmR.L").side, 1);
  EXPECT_EQ(read_name("Jaw_01").special, rig::LimbKind::kJaw);
  EXPECT_EQ(read_name("antler.R").special, rig::LimbKind::kHorn);
  EXPECT_EQ(read_name("bone.017").cues, 0u);
  EXPECT_FALSE(read_name("hips").limb());
  EXPECT_TRUE(read_name("hip.R").limb());
}

TEST(JointNames, MarkTheBody) {
  EXPECT_TRUE(tells_of(words_of("Foot_IK"), Landmark::kControl));
  EXPECT_TRUE(tells_of(words_of("toe.L"), Landmark::kFoot));
  EXPECT_TRUE(tells_of(words_of("toe.L"), Landmark::kToes));
  EXPECT_FALSE(tells_of(words_of("foot.L"), Landmark::kToes));
  EXPECT_FALSE(tells_of({}, Landmark::kHead));
}

}  // namespace
}  // namespace limber::anatomy
