// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_conditions.h"

#include <gtest/gtest.h>

#include <numeric>

#include "limber/base/at.h"
#include "limber/pose_space/limb_pairs.h"
#include "limber/pose_space/pose_testing.h"
#include "limber/testing/toy_rigs.h"

namespace limber::pose_space {
namespace {

struct Body {
  explicit Body(const zoo::Creature& creature)
      : skeleton(make_pose_skeleton(creature.subject.rig)),
        conditions(make_conditions(skeleton, surface_of(creature.subject))) {}
  PoseSkeleton skeleton;
  PoseConditions conditions;
  float feature(std::size_t joint, int which) const { return conditions.features[joint * kJointFeatures + at(which)]; }
};

TEST(PoseConditions, PairJointsOfBothSides) {
  for (int plan = 0; plan < zoo::kPlanCount; ++plan) {
    const Body body(test_creature(static_cast<zoo::Plan>(plan)));
    int paired = 0;
    for (std::size_t j = 0; j < body.skeleton.joints.size(); ++j) {
      const PoseJoint& joint = body.skeleton.joints[j];
      const std::string& name = body.skeleton.rig.joints()[at(joint.joint)].name;
      EXPECT_EQ(joint.partner >= 0, name.ends_with(".L") || name.ends_with(".R")) << name;
      if (joint.partner < 0) continue;
      ++paired;
      const PoseJoint& other = body.skeleton.joints[at(joint.partner)];
      EXPECT_EQ(other.partner, static_cast<int>(j));
      EXPECT_NEAR(other.place.x, -joint.place.x, 0.02) << name;
      EXPECT_NEAR(other.place.y, joint.place.y, 0.02) << name;
      EXPECT_EQ(body.conditions.relations[j * at(body.conditions.joints) + at(joint.partner)], kAcross);
    }
    if (static_cast<zoo::Plan>(plan) == zoo::Plan::kQuadruped) {
      EXPECT_GE(paired, 16);
    }
  }
}

TEST(PoseConditions, CountLegsFromTheFront) {
  const zoo::Creature creature = test_creature();
  const std::vector<int> pairs = limb_pairs(creature.subject.rig);
  for (const rig::Joint& joint : creature.subject.rig.joints()) {
    if (joint.name != "shoulder.L" && joint.name != "hip.R") continue;
    EXPECT_EQ(pairs[at(joint.role.limb)], joint.name == "hip.R" ? 1 : 0);
  }
}

TEST(PoseConditions, TellEachJointOneKindOneSideAndItsPlaceInTheTree) {
  const Body body(test_creature());
  for (std::size_t j = 0; j < body.skeleton.joints.size(); ++j) {
    const auto sum = [&](int first, int count) {
      const auto row = body.conditions.features.begin() + static_cast<std::ptrdiff_t>(j * kJointFeatures + at(first));
      return std::accumulate(row, row + count, 0.0f);
    };
    EXPECT_EQ(sum(kKindFeature, rig::kLimbKindCount + 1), 1);
    EXPECT_EQ(sum(kSideFeature, 3), 1);
    EXPECT_EQ(body.conditions.relations[j * at(body.conditions.joints) + j], 0);
    if (body.skeleton.joints[j].parent < 0) continue;
    const std::size_t parent = at(body.skeleton.joints[j].parent);
    EXPECT_EQ(body.conditions.relations[j * at(body.conditions.joints) + parent], 1);
    EXPECT_NEAR(body.feature(j, kTreeFeature), body.feature(parent, kTreeFeature) + 0.1f, 1e-6);
  }
}

TEST(PoseConditions, SeeTheSurfaceWhereItIs) {
  const zoo::Creature creature = test_creature();
  const Body body(creature);
  ASSERT_EQ(body.conditions.surface.size(), at(kSurfacePoints));
  for (const SurfacePoint& point : body.conditions.surface) {
    EXPECT_NEAR(norm(point.normal), 1, 1e-5);
    EXPECT_GE(point.share, 0.5f);
    EXPECT_LT(norm(point.place), 2.5);
    // What moves a point is near it.
    EXPECT_LT(norm(point.place.cast<double>() - body.skeleton.joints[point.joints[0]].place), 0.8);
  }
  // Spread: no two of them are together.
  for (std::size_t i = 0; i < body.conditions.surface.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_GT(norm(body.conditions.surface[i].place - body.conditions.surface[k].place), 0.01);
  }
  // The trunk is thicker than the ankles.
  double trunk = 0, ankle = 0;
  for (std::size_t j = 0; j < body.skeleton.joints.size(); ++j) {
    const std::string& name = body.skeleton.rig.joints()[at(body.skeleton.joints[j].joint)].name;
    if (name.starts_with("spine")) trunk = std::max<double>(trunk, body.feature(j, kGirthFeature));
    if (name.starts_with("ankle")) ankle = std::max<double>(ankle, body.feature(j, kGirthFeature));
  }
  EXPECT_GT(trunk, 1.5 * ankle);
}

TEST(PoseConditions, GoWithoutASurfaceThatHasNoArea) {
  const rig::Rig rig = testing::toy_rig();
  const PoseSkeleton skeleton = make_pose_skeleton(rig);
  const std::vector<Vec3> points(3);
  const std::vector<std::array<std::uint32_t, 3>> triangles{{0, 1, 2}};
  const rig::SkinWeights weights = testing::toy_weights(3, rig.bone_count(), 4);
  EXPECT_TRUE(make_conditions(skeleton, {points, triangles, weights}).surface.empty());
  EXPECT_TRUE(make_conditions(skeleton, {{}, {}, rig::SkinWeights{}}).surface.empty());
}

TEST(PoseConditions, AreThereForRigsOfOneJointAndOfThreeHundred) {
  for (const int joints : {1, 300}) {
    testing::ToyRigSettings settings;
    settings.joints = joints;
    const PoseConditions conditions = make_conditions(make_pose_skeleton(testing::toy_rig(settings)));
    EXPECT_EQ(conditions.joints, std::min(joints, kMostJoints));
    for (const float v : conditions.features) EXPECT_TRUE(std::isfinite(v));
    for (const std::uint8_t r : conditions.relations) EXPECT_LT(r, kRelations);
  }
}

}  // namespace
}  // namespace limber::pose_space
