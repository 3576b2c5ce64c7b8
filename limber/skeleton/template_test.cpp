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
}

}  // namespace
}  // namespace limber::skeleton
