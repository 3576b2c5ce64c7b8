// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/leading_joints.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "limber/scene/parts.h"
#include "limber/zoo/creature.h"

namespace limber::lift {
namespace {

TEST(LeadingJoints, AreTheRootAndThoseOfTheParts) {
  const zoo::Creature creature = zoo::make_creature({zoo::Plan::kQuadruped, 1, 32}).value();
  const std::vector<bool> leads = leading_joints(creature.subject);
  ASSERT_EQ(leads.size(), static_cast<std::size_t>(creature.subject.rig.joint_count()));
  EXPECT_TRUE(leads[0]);
  for (const zoo::Leg& leg : creature.legs) {
    EXPECT_TRUE(leads[static_cast<std::size_t>(leg.joints.front())]) << leg.name;
  }
  const std::vector<int> joints = scene::find_parts(creature.subject).joints;
  for (int j = 1; j < creature.subject.rig.joint_count(); ++j) {
    EXPECT_EQ(leads[static_cast<std::size_t>(j)], std::count(joints.begin(), joints.end(), j) > 0) << j;
  }
}

}  // namespace
}  // namespace limber::lift
