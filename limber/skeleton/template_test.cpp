// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/template.h"

#include <gtest/gtest.h>

#include "limber/skeleton/reduced_template.h"
#include "limber/testing/shared_data.h"

namespace limber::skeleton {
namespace {

TEST(SkeletonTemplate, BringsTenBodies) {
  ASSERT_EQ(builtin_templates().size(), 10u);
  for (const SkeletonTemplate& t : builtin_templates()) {
    EXPECT_FALSE(t.name.empty());
    for (std::size_t j = 0; j < t.joints.size(); ++j) {
      EXPECT_LT(t.joints[j].parent, static_cast<int>(j)) << t.name;
      const int partner = t.joints[j].partner;
      if (partner < 0) continue;
      EXPECT_EQ(t.joints[static_cast<std::size_t>(partner)].partner, static_cast<int>(j)) << t.joints[j].name;
      EXPECT_NEAR(t.joints[static_cast<std::size_t>(partner)].at.x, -t.joints[j].at.x, 1e-12) << t.joints[j].name;
    }
  }
}

TEST(SkeletonTemplate, MirrorsWhatIsOnTheLeftAndAddsTips) {
  const auto t = parse_template(R"({"name": "t", "joints": [{"name": "a", "at": [0, 0, 0]},
      {"name": "b.L", "parent": "a", "at": [1, 0, 0]}, {"name": "c.L", "parent": "b.L", "at": [2, 0, 0], "foot": true}]})",
                                "t.json");
  ASSERT_TRUE(t.ok()) << t.error().message();
  const int right = t->find("c.R");
  ASSERT_GE(right, 0);
  EXPECT_EQ(t->joints[static_cast<std::size_t>(right)].at.x, -2);
  EXPECT_EQ(t->joints[static_cast<std::size_t>(t->joints[static_cast<std::size_t>(right)].parent)].name, "b.R");
  const int tip = t->find("c.L.tip");
  ASSERT_GE(tip, 0);
  EXPECT_TRUE(t->joints[static_cast<std::size_t>(tip)].tip);
  EXPECT_EQ(t->joints[static_cast<std::size_t>(tip)].partner, t->find("c.R.tip"));
}

TEST(SkeletonTemplate, TakesPosesWithTheirMirrorImages) {
  const std::string joints =
      R"("joints": [{"name": "a", "at": [0, 2, 0]}, {"name": "b.L", "parent": "a", "at": [1, 2, 0]},
      {"name": "c.L", "parent": "b.L", "at": [1, 1, 0]}, {"name": "c.tip.L", "parent": "c.L", "at": [1, 0, 0], "tip": true}])";
  const auto t = parse_template(R"({"name": "t", )" + joints + R"(, "poses": [{"name": "sitting", "rarity": 0.5,
      "turns": {"b.L": [-90, 0, 0], "c.L": [90, 0, 0]}}, {"turns": {"b.L": [0, 0, 90], "b.R": [0, 0, 0]}}]})",
                                "t.json");
  ASSERT_TRUE(t.ok()) << t.error().message();
  ASSERT_EQ(t->poses.size(), 2u);
  const SkeletonTemplate sitting = posed(*t, t->poses[0]);
  EXPECT_NEAR(sitting.rarity, 0.5, 1e-12);
  for (const double side : {1.0, -1.0}) {
    const auto tip = static_cast<std::size_t>(t->find(side > 0 ? "c.tip.L" : "c.tip.R"));
    EXPECT_LT(norm(sitting.joints[tip].at - Vec3d{side, 1, 1}), 1e-9);
  }
  const SkeletonTemplate lopsided = posed(*t, t->poses[1]);
  EXPECT_LT(norm(lopsided.joints[static_cast<std::size_t>(t->find("c.tip.L"))].at - Vec3d{3, 2, 0}), 1e-9);
  EXPECT_LT(norm(lopsided.joints[static_cast<std::size_t>(t->find("c.tip.R"))].at - Vec3d{-1, 0, 0}), 1e-9);
  const auto bad =
      parse_template(R"({"name": "t", )" + joints + R"(, "poses": [{"turns": {"x": [0, 0, 0]}}]})", "t.json");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().where, "t.json#/poses/0");
}

TEST(SkeletonTemplate, NamesTheBadJoint) {
  const auto where = [](const char* joints) {
    const auto t = parse_template(std::string(R"({"name": "t", "joints": [)") + joints + "]}", "t.json");
    return t.ok() ? std::string("fine") : t.error().where;
  };
  EXPECT_EQ(where(R"({"name": "a", "at": [0,0,0]}, {"name": "b", "parent": "x", "at": [0,0,0]})"), "t.json#/joints/1");
  EXPECT_EQ(where(R"({"name": "a", "at": [0,0,0]}, {"name": "a", "parent": "a", "at": [0,0,0]})"), "t.json#/joints/1");
  EXPECT_EQ(where(R"({"name": "a", "at": [0,0]}, {"name": "b", "parent": "a", "at": [0,0,0]})"), "t.json#/joints/0");
  EXPECT_EQ(where(R"({"name": "a", "at": [0,0,0]}, {"name": "b", "at": [0,0,0]})"), "t.json#/joints/1");
  EXPECT_EQ(where(R"({"name": "a", "at": [0,0,0]}, {"name": "b", "parent": "a", "at": [0,1e30,0]})"),
            "t.json#/joints/1");
  EXPECT_EQ(where(R"({"name": "a", "at": [0,0,0]})"), "t.json");
  EXPECT_FALSE(parse_template("[1,2", "t.json").ok());
}

TEST(SkeletonTemplate, EveryBuiltInJointHasARole) {
  for (const SkeletonTemplate& t : builtin_templates()) {
    ASSERT_FALSE(t.limbs.empty()) << t.name;
    EXPECT_EQ(t.limbs[0], rig::Limb{}) << t.name;
    for (std::size_t i = 1; i < t.limbs.size(); ++i) {
      EXPECT_GE(t.limbs[i].parent, 0) << t.name;
      EXPECT_LT(t.limbs[i].parent, static_cast<int>(i)) << t.name;
    }
    for (const TemplateJoint& joint : t.joints) {
      ASSERT_GE(joint.role.limb, 0) << t.name << ' ' << joint.name;
      const rig::Limb& limb = t.limbs[static_cast<std::size_t>(joint.role.limb)];
      const rig::Side side = joint.name.ends_with(".L")   ? rig::Side::kLeft
                             : joint.name.ends_with(".R") ? rig::Side::kRight
                                                          : rig::Side::kMiddle;
      EXPECT_EQ(limb.side, side) << t.name << ' ' << joint.name;
      if (joint.partner < 0) continue;
      const rig::Role other = t.joints[static_cast<std::size_t>(joint.partner)].role;
      EXPECT_EQ(other.section, joint.role.section) << t.name << ' ' << joint.name;
      EXPECT_EQ(t.limbs[static_cast<std::size_t>(other.limb)].kind, limb.kind) << t.name << ' ' << joint.name;
      EXPECT_EQ(t.limbs[static_cast<std::size_t>(other.limb)].station, limb.station) << t.name << ' ' << joint.name;
    }
  }
}

TEST(SkeletonTemplate, CountsSectionsFromWhereALimbLeaves) {
  const auto t = parse_template(R"({"name": "t", "joints": [{"name": "hips", "at": [0, 1, 0]},
      {"name": "chest", "parent": "hips", "at": [0, 2, 0]},
      {"name": "hip.L", "parent": "chest", "limb": "leg", "station": 0.5, "at": [1, 1, 0]},
      {"name": "knee.L", "parent": "hip.L", "at": [1, 0.5, 0]},
      {"name": "toe.L", "parent": "knee.L", "limb": "finger", "station": 1, "at": [1, 0, 0]}]})",
                                "t.json");
  ASSERT_TRUE(t.ok()) << t.error().message();
  const std::vector<rig::Limb> expected{{},
                                        {rig::LimbKind::kLeg, rig::Side::kLeft, 0, 0.5f},
                                        {rig::LimbKind::kFinger, rig::Side::kLeft, 1, 1},
                                        {rig::LimbKind::kLeg, rig::Side::kRight, 0, 0.5f},
                                        {rig::LimbKind::kFinger, rig::Side::kRight, 3, 1}};
  EXPECT_EQ(t->limbs, expected);
  const auto role = [&](const char* name) { return t->joints[static_cast<std::size_t>(t->find(name))].role; };
  EXPECT_EQ(role("chest"), (rig::Role{0, 1}));
  EXPECT_EQ(role("knee.L"), (rig::Role{1, 1}));
  EXPECT_EQ(role("knee.R"), (rig::Role{3, 1}));
  EXPECT_EQ(role("toe.R.tip"), (rig::Role{4, 0}));
}

TEST(SkeletonTemplate, WithoutLimbsIsStillATemplate) {
  const auto t = parse_template(
      R"({"name": "t", "joints": [{"name": "a", "at": [0,0,0]}, {"name": "b", "parent": "a", "at": [0,1,0]}]})",
      "t.json");
  ASSERT_TRUE(t.ok()) << t.error().message();
  EXPECT_TRUE(t->limbs.empty());
  for (const TemplateJoint& joint : t->joints) EXPECT_EQ(joint.role, rig::Role{});
}

TEST(SkeletonTemplate, NamesTheBadLimb) {
  const auto where = [](const std::string& first, const std::string& second) {
    const auto t = parse_template(R"({"name": "t", "joints": [{"name": "a", "at": [0,0,0])" + first +
                                      R"(}, {"name": "b", "parent": "a", "at": [0,1,0])" + second + "}]}",
                                  "t.json");
    return t.ok() ? std::string("fine") : t.error().where;
  };
  EXPECT_EQ(where(R"(, "limb": "trunk")", R"(, "limb": "tail", "station": 0.25)"), "fine");
  EXPECT_EQ(where("", R"(, "limb": "wheel")"), "t.json#/joints/1/limb");
  EXPECT_EQ(where("", R"(, "limb": 3)"), "t.json#/joints/1/limb");
  EXPECT_EQ(where("", R"(, "limb": "trunk")"), "t.json#/joints/1/limb");
  EXPECT_EQ(where(R"(, "limb": "head")", ""), "t.json#/joints/0/limb");
  EXPECT_EQ(where("", R"(, "limb": "tail", "tip": true)"), "t.json#/joints/1/limb");
  EXPECT_EQ(where("", R"(, "limb": "tail", "station": 2)"), "t.json#/joints/1/station");
  EXPECT_EQ(where("", R"(, "limb": "tail", "station": "high")"), "t.json#/joints/1/station");
  EXPECT_EQ(where("", R"(, "station": 1)"), "t.json#/joints/1");
}

TEST(SkeletonTemplate, IsReducedToItsForksAndEnds) {
  for (const SkeletonTemplate& t : builtin_templates()) {
    if (t.name != "quadruped") continue;
    const ReducedTemplate reduced = reduce_template(t);
    // hips, chest; head, tail, forelegs, hind legs.
    ASSERT_EQ(reduced.nodes.size(), 6u);
    EXPECT_TRUE(reduced.details.empty());
    int pairs = 0, optional = 0;
    for (const ReducedNode& node : reduced.nodes) pairs += node.other >= 0 ? 1 : 0, optional += node.optional ? 1 : 0;
    EXPECT_EQ(pairs, 2);
    EXPECT_EQ(optional, 1);
    EXPECT_FALSE(reduced.nodes[1].leaf);
  }
}

TEST(SkeletonTemplate, CanBeAnySkeleton) {
  const auto shared = limber::testing::shared_dir();
  if (shared.empty()) GTEST_SKIP() << "no shared data";
  const auto t = read_template(shared / "assets/rig_template/rig_fox_m2m.glb");
  ASSERT_TRUE(t.ok()) << t.error().message();
  const int left = t->find("Front_Leg_Upper_L");
  ASSERT_GE(left, 0);
  EXPECT_EQ(t->joints[static_cast<std::size_t>(left)].partner, t->find("Front_Leg_Upper_R"));
  int feet = 0;
  for (const TemplateJoint& joint : t->joints) feet += joint.foot ? 1 : 0;
  EXPECT_EQ(feet, 4);
  const auto limb = [&](const char* name) {
    return t->limbs[static_cast<std::size_t>(t->joints[static_cast<std::size_t>(t->find(name))].role.limb)];
  };
  EXPECT_EQ(limb("Front_Leg_Upper_L").kind, rig::LimbKind::kLeg);
  EXPECT_EQ(limb("Front_Leg_Upper_L").side, rig::Side::kLeft);
  EXPECT_GT(limb("Front_Leg_Upper_L").station, 0.5f);
}

}  // namespace
}  // namespace limber::skeleton
