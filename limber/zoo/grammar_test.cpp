// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "limber/zoo/creature.h"

/// What every body of the grammar promises; `limber-lab bench zoo --bodies 1000` looks at more of them, more closely.
namespace limber::zoo {
namespace {

using rig::LimbKind;

Creature make(std::string_view text, std::uint64_t seed = 1, int resolution = 40) {
  CreatureSettings settings;
  settings.seed = seed, settings.resolution = resolution, settings.body = parse_body(text).value();
  return make_creature(settings).value();
}

Creature make_random(std::uint64_t seed, int resolution = 32) {
  CreatureSettings settings;
  settings.seed = seed, settings.resolution = resolution, settings.body = random_body(seed);
  return make_creature(settings).value();
}

int limbs_of(const Creature& creature, LimbKind kind) {
  const auto limbs = creature.subject.rig.limbs();
  return static_cast<int>(
      std::count_if(limbs.begin(), limbs.end(), [kind](const rig::Limb& l) { return l.kind == kind; }));
}

TEST(Grammar, BodiesHaveTheLimbsThatTheyAreSaidToHave) {
  struct Case {
    const char* text;
    std::map<LimbKind, int> limbs;
  };
  const std::vector<Case> cases = {
      {"legs:2,wings:1,neck:long,tail:1",
       {{LimbKind::kLeg, 4}, {LimbKind::kWing, 2}, {LimbKind::kNeck, 1}, {LimbKind::kTail, 1}}},
      {"legs:2/unguligrade,arms:1,body:6/upright", {{LimbKind::kLeg, 4}, {LimbKind::kArm, 2}}},
      {"legs:5,arms:1/pincer,body:2/flat", {{LimbKind::kLeg, 10}, {LimbKind::kArm, 2}, {LimbKind::kFinger, 4}}},
      {"legs:2,heads:3,neck:long", {{LimbKind::kHead, 3}, {LimbKind::kNeck, 3}, {LimbKind::kJaw, 3}}},
      {"heads:0,tentacles:8,body:upright", {{LimbKind::kTentacle, 8}, {LimbKind::kHead, 0}, {LimbKind::kLeg, 0}}},
      {"flippers:2,body:flat/shell", {{LimbKind::kFin, 4}, {LimbKind::kLeg, 0}}},
      {"disc,tail:1/long", {{LimbKind::kFin, 6}, {LimbKind::kTail, 1}}},
      {"heads:0,body:4/upright", {{LimbKind::kLeg, 0}, {LimbKind::kHead, 0}, {LimbKind::kTail, 0}}},
      {"legs:2/hoof,antlers,ears:round,tail:1/short", {{LimbKind::kHorn, 2}, {LimbKind::kEar, 2}}},
      {"legs:1,arms:1/5-finger,cape,sword,shield,ears:round", {{LimbKind::kFinger, 10}, {LimbKind::kProp, 3}}},
      {"legs:1,wings:1/membrane,arms:0", {{LimbKind::kWing, 2}, {LimbKind::kFinger, 6}}},
      {"legs:20,antennae", {{LimbKind::kLeg, 40}, {LimbKind::kAntenna, 2}}},
      {"legs:2,mouth:trunk,ears:round", {{LimbKind::kTentacle, 1}}},
      {"legs:2,specks,pedestal", {{LimbKind::kLeg, 4}}},
  };
  for (const Case& c : cases) {
    const Creature creature = make(c.text);
    EXPECT_EQ(creature.plan, std::nullopt);
    EXPECT_EQ(parse_body(creature.body).value(), parse_body(c.text).value());
    for (const auto& [kind, count] : c.limbs)
      EXPECT_EQ(limbs_of(creature, kind), count) << c.text << " " << rig::name(kind);
    for (const rig::Joint& joint : creature.subject.rig.joints()) EXPECT_GE(joint.role.limb, 0) << joint.name;
  }
}

TEST(Grammar, LegsKnowHowTheyFoldAndStandOnTheGround) {
  const std::array<std::pair<const char*, LegKind>, 6> cases = {{{"legs:1/plantigrade", LegKind::kPlantigrade},
                                                                 {"legs:1/digitigrade,wings:1", LegKind::kDigitigrade},
                                                                 {"legs:2/unguligrade", LegKind::kForeleg},
                                                                 {"legs:2/sprawling", LegKind::kSprawling},
                                                                 {"legs:3/insect", LegKind::kPoint},
                                                                 {"legs:2/3-joint", LegKind::kChain}}};
  for (const auto& [text, kind] : cases) {
    const Creature creature = make(text);
    const BodySpec spec = parse_body(text).value();
    ASSERT_EQ(creature.legs.size(), 2 * static_cast<std::size_t>(spec.leg_pairs)) << text;
    EXPECT_EQ(creature.legs[0].kind, kind) << text;
    for (const Leg& leg : creature.legs) {
      EXPECT_EQ(leg.joints.size(), kind == LegKind::kChain || kind == LegKind::kPoint ? 3u : 4u) << text;
      const Vec3 foot = creature.subject.rig.world_from_rest()[static_cast<std::size_t>(leg.joints.back())].translation;
      EXPECT_NEAR((foot + leg.tip).y, 0, 1e-5) << text;
      EXPECT_EQ(leg.left, foot.x > 0) << text;
    }
  }
}

TEST(Grammar, RandomBodiesAreMirrorImagesWhereTheyHaveSides) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Creature creature = make_random(seed, 24);
    const rig::Rig& rig = creature.subject.rig;
    // A joint on the left has one of the same role on the right, mirrored; swords, shields and specks are one-sided.
    for (int j = 0; j < rig.joint_count(); ++j) {
      const rig::Joint& joint = rig.joints()[static_cast<std::size_t>(j)];
      const rig::Limb& limb = rig.limbs()[static_cast<std::size_t>(joint.role.limb)];
      if (limb.side != rig::Side::kLeft || limb.kind == LimbKind::kProp) continue;
      const Vec3 at = rig.world_from_rest()[static_cast<std::size_t>(j)].translation;
      bool found = false;
      for (int k = 0; k < rig.joint_count() && !found; ++k) {
        const rig::Role role = rig.joints()[static_cast<std::size_t>(k)].role;
        const rig::Limb& other = rig.limbs()[static_cast<std::size_t>(role.limb)];
        const Vec3 there = rig.world_from_rest()[static_cast<std::size_t>(k)].translation;
        found = other.kind == limb.kind && other.side == rig::Side::kRight && role.section == joint.role.section &&
                norm(at - Vec3{-there.x, there.y, there.z}) < 1e-5f;
      }
      EXPECT_TRUE(found) << creature.name << " " << joint.name << ": " << creature.body;
    }
  }
}

TEST(Grammar, RandomBodiesAreWholeCreatures) {
  for (std::uint64_t seed = 100; seed < 140; ++seed) {
    const Creature c = make_random(seed);
    const rig::SkinWeights& w = c.subject.weights;
    for (std::size_t p = 0; p < w.points(); ++p) {
      const float sum = w.weights[4 * p] + w.weights[4 * p + 1] + w.weights[4 * p + 2] + w.weights[4 * p + 3];
      ASSERT_NEAR(sum, 1, 1e-5) << c.name;
    }
    EXPECT_EQ(c.surface.colors[0].size(), c.subject.points.size());
    std::set<std::array<float, 3>> colors;
    for (const Vec4& color : c.surface.colors[0]) colors.insert({color.x, color.y, color.z});
    EXPECT_GT(colors.size(), 20u) << c.name << " has no coat";
    // Each edge is met once each way: a closed manifold.
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
    for (const auto& t : c.subject.triangles) {
      for (std::size_t k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
    }
    for (const auto& [edge, count] : edges) {
      ASSERT_EQ(count, 1) << c.name;
      ASSERT_EQ(edges.count({edge.second, edge.first}), 1u) << c.name;
    }
  }
}

TEST(Grammar, OneLimbMoreDoesNotChangeTheOthers) {
  const Creature plain = make("legs:2/hoof,tail:1", 5), horned = make("legs:2/hoof,tail:1,horns:1,ears:round", 5);
  // Lengths scale with the whole, ratios stay.
  const auto length = [](const Creature& c, const char* from, const char* to) {
    const auto at = [&](const char* name) {
      return c.subject.rig.world_from_rest()[static_cast<std::size_t>(c.subject.rig.find(name))].translation;
    };
    return norm(at(from) - at(to));
  };
  EXPECT_NEAR(length(plain, "hips", "chest") / length(plain, "leg.1.hip.L", "leg.1.knee.L"),
              length(horned, "hips", "chest") / length(horned, "leg.1.hip.L", "leg.1.knee.L"), 1e-4);
}

TEST(Grammar, SpecksAreTheOnlyLoosePieces) {
  const auto pieces = [](const Creature& c) {
    std::vector<std::uint32_t> parent(c.subject.points.size());
    for (std::uint32_t v = 0; v < parent.size(); ++v) parent[v] = v;
    const auto root = [&](std::uint32_t v) {
      while (parent[v] != v) v = parent[v] = parent[parent[v]];
      return v;
    };
    for (const auto& t : c.subject.triangles) parent[root(t[1])] = root(t[0]), parent[root(t[2])] = root(t[0]);
    std::set<std::uint32_t> roots;
    for (std::uint32_t v = 0; v < parent.size(); ++v) roots.insert(root(v));
    return static_cast<int>(roots.size());
  };
  const Creature dusty = make("legs:2,specks");
  EXPECT_EQ(pieces(dusty), 1 + limbs_of(dusty, LimbKind::kProp));
  EXPECT_EQ(pieces(make("legs:2,saddle")), 1);
}

}  // namespace
}  // namespace limber::zoo
