// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/limb_template.h"

#include <gtest/gtest.h>

#include <set>

#include "limber/skeleton/plan.h"
#include "limber/testing/surfaces.h"

namespace limber::skeleton {
namespace {

using rig::LimbKind;
using rig::Side;

/// A dog with wings, and a reading that has all its limbs right.
struct Dragon {
  body::BodyShape body;
  anatomy::BodyReading reading;
};

Dragon make_dragon() {
  testing::TestSurface surface = testing::dog();
  for (const double side : {-1.0, 1.0}) {
    surface.add(testing::capsule({side * 0.08, 0.62, 0.1}, {side * 0.6, 0.9, -0.05}, 0.04, 0.03));
    surface.add(testing::capsule({side * 0.6, 0.9, -0.05}, {side, 0.7, -0.3}, 0.03, 0.02));
  }
  Dragon dragon{body::study_body(surface.points, surface.triangles), {}};
  anatomy::BodyReading& reading = dragon.reading;
  reading.up = {0, 0.95, 0}, reading.forward = {0, 0.05, 0.95};
  for (const Vec3& p : surface.points) reading.points.push_back(p.cast<double>());
  reading.regions.resize(reading.points.size()), reading.starts.resize(reading.points.size());
  auto add = [&](LimbKind kind, Side side, Vec3d root, Vec3d tip) {
    reading.limbs.push_back({});
    anatomy::ReadLimb& limb = reading.limbs.back();
    limb.kind = kind, limb.side = side, limb.root = root, limb.tip = tip, limb.confidence = 0.95;
  };
  add(LimbKind::kTrunk, Side::kMiddle, {0.01, 0.55, -0.3}, {0, 0.55, 0.25});
  add(LimbKind::kHead, Side::kMiddle, {0, 0.7, 0.4}, {0, 0.75, 0.6});
  for (const double s : {-1.0, 1.0}) {
    const Side side = s > 0 ? Side::kLeft : Side::kRight;
    add(LimbKind::kLeg, side, {0.09 * s, 0.45, -0.3}, {0.09 * s, 0.02, -0.3});
    add(LimbKind::kWing, side, {0.08 * s, 0.62, 0.1}, {s, 0.7, -0.3});
    add(LimbKind::kLeg, side, {0.09 * s, 0.45, 0.25}, {0.09 * s, 0.02, 0.25});
  }
  return dragon;
}

/// Studied once for all tests.
const Dragon& the_dragon() {
  static const Dragon dragon = make_dragon();
  return dragon;
}

TEST(LimbTemplate, HasALimbForEveryOneThatWasRead) {
  const Dragon& dragon = the_dragon();
  const auto built = template_from_limbs(dragon.body, dragon.reading);
  ASSERT_TRUE(built.has_value());
  const SkeletonTemplate& skeleton = built->skeleton;
  EXPECT_EQ(tally_limbs(skeleton.limbs), (LimbTally{4, 0, 2, 0, 0, 1}));
  EXPECT_EQ(to_text(tally_limbs(skeleton.limbs)), "4 legs, 2 wings, one head");
  std::set<std::string> names;
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const TemplateJoint& joint = skeleton.joints[j];
    EXPECT_TRUE(names.insert(joint.name).second) << joint.name;
    EXPECT_LT(joint.parent, static_cast<int>(j));
    if (joint.partner < 0) continue;
    const TemplateJoint& other = skeleton.joints[static_cast<std::size_t>(joint.partner)];
    EXPECT_EQ(other.partner, static_cast<int>(j));
    EXPECT_NEAR(other.at.x, -joint.at.x, 1e-12) << joint.name;
    EXPECT_EQ(skeleton.limbs[static_cast<std::size_t>(other.role.limb)].side,
              rig::mirrored(skeleton.limbs[static_cast<std::size_t>(joint.role.limb)].side));
  }
  // The foremost legs are counted first, and hang on the chest.
  const int knee = skeleton.find("leg.1.knee.L"), hip = skeleton.find("leg.2.hip.R");
  ASSERT_GE(knee, 0);
  ASSERT_GE(hip, 0);
  EXPECT_GT(skeleton.joints[static_cast<std::size_t>(knee)].at.z, 0.1);
  EXPECT_EQ(skeleton.joints[static_cast<std::size_t>(skeleton.joints[static_cast<std::size_t>(hip)].parent)].name,
            "hips");
}

TEST(LimbTemplate, FitsTheBodyThatItWasReadFrom) {
  const Dragon& dragon = the_dragon();
  const auto built = template_from_limbs(dragon.body, dragon.reading);
  ASSERT_TRUE(built.has_value());
  const std::vector<Embedding> found = embed_skeletons(dragon.body, std::span(&built->skeleton, 1));
  ASSERT_FALSE(found.empty());
  EXPECT_LT(found.front().cost, 12);
  const SkeletonPlan plan = plan_from_embedding(found.front());
  EXPECT_EQ(tally_limbs(plan.limbs), (LimbTally{4, 0, 2, 0, 0, 1}));
  // As it was read, nothing is matched, and joints are just there.
  const SkeletonPlan read = plan_from_embedding(embedding_as_read(*built));
  const int wing = read.find("wing.1.L");
  ASSERT_GE(wing, 0);
  EXPECT_LT(norm(read.joints[static_cast<std::size_t>(wing)].at - Vec3d{0.08, 0.62, 0.1}), 0.03);
}

TEST(LimbTemplate, NeedsAnAttitudeAndATrunk) {
  Dragon dragon = the_dragon();
  dragon.reading.forward = {0, 0, 0.2};
  const auto any_way = template_from_limbs(dragon.body, dragon.reading);
  ASSERT_TRUE(any_way.has_value()) << "what looks any way has its limbs all the same";
  EXPECT_GT(any_way->body_from_template.column(2).z, 0.9);
  dragon.reading.up = {0, 0.2, 0};
  EXPECT_FALSE(template_from_limbs(dragon.body, dragon.reading).has_value());
  dragon.reading.up = {0, 0.95, 0};
  EXPECT_TRUE(template_from_limbs(dragon.body, dragon.reading, Vec3d{0, 0, 1}).has_value());
  dragon.reading.limbs.erase(dragon.reading.limbs.begin());
  EXPECT_FALSE(template_from_limbs(dragon.body, dragon.reading, Vec3d{0, 0, 1}).has_value());
}

TEST(LimbTemplate, KnowsTemplatesThatHaveTheLimbs) {
  // A reading that is rather sure of the limbs of a dragon: four legs, two wings, one head.
  anatomy::LimbCounts counts{};
  for (auto& shares : counts) shares[0] = 0.9f, shares[1] = 0.1f;
  auto sure = [&](LimbKind kind, std::size_t count) {
    counts[static_cast<std::size_t>(kind)] = {};
    counts[static_cast<std::size_t>(kind)][count] = 1;
  };
  sure(LimbKind::kLeg, 4), sure(LimbKind::kHead, 1);
  std::set<std::string> likely;
  for (const SkeletonTemplate& skeleton : builtin_templates()) {
    if (tally_cost(tally_limbs(skeleton.limbs), counts) < 1) likely.insert(skeleton.name);
  }
  EXPECT_EQ(likely, (std::set<std::string>{"lizard", "quadruped"}));
  sure(LimbKind::kWing, 2);
  for (const SkeletonTemplate& skeleton : builtin_templates())
    EXPECT_GT(tally_cost(tally_limbs(skeleton.limbs), counts), 4) << skeleton.name;
  EXPECT_LT(tally_cost({4, 0, 2, 0, 0, 1}, counts), 1);
}

TEST(LimbTemplate, KindsOfLimbsAgreeHoweverMany) {
  anatomy::LimbCounts counts{};
  for (auto& shares : counts) shares[0] = 1;
  counts[static_cast<std::size_t>(rig::LimbKind::kTentacle)] = {0.1f, 0, 0, 0, 0, 0.2f, 0, 0, 0.7f};
  LimbTally tally;
  tally.heads = 1;
  EXPECT_FALSE(has_likeliest_kinds(tally, counts));
  tally.tentacles = 5;
  EXPECT_TRUE(has_likeliest_kinds(tally, counts));
  tally.legs = 2;
  EXPECT_FALSE(has_likeliest_kinds(tally, counts));
}

}  // namespace
}  // namespace limber::skeleton
