// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/embed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "limber/skeleton/facing_cues.h"
#include "limber/testing/surfaces.h"

namespace limber::skeleton {
namespace {

using testing::capsule;
using testing::TestSurface;

/// Angles in degrees, positive ahead: of the thighs, how far the shins fall back behind them, of the arms.
struct Stance {
  double left_thigh = 0, right_thigh = 0, left_knee = 0, right_knee = 0, left_arm = 0, right_arm = 0;
};

Vec3d swung(double degrees) {
  const double a = degrees * kPi / 180;
  return {0, -std::cos(a), std::sin(a)};
}

/// A plain man: faces +Z, +Y up. His trunk is broader than deep, his feet point ahead.
TestSurface man(const Stance& s) {
  TestSurface body = capsule({-0.07, 1.05, 0}, {-0.09, 1.4, 0}, 0.11, 0.1);
  body.add(capsule({0.07, 1.05, 0}, {0.09, 1.4, 0}, 0.11, 0.1));
  body.add(capsule({0, 1.4, 0}, {0, 1.6, 0.01}, 0.06, 0.06));
  body.add(capsule({0, 1.62, 0.02}, {0, 1.72, 0.02}, 0.1, 0.1));
  for (const double side : {-1.0, 1.0}) {
    const double thigh = side > 0 ? s.left_thigh : s.right_thigh, bend = side > 0 ? s.left_knee : s.right_knee;
    const double arm = side > 0 ? s.left_arm : s.right_arm;
    const Vec3d hip{side * 0.1, 0.95, 0}, knee = hip + 0.42 * swung(thigh), ankle = knee + 0.42 * swung(thigh - bend);
    body.add(capsule(hip, knee, 0.08, 0.06));
    body.add(capsule(knee, ankle, 0.06, 0.045));
    body.add(capsule(ankle, ankle + 0.18 * swung(thigh - bend + 90), 0.045, 0.04));
    const Vec3d shoulder{side * 0.2, 1.42, 0}, elbow = shoulder + 0.28 * swung(arm) + Vec3d{side * 0.08, 0, 0};
    body.add(capsule(shoulder, elbow, 0.055, 0.045));
    body.add(capsule(elbow, elbow + 0.26 * swung(arm + 25), 0.045, 0.035));
  }
  return body;
}

Embedding best_match(const TestSurface& surface) {
  const body::BodyShape body = body::study_body(surface.points, surface.triangles, {128, 2000000, 3});
  std::vector<Embedding> found = embed_skeletons(body, builtin_templates());
  EXPECT_FALSE(found.empty());
  return found.empty() ? Embedding{} : found.front();
}

TEST(EmbedSkeleton, KnowsAManWhoSits) {
  const Embedding sitting = best_match(man({85, 85, 85, 85, 20, 20}));
  EXPECT_EQ(sitting.skeleton.name, "humanoid");
  EXPECT_GT(sitting.forward().z, 0.9);
  EXPECT_GT(sitting.up().y, 0.9);
}

TEST(EmbedSkeleton, DoesNotTakeAStridingManForOneSeenFromTheSide) {
  const Embedding striding = best_match(man({40, -30, 20, 40, -35, 35}));
  EXPECT_EQ(striding.skeleton.name, "humanoid");
  EXPECT_GT(striding.forward().z, 0.9);
  EXPECT_GT(striding.up().y, 0.9);
}

TEST(EmbedSkeleton, FindsTheLimbsOfATemplateThatSaysNothingOfThem) {
  const TestSurface surface = man({});
  const body::BodyShape body = body::study_body(surface.points, surface.triangles, {128, 2000000, 3});
  std::vector<SkeletonTemplate> ours, silent;
  for (const SkeletonTemplate& t : builtin_templates()) {
    if (t.name == "humanoid") ours.push_back(t), silent.push_back(t);
  }
  ASSERT_EQ(silent.size(), 1u);
  silent[0].limbs.clear();
  for (TemplateJoint& joint : silent[0].joints) joint.role = {};
  const Embedding said = embed_skeletons(body, ours).front(), found = embed_skeletons(body, silent).front();
  EXPECT_EQ(found.cost, said.cost);
  const SkeletonTemplate& skeleton = found.skeleton;
  for (const auto& [name, kind] : {std::pair{"knee.L", rig::LimbKind::kLeg},
                                   {"toe.tip.R", rig::LimbKind::kLeg},
                                   {"head.tip", rig::LimbKind::kHead},
                                   {"elbow.R", rig::LimbKind::kArm}}) {
    const rig::Role role = skeleton.joints[static_cast<std::size_t>(skeleton.find(name))].role;
    ASSERT_GE(role.limb, 0) << name;
    EXPECT_EQ(skeleton.limbs[static_cast<std::size_t>(role.limb)].kind, kind) << name;
  }
}

TEST(EmbedTerms, AreAllThereInOrderWithNamesAndReasons) {
  std::set<std::string_view> names;
  const EmbedWeights weights;
  for (std::size_t k = 0; k < kEmbedTermCount; ++k) {
    const EmbedTermInfo& info = embed_terms()[k];
    EXPECT_EQ(static_cast<std::size_t>(info.term), k);
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_GT(info.weight, 0) << info.name;
    EXPECT_FALSE(info.measures.empty() || info.origin.empty()) << info.name;
    EXPECT_EQ(weights[info.term], info.weight) << info.name;
  }
}

TEST(EmbedTerms, WithoutWeightCostNothing) {
  const TestSurface surface = man({});
  const body::BodyShape body = body::study_body(surface.points, surface.triangles, {96, 2000000, 3});
  EmbedSettings settings;
  for (const EmbedTermInfo& info : embed_terms()) settings.weights[info.term] = 0;
  const std::vector<Embedding> found = embed_skeletons(body, builtin_templates(), settings);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().cost, found.front().skeleton.rarity);
}

TEST(Facing, ReadsRaisedFeetKneesAndTheBreadthOfTheTrunk) {
  const TestSurface surface = man({40, -30, 20, 40, -35, 35});
  const body::BodyShape body = body::study_body(surface.points, surface.triangles, {128, 2000000, 3});
  std::vector<SkeletonTemplate> humanoid;
  for (const SkeletonTemplate& t : builtin_templates()) {
    if (t.name == "humanoid") humanoid.push_back(t);
  }
  double ahead = -1, back = -1;
  for (const Embedding& e : embed_skeletons(body, humanoid)) {
    if (e.up().y < 0.9) continue;
    const FacingCues cues = facing_cues(body, e);
    if (e.forward().z > 0.9 && ahead < 0) {
      ahead = facing_cost(body, e);
      EXPECT_GT(cues.toes, 0.02);
      EXPECT_GT(cues.knees, 0.01);
      EXPECT_GT(cues.breadth, 0.1);
    }
    if (e.forward().z < -0.9 && back < 0) back = facing_cost(body, e);
    if (std::abs(e.forward().x) > 0.9) {
      EXPECT_LE(cues.breadth, 0);  // bent down there is none
    }
  }
  ASSERT_GE(ahead, 0);
  ASSERT_GE(back, 0);
  EXPECT_LT(ahead + 0.5, back);
}

}  // namespace
}  // namespace limber::skeleton
