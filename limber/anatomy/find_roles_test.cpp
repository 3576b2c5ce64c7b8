// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/find_roles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "limber/zoo/creature.h"

namespace limber::anatomy {
namespace {

using rig::LimbKind;
using rig::Side;

struct NamedJoint {
  std::string name;
  int parent = -1;
  Vec3 at;
};

rig::Rig make_rig(const std::vector<NamedJoint>& joints) {
  rig::RigDraft draft;
  for (const NamedJoint& named : joints) {
    rig::Joint joint;
    joint.name = named.name, joint.parent = named.parent;
    joint.rest.translation = named.at - (named.parent < 0 ? Vec3{} : joints[static_cast<std::size_t>(named.parent)].at);
    draft.joints.push_back(joint);
  }
  return rig::build_rig(std::move(draft)).value();
}

/// What joint `name` is.
struct Found {
  rig::Limb limb;
  int section = 0;
};
Found role_of(const rig::Rig& rig, const Roles& roles, const std::string& name) {
  const rig::Role role = roles.roles[static_cast<std::size_t>(rig.find(name))];
  return {roles.limbs[static_cast<std::size_t>(role.limb)], role.section};
}

int count(const std::vector<rig::Limb>& limbs, LimbKind kind) {
  return static_cast<int>(
      std::count_if(limbs.begin(), limbs.end(), [&](const rig::Limb& l) { return l.kind == kind; }));
}

TEST(FindRoles, AgreesWithWhatTheZooSaysOfItsCreatures) {
  for (const zoo::Plan plan : {zoo::Plan::kQuadruped, zoo::Plan::kBiped, zoo::Plan::kBird, zoo::Plan::kTheropod,
                               zoo::Plan::kHexapod, zoo::Plan::kOctopod, zoo::Plan::kFish, zoo::Plan::kSnake}) {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      const zoo::Creature creature = zoo::make_creature({plan, seed, 24}).value();
      const rig::Rig& rig = creature.subject.rig;
      ASSERT_FALSE(rig.limbs().empty()) << creature.name;
      const Roles found = find_roles(rig, creature.subject.facing);
      EXPECT_EQ(found.limbs.size(), rig.limbs().size()) << creature.name;
      for (std::size_t j = 0; j < rig.joints().size(); ++j) {
        const rig::Joint& joint = rig.joints()[j];
        const rig::Limb& stated = rig.limbs()[static_cast<std::size_t>(joint.role.limb)];
        const rig::Limb& limb = found.limbs[static_cast<std::size_t>(found.roles[j].limb)];
        EXPECT_EQ(name(limb.kind), name(stated.kind)) << creature.name << ' ' << joint.name;
        EXPECT_EQ(name(limb.side), name(stated.side)) << creature.name << ' ' << joint.name;
        EXPECT_EQ(found.roles[j].section, joint.role.section) << creature.name << ' ' << joint.name;
        EXPECT_NEAR(limb.station, stated.station, 0.35) << creature.name << ' ' << joint.name;
      }
    }
  }
}

TEST(FindRoles, ReadsTheNamesOfAHuman) {
  const rig::Rig rig = make_rig({{"mixamorig:Hips", -1, {0, 1, 0}},
                                 {"mixamorig:Spine", 0, {0, 1.2f, 0}},
                                 {"mixamorig:Neck", 1, {0, 1.5f, 0}},
                                 {"mixamorig:Head", 2, {0, 1.6f, 0}},
                                 {"mixamorig:LeftShoulder", 1, {0.05f, 1.45f, 0}},
                                 {"mixamorig:LeftArm", 4, {0.2f, 1.45f, 0}},
                                 {"mixamorig:LeftForeArm", 5, {0.45f, 1.45f, 0}},
                                 {"mixamorig:LeftHand", 6, {0.7f, 1.45f, 0}},
                                 {"mixamorig:LeftHandIndex1", 7, {0.8f, 1.45f, 0}},
                                 {"mixamorig:LeftHandIndex2", 8, {0.85f, 1.45f, 0}},
                                 {"mixamorig:RightUpLeg", 0, {-0.1f, 0.95f, 0}},
                                 {"mixamorig:RightLeg", 10, {-0.1f, 0.5f, 0}},
                                 {"mixamorig:RightFoot", 11, {-0.1f, 0.1f, 0}},
                                 {"mixamorig:RightFoot_IK_target", 12, {-0.1f, 0.1f, 0}}});
  const Roles roles = find_roles(rig);
  const auto is = [&](const char* name) { return role_of(rig, roles, std::string("mixamorig:") + name); };
  EXPECT_EQ(is("Spine").limb.kind, LimbKind::kTrunk);
  EXPECT_EQ(is("Neck").limb.kind, LimbKind::kNeck);
  EXPECT_EQ(is("Head").limb.kind, LimbKind::kHead);
  EXPECT_EQ(is("LeftForeArm").limb.kind, LimbKind::kArm);
  EXPECT_EQ(is("LeftForeArm").limb.side, Side::kLeft);
  EXPECT_EQ(is("LeftForeArm").section, 2);
  EXPECT_EQ(is("LeftHandIndex2").limb.kind, LimbKind::kFinger);
  EXPECT_EQ(is("LeftHandIndex2").section, 1);
  EXPECT_EQ(is("LeftHandIndex2").limb.station, 1);
  EXPECT_EQ(is("RightFoot").limb.kind, LimbKind::kLeg);
  EXPECT_EQ(is("RightFoot").limb.side, Side::kRight);
  EXPECT_LT(is("RightFoot").limb.station, 0.3f);
  EXPECT_GT(is("LeftHand").limb.station, 0.7f);
  // A helper is where the joint is that it helps.
  EXPECT_EQ(is("RightFoot_IK_target").section, is("RightFoot").section);
}

TEST(FindRoles, TakesArmsThatStandOnTheGroundForLegs) {
  const rig::Rig rig = make_rig({{"hips", -1, {0, 0.6f, -0.4f}},
                                 {"chest", 0, {0, 0.6f, 0.3f}},
                                 {"upperarm_l", 1, {0.1f, 0.5f, 0.3f}},
                                 {"forearm_l", 2, {0.1f, 0.3f, 0.3f}},
                                 {"hand_l", 3, {0.1f, 0.02f, 0.3f}},
                                 {"thigh_l", 0, {0.1f, 0.5f, -0.4f}},
                                 {"foot_l", 5, {0.1f, 0.0f, -0.4f}}});
  const Roles roles = find_roles(rig);
  EXPECT_EQ(count(roles.limbs, LimbKind::kLeg), 2);
  EXPECT_EQ(role_of(rig, roles, "hand_l").limb.station, 1);
  EXPECT_EQ(role_of(rig, roles, "foot_l").limb.station, 0);
}

TEST(FindRoles, JoinsFeetThatHangOnTheTrunkToTheirLegs) {
  const rig::Rig rig = make_rig({{"Body", -1, {0, 0.6f, 0}},
                                 {"Foot.L", 0, {0.1f, 0, 0}},
                                 {"Control-foot.L", 0, {0.1f, 0, 0.1f}},
                                 {"UpperLeg.L", 0, {0.1f, 0.5f, 0}},
                                 {"LowerLeg.L", 3, {0.1f, 0.25f, 0}},
                                 {"UpperLeg.R", 0, {-0.1f, 0.5f, 0}}});
  const Roles roles = find_roles(rig);
  EXPECT_EQ(count(roles.limbs, LimbKind::kLeg), 2);
  EXPECT_EQ(role_of(rig, roles, "Foot.L").limb.side, Side::kLeft);
  EXPECT_EQ(role_of(rig, roles, "Foot.L").section, 2);
  EXPECT_EQ(role_of(rig, roles, "LowerLeg.L").section, 1);
  EXPECT_EQ(role_of(rig, roles, "Control-foot.L").limb.kind, LimbKind::kTrunk);
}

TEST(FindRoles, GoesByShapeWhereNamesSayNothing) {
  // A table with a head and a tail, facing +X.
  const std::vector<NamedJoint> joints{
      {"b0", -1, {-0.4f, 0.5f, 0}},   {"b1", 0, {0, 0.5f, 0}},         {"b2", 1, {0.4f, 0.5f, 0}},
      {"b3", 2, {0.6f, 0.7f, 0}},     {"b4", 3, {0.8f, 0.8f, 0}},      {"b5", 0, {-0.6f, 0.5f, 0}},
      {"b6", 5, {-0.8f, 0.5f, 0}},    {"p0", 0, {-0.4f, 0.4f, -0.2f}}, {"p1", 7, {-0.4f, 0, -0.2f}},
      {"q0", 0, {-0.4f, 0.4f, 0.2f}}, {"q1", 9, {-0.4f, 0, 0.2f}},     {"s0", 2, {0.4f, 0.4f, -0.2f}},
      {"s1", 11, {0.4f, 0, -0.2f}},   {"t0", 2, {0.4f, 0.4f, 0.2f}},   {"t1", 13, {0.4f, 0, 0.2f}}};
  const rig::Rig rig = make_rig(joints);
  const Roles roles = find_roles(rig, rig::make_facing({0, 1, 0}, {1, 0, 0}).value());
  EXPECT_EQ(count(roles.limbs, LimbKind::kLeg), 4);
  EXPECT_EQ(role_of(rig, roles, "b1").limb.kind, LimbKind::kTrunk);
  EXPECT_EQ(role_of(rig, roles, "b4").limb.kind, LimbKind::kHead);
  EXPECT_EQ(role_of(rig, roles, "b6").limb.kind, LimbKind::kTail);
  // Its left is -Z.
  EXPECT_EQ(role_of(rig, roles, "p1").limb.side, Side::kLeft);
  EXPECT_EQ(role_of(rig, roles, "q1").limb.side, Side::kRight);
  EXPECT_EQ(role_of(rig, roles, "p1").limb.station, role_of(rig, roles, "q1").limb.station);
  EXPECT_GT(role_of(rig, roles, "s1").limb.station, role_of(rig, roles, "p1").limb.station + 0.5f);
}

TEST(FindRoles, OfOneJointAreTheTrunk) {
  const Roles roles = find_roles(make_rig({{"", -1, {}}}));
  EXPECT_EQ(roles.limbs, std::vector<rig::Limb>(1));
  EXPECT_EQ(roles.roles, (std::vector<rig::Role>{{0, 0}}));
}

TEST(FindRoles, KeepsTheLimbsThatARigHas) {
  const zoo::Creature bird = zoo::make_creature({zoo::Plan::kBird, 1, 24}).value();
  const rig::Rig same = with_roles(bird.subject.rig);
  EXPECT_TRUE(std::equal(same.limbs().begin(), same.limbs().end(), bird.subject.rig.limbs().begin(),
                         bird.subject.rig.limbs().end()));
  rig::Subject blank = bird.subject;
  const std::vector<rig::Role> none(blank.rig.joints().size());
  blank.rig = rig::with_limbs(blank.rig, {}, none).value();
  EXPECT_TRUE(blank.rig.limbs().empty());
  EXPECT_EQ(with_roles(blank).rig.limbs().size(), bird.subject.rig.limbs().size());
}

}  // namespace
}  // namespace limber::anatomy
