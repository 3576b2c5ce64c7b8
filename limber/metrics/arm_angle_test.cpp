// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/arm_angle.h"

#include <gtest/gtest.h>

#include <string>

#include "limber/rig/rig.h"

namespace limber::metrics {
namespace {

/// A trunk of three joints and two arms of a collar bone, an upper arm, a forearm and a hand each, which reach out to
/// both sides.
rig::Rig t_pose(bool with_arms = true) {
  rig::RigDraft draft;
  const auto add = [&](const std::string& name, int parent, Vec3 from_parent, int limb, int section) {
    rig::Joint joint;
    joint.name = name, joint.parent = parent, joint.rest.translation = from_parent;
    joint.role = {limb, section};
    draft.joints.push_back(joint);
    return static_cast<int>(draft.joints.size()) - 1;
  };
  const int hips = add("hips", -1, {0, 0.5f, 0}, 0, 0);
  const int spine = add("spine", hips, {0, 0.15f, 0}, 0, 1);
  const int chest = add("chest", spine, {0, 0.15f, 0}, 0, 2);
  draft.limbs.push_back({rig::LimbKind::kTrunk, rig::Side::kMiddle, -1, 0});
  if (with_arms) {
    for (const float side : {1.0f, -1.0f}) {
      const int limb = static_cast<int>(draft.limbs.size());
      draft.limbs.push_back({rig::LimbKind::kArm, side > 0 ? rig::Side::kLeft : rig::Side::kRight, 0, 1});
      const std::string end = side > 0 ? ".L" : ".R";
      const int collar = add("collar" + end, chest, {0.02f * side, 0, 0}, limb, 0);
      const int upper = add("upper" + end, collar, {0.08f * side, 0, 0}, limb, 1);
      const int lower = add("lower" + end, upper, {0.15f * side, 0, 0}, limb, 2);
      add("hand" + end, lower, {0.14f * side, 0, 0}, limb, 3);
    }
  }
  return rig::build_rig(std::move(draft)).value();
}

kinematics::Motion with_arms_down(const rig::Rig& rig, double angle) {
  kinematics::Motion motion = kinematics::rest_motion(rig, 5, 30);
  for (int f = 0; f < 5; ++f) {
    motion.frame_angles(f)[static_cast<std::size_t>(rig.find("upper.L"))].z = static_cast<float>(-angle);
    motion.frame_angles(f)[static_cast<std::size_t>(rig.find("upper.R"))].z = static_cast<float>(angle);
  }
  return motion;
}

TEST(ArmAngle, TellsArmsThatStayOutFromArmsThatHang) {
  const rig::Rig rig = t_pose();
  EXPECT_NEAR(arm_angle(rig, kinematics::rest_motion(rig, 5, 30)).value(), kPi / 2, 1e-5);
  EXPECT_NEAR(arm_angle(rig, with_arms_down(rig, 1.2)).value(), kPi / 2 - 1.2, 1e-5);
  EXPECT_NEAR(arm_angle(rig, with_arms_down(rig, -0.4)).value(), kPi / 2 + 0.4, 1e-5) << "raised";
}

TEST(ArmAngle, IsToTheTrunkHoweverThatLeans) {
  const rig::Rig rig = t_pose();
  kinematics::Motion motion = with_arms_down(rig, 1.2);
  for (int f = 0; f < 5; ++f) motion.frame_angles(f)[0] = {0.7f, 0.3f, 0.2f};
  EXPECT_NEAR(arm_angle(rig, motion).value(), kPi / 2 - 1.2, 1e-5);
}

TEST(ArmAngle, OfNobodyWithArmsIsNone) {
  const rig::Rig none = t_pose(false), rig = t_pose();
  EXPECT_FALSE(arm_angle(none, kinematics::rest_motion(none, 5, 30)));
  EXPECT_FALSE(arm_angle(rig, kinematics::rest_motion(rig, 0, 30)));
}

}  // namespace
}  // namespace limber::metrics
