// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "limber/base/expect.h"

namespace limber::skeleton {
namespace {

using rig::LimbKind;
using rig::Side;

const SkeletonTemplate& builtin(std::string_view name) {
  for (const SkeletonTemplate& skeleton : builtin_templates()) {
    if (skeleton.name == name) return skeleton;
  }
  throw ContractError("no such template");
}

/// The template as if it were found in a body, without what hangs on `left_out`.
SkeletonPlan plan_of(const SkeletonTemplate& skeleton, std::string_view left_out = "") {
  Embedding embedding;
  embedding.skeleton = skeleton;
  for (const TemplateJoint& joint : skeleton.joints) {
    const bool gone =
        joint.name == left_out || (joint.parent >= 0 && !embedding.present[static_cast<std::size_t>(joint.parent)]);
    embedding.at.push_back(joint.at), embedding.present.push_back(!gone);
  }
  return plan_from_embedding(embedding);
}

const rig::Limb& limb_of(const SkeletonPlan& plan, std::string_view joint) {
  return plan.limbs[static_cast<std::size_t>(plan.joints[static_cast<std::size_t>(plan.find(joint))].role.limb)];
}

int count(const std::vector<rig::Limb>& limbs, LimbKind kind) {
  return static_cast<int>(
      std::count_if(limbs.begin(), limbs.end(), [&](const rig::Limb& l) { return l.kind == kind; }));
}

TEST(SkeletonPlan, KeepsTheRolesOfTheTemplate) {
  const SkeletonPlan plan = plan_of(builtin("quadruped"));
  EXPECT_EQ(plan.limbs, builtin("quadruped").limbs);
  EXPECT_EQ(limb_of(plan, "knee.R").kind, LimbKind::kLeg);
  EXPECT_EQ(limb_of(plan, "knee.R").side, Side::kRight);
  EXPECT_EQ(limb_of(plan, "knee.R").station, 0);
  EXPECT_EQ(limb_of(plan, "elbow.L").station, 1);
}

TEST(SkeletonPlan, HasNoLimbsThatTheBodyHasNot) {
  const SkeletonPlan plan = plan_of(builtin("quadruped"), "tail.1");
  EXPECT_EQ(count(plan.limbs, LimbKind::kTail), 0);
  EXPECT_EQ(plan.limbs.size(), builtin("quadruped").limbs.size() - 1);
  EXPECT_EQ(limb_of(plan, "knee.R").kind, LimbKind::kLeg);
  EXPECT_EQ(limb_of(plan, "head").kind, LimbKind::kHead);
}

TEST(SkeletonPlan, CountsOnWhenJointsAreTakenOut) {
  SkeletonPlan plan = plan_of(builtin("humanoid"));
  const std::size_t limbs = plan.limbs.size();
  limit_joints(plan, 14);
  EXPECT_LE(plan.limbs.size(), limbs);
  for (const PlannedJoint& joint : plan.joints) {
    if (joint.parent < 0) continue;
    const PlannedJoint& parent = plan.joints[static_cast<std::size_t>(joint.parent)];
    const bool same = parent.role.limb == joint.role.limb;
    EXPECT_EQ(joint.role.section, same ? parent.role.section + 1 : 0) << joint.name;
  }
  const auto rig = rig::build_rig(draft_rig(plan));
  ASSERT_TRUE(rig.ok()) << rig.error().message();
}

TEST(SkeletonPlan, HandsRolesOnToTheRigWhateverItsRoot) {
  SkeletonPlan plan = plan_of(builtin("bird"));
  ASSERT_TRUE(change_root(plan, "chest").ok());
  const auto rig = rig::build_rig(draft_rig(plan));
  ASSERT_TRUE(rig.ok()) << rig.error().message();
  EXPECT_EQ(std::vector<rig::Limb>(rig->limbs().begin(), rig->limbs().end()), plan.limbs);
  for (const rig::Joint& joint : rig->joints()) {
    EXPECT_EQ(joint.role, plan.joints[static_cast<std::size_t>(plan.find(joint.name))].role) << joint.name;
  }
}

TEST(SkeletonPlan, AddsLimbsOnlyWhereItKnowsSome) {
  SkeletonPlan plan = plan_of(builtin("humanoid"));
  const auto before = static_cast<int>(plan.limbs.size());
  EXPECT_EQ(add_limb(plan, {LimbKind::kTail, Side::kMiddle, -1, 0}), before);
  EXPECT_EQ(plan.limbs.back().parent, 0);
  EXPECT_THROW(add_limb(plan, {LimbKind::kTail, Side::kMiddle, before + 1, 0}), ContractError);
  SkeletonPlan unknown;
  EXPECT_EQ(add_limb(unknown, {LimbKind::kTail, Side::kMiddle, -1, 0}), -1);
  EXPECT_TRUE(unknown.limbs.empty());
}

}  // namespace
}  // namespace limber::skeleton
