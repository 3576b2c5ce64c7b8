// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/creature.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "limber/base/threads.h"

namespace limber::zoo {
namespace {

Creature make(Plan plan, std::uint64_t seed, int resolution = 60) {
  return make_creature({plan, seed, resolution}).value();
}

std::vector<Plan> all_plans() {
  std::vector<Plan> plans;
  for (int k = 0; k < kPlanCount; ++k) plans.push_back(static_cast<Plan>(k));
  return plans;
}

/// Everything that the bits of a creature are made of.
std::uint64_t hash(const Creature& creature) {
  std::uint64_t h = 1469598103934665603ull;
  const auto add = [&h](const void* data, std::size_t size) {
    for (std::size_t k = 0; k < size; ++k) h = (h ^ static_cast<const unsigned char*>(data)[k]) * 1099511628211ull;
  };
  add(creature.subject.points.data(), creature.subject.points.size() * sizeof(Vec3));
  add(creature.subject.normals.data(), creature.subject.normals.size() * sizeof(Vec3));
  add(creature.subject.weights.weights.data(), creature.subject.weights.weights.size() * sizeof(float));
  add(creature.subject.weights.bones.data(), creature.subject.weights.bones.size() * sizeof(std::uint16_t));
  add(creature.surface.indices.data(), creature.surface.indices.size() * sizeof(std::uint32_t));
  add(creature.surface.colors[0].data(), creature.surface.colors[0].size() * sizeof(Vec4));
  return h;
}

TEST(Creature, PlansHaveNames) {
  for (const Plan plan : all_plans()) EXPECT_EQ(plan_from_name(name(plan)), plan);
  EXPECT_EQ(plan_from_name("centaur"), std::nullopt);
  EXPECT_EQ(plan_from_name(""), std::nullopt);
}

TEST(Creature, RefusesResolutionsThatItCannotMake) {
  EXPECT_FALSE(make_creature({Plan::kFish, 1, 23}).ok());
  EXPECT_FALSE(make_creature({Plan::kFish, 1, 257}).ok());
  const auto failed = make_creature({Plan::kFish, 1, -4});
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.error().message().find("24"), std::string::npos);
}

TEST(Creature, IsTheSameForTheSameSeedAndAnyThreadCount) {
  for (const Plan plan : all_plans()) {
    const std::uint64_t first = hash(make(plan, 5, 40));
    EXPECT_EQ(first, hash(make(plan, 5, 40)));
    EXPECT_NE(first, hash(make(plan, 6, 40)));
    std::vector<std::uint64_t> hashes(4);
    set_thread_count(3);
    parallel_for(hashes.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) hashes[k] = hash(make(plan, 5, 40));
    });
    set_thread_count(0);
    for (const std::uint64_t h : hashes) EXPECT_EQ(h, first) << name(plan);
  }
}

TEST(Creature, StandsCentredOnTheGroundWithItsLongestSideOne) {
  for (const Plan plan : all_plans()) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const Creature c = make(plan, seed, 40);
      Vec3 lower = c.subject.points[0], upper = lower;
      for (const Vec3& p : c.subject.points) lower = min(lower, p), upper = max(upper, p);
      const Vec3 size = upper - lower;
      EXPECT_NEAR(std::max({size.x, size.y, size.z}), 1, 0.12) << c.name;
      EXPECT_NEAR(0.5f * (lower.x + upper.x), 0, 0.01) << c.name;
      EXPECT_NEAR(0.5f * (lower.z + upper.z), 0, 0.05) << c.name;
      if (plan != Plan::kFish) {
        EXPECT_NEAR(lower.y, 0, 0.005) << c.name;
      } else {
        EXPECT_GT(lower.y, 0.05) << c.name;
      }
    }
  }
}

TEST(Creature, KeepsAttributesInStep) {
  for (const Plan plan : all_plans()) {
    const Creature c = make(plan, 2, 40);
    const std::size_t points = c.subject.points.size();
    EXPECT_EQ(c.surface.positions, c.subject.points);
    EXPECT_EQ(c.surface.normals.size(), points);
    ASSERT_EQ(c.surface.texcoords.size(), 1u);
    ASSERT_EQ(c.surface.colors.size(), 1u);
    EXPECT_EQ(c.surface.texcoords[0].size(), points);
    EXPECT_EQ(c.surface.colors[0].size(), points);
    EXPECT_EQ(c.surface.indices.size(), 3 * c.subject.triangles.size());
    EXPECT_EQ(c.face_labels.size(), c.subject.triangles.size());
    EXPECT_EQ(c.girths.size(), static_cast<std::size_t>(c.subject.rig.joint_count()));
    for (const Vec2& uv : c.surface.texcoords[0]) {
      EXPECT_TRUE(uv.x >= 0 && uv.x <= 1 && uv.y >= 0 && uv.y <= 1);
    }
    for (const Vec4& color : c.surface.colors[0]) {
      for (int k = 0; k < 4; ++k) EXPECT_TRUE(color[k] >= 0 && color[k] <= 1);
    }
    for (const Vec3& n : c.surface.normals) EXPECT_NEAR(norm(n), 1, 1e-4);
  }
}

TEST(Creature, NamesJointsWithMirroredSides) {
  for (const Plan plan : all_plans()) {
    const Creature c = make(plan, 3, 32);
    const rig::Rig& rig = c.subject.rig;
    for (int j = 0; j < rig.joint_count(); ++j) {
      const std::string& joint = rig.joints()[static_cast<std::size_t>(j)].name;
      if (!joint.ends_with(".L")) continue;
      const int other = rig.find(joint.substr(0, joint.size() - 1) + "R");
      ASSERT_GE(other, 0) << joint;
      const Vec3 left = rig.world_from_rest()[static_cast<std::size_t>(j)].translation;
      const Vec3 right = rig.world_from_rest()[static_cast<std::size_t>(other)].translation;
      EXPECT_GT(left.x, 0) << joint;
      EXPECT_LT(norm(left - Vec3{-right.x, right.y, right.z}), 1e-5f) << joint;
    }
  }
  const Creature dog = make(Plan::kQuadruped, 1, 32);
  for (const char* joint : {"hips", "spine.1", "chest", "neck.1", "head", "jaw", "tail.1", "shoulder.L", "elbow.R",
                            "wrist.L", "hip.R", "knee.L", "ankle.L", "toe.R"}) {
    EXPECT_GE(dog.subject.rig.find(joint), 0) << joint;
  }
  EXPECT_GE(make(Plan::kBird, 1, 32).subject.rig.find("wing.3.L"), 0);
  EXPECT_GE(make(Plan::kOctopod, 1, 32).subject.rig.find("leg.4.knee.R"), 0);
  EXPECT_GE(make(Plan::kFish, 1, 32).subject.rig.find("fin.L"), 0);
}

TEST(Creature, BendsLegsTheWayAnimalsDo) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Creature c = make(Plan::kQuadruped, seed, 32);
    for (const Leg& leg : c.legs) {
      ASSERT_EQ(leg.joints.size(), 4u);
      const auto z = [&](std::size_t k) {
        return c.subject.rig.world_from_rest()[static_cast<std::size_t>(leg.joints[k])].translation.z;
      };
      if (leg.kind == LegKind::kForeleg) {
        EXPECT_LT(z(1), z(0)) << c.name << " elbow back";
      } else {
        EXPECT_GT(z(1), z(0)) << c.name << " knee forward";
        EXPECT_LT(z(2), z(1)) << c.name << " hock back";
      }
    }
  }
}

TEST(Creature, VariesItsProportions) {
  double shortest = 1, tallest = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Creature c = make(Plan::kQuadruped, seed, 24);
    float height = 0;
    for (const Vec3& p : c.subject.points) height = std::max(height, p.y);
    shortest = std::min<double>(shortest, height), tallest = std::max<double>(tallest, height);
  }
  EXPECT_LT(shortest, 0.5);
  EXPECT_GT(tallest, 0.85);
}

TEST(Creature, LabelsPartsThatHangTogether) {
  for (const Plan plan : all_plans()) {
    const Creature c = make(plan, 4);
    std::vector<int> faces(static_cast<std::size_t>(c.subject.rig.joint_count()), 0);
    for (const int label : c.face_labels) ++faces.at(static_cast<std::size_t>(label));
    for (std::size_t j = 0; j < faces.size(); ++j) {
      EXPECT_GT(faces[j], 0) << c.name << " " << c.subject.rig.joints()[j].name;
    }
  }
}

TEST(Creature, KeepsWeightsOfOneLegOffTheOther) {
  for (const Plan plan : {Plan::kBiped, Plan::kQuadruped, Plan::kBird, Plan::kHexapod, Plan::kOctopod}) {
    const Creature c = make(plan, 6, 48);
    std::set<int> left, right;
    for (const Leg& leg : c.legs) {
      // From the knee down; around the hips both sides meet in the trunk.
      for (std::size_t k = 1; k < leg.joints.size(); ++k) (leg.left ? left : right).insert(leg.joints[k]);
    }
    const rig::SkinWeights& w = c.subject.weights;
    for (std::size_t p = 0; p < w.points(); ++p) {
      bool on_left = false, on_right = false;
      for (std::size_t k = 0; k < 4 && w.weights[4 * p + k] > 0; ++k) {
        on_left |= left.contains(w.bones[4 * p + k]), on_right |= right.contains(w.bones[4 * p + k]);
      }
      EXPECT_FALSE(on_left && on_right) << c.name << " point " << p;
    }
  }
}

TEST(Creature, BecomesAStaticAsset) {
  const Creature c = make(Plan::kTheropod, 1, 32);
  const asset::Asset asset = static_asset(c);
  ASSERT_EQ(asset.meshes.size(), 1u);
  ASSERT_EQ(asset.nodes.size(), 1u);
  EXPECT_EQ(asset.nodes[0].mesh, 0);
  EXPECT_EQ(asset.meshes[0].primitives[0], c.surface);
  EXPECT_TRUE(asset.skins.empty());
  EXPECT_EQ(asset.materials.size(), 1u);
  EXPECT_NE(asset.nodes[0].extras.find("face_labels"), std::string::npos);
  ASSERT_EQ(c.subject.ranges.size(), 1u);
  EXPECT_EQ(c.subject.ranges[0].count, c.surface.positions.size());
}

}  // namespace
}  // namespace limber::zoo
