// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/posed_bodies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "limber/training/character_testing.h"
#include "limber/zoo/creature.h"

namespace limber::training {
namespace {

using anatomy::Region;

zoo::Creature creature(zoo::Plan plan, std::uint64_t seed = 1) {
  zoo::CreatureSettings settings;
  settings.plan = plan, settings.seed = seed, settings.resolution = 36;
  return zoo::make_creature(settings).value();
}

PosedBodySettings few() {
  PosedBodySettings settings;
  settings.creatures = 24, settings.points = 512;
  return settings;
}

double distance(Vec3 a, Vec3 b) { return norm(a - b); }

double size_of(const PosedBody& body) {
  Vec3 low = body.points.front(), high = low;
  for (const Vec3& p : body.points) low = min(low, p), high = max(high, p);
  return norm(high - low);
}

TEST(PosedBodies, KnowEveryJointOfTheZoo) {
  for (int i = 0; i < zoo::kPlanCount; ++i) {
    const auto plan = static_cast<zoo::Plan>(i);
    const zoo::Creature made = creature(plan);
    const rig::Rig& rig = made.subject.rig;
    const BodyParts parts = creature_parts(made);
    for (int j = 0; j < rig.joint_count(); ++j) {
      const std::string& joint = rig.joints()[static_cast<std::size_t>(j)].name;
      const std::string region(anatomy::name(parts.regions[static_cast<std::size_t>(j)]));
      const auto expect = [&](bool applies, std::string_view part) {
        EXPECT_TRUE(!applies || region.find(part) != std::string::npos) << joint << ": " << region;
      };
      // Sides are what the names say.
      expect(joint.ends_with(".L") && region != "head", "left");
      expect(joint.ends_with(".R") && region != "head", "right");
      expect(joint.find("ankle") != std::string::npos && !region.starts_with("middle"), "end");
      expect(joint.starts_with("head") || joint == "jaw", "head");
      expect(joint.starts_with("neck"), "neck");
      expect(joint.starts_with("wing"), "wing");
    }
  }
}

/// Roles and names tell the same parts, and the limbs the kind that the plan has.
TEST(PosedBodies, AreLabelledByRolesAsByNames) {
  for (int i = 0; i < zoo::kPlanCount; ++i) {
    const auto plan = static_cast<zoo::Plan>(i);
    for (const std::uint64_t seed : {1, 2, 3}) {
      const zoo::Creature made = creature(plan, seed);
      const BodyParts by_roles = creature_parts(made), by_names = character_parts(made.subject.rig, plan);
      EXPECT_EQ(by_roles.kind, by_names.kind) << made.name;
      for (int j = 0; j < made.subject.rig.joint_count(); ++j) {
        const auto joint = static_cast<std::size_t>(j);
        EXPECT_EQ(anatomy::name(by_roles.regions[joint]), anatomy::name(by_names.regions[joint]))
            << made.name << ' ' << made.subject.rig.joints()[joint].name;
      }
    }
  }
}

TEST(PosedBodies, AreLabelledAlikeOnBothSidesAtRest) {
  for (const zoo::Plan plan : {zoo::Plan::kBiped, zoo::Plan::kQuadruped, zoo::Plan::kOctopod, zoo::Plan::kBird}) {
    const PosedBody body = body_at_rest(creature(plan), 3000);
    int agree = 0, seen = 0;
    for (std::size_t i = 0; i < body.points.size(); i += 7) {
      const Vec3 other{-body.points[i].x, body.points[i].y, body.points[i].z};
      std::size_t nearest = 0;
      for (std::size_t j = 0; j < body.points.size(); ++j) {
        if (distance(body.points[j], other) < distance(body.points[nearest], other)) nearest = j;
      }
      agree += body.regions[nearest] == anatomy::mirrored(body.regions[i]) ? 1 : 0, ++seen;
    }
    EXPECT_GT(agree, 0.94 * seen) << zoo::name(plan);
  }
}

/// The flux of a charge through the surface: large where the charge is inside, about zero outside.
double flux(const PosedBody& body, Vec3 charge) {
  double sum = 0;
  for (std::size_t j = 0; j < body.points.size(); ++j) {
    const Vec3 to = body.points[j] - charge;
    const double length = std::max(0.02, static_cast<double>(norm(to)));
    sum += dot(to, body.normals[j]) / (length * length * length);
  }
  return sum;
}

TEST(PosedBodies, HaveNormalsThatPointOutward) {
  for (const zoo::Plan plan : {zoo::Plan::kQuadruped, zoo::Plan::kBiped}) {
    const PosedBody body = body_at_rest(creature(plan), 2000);
    int outward = 0;
    for (std::size_t i = 0; i < body.points.size(); ++i) {
      const Vec3 step = 0.01f * body.normals[i];
      outward += flux(body, body.points[i] - step) > flux(body, body.points[i] + step) ? 1 : 0;
    }
    EXPECT_GT(outward, 0.95 * static_cast<double>(body.points.size()));
    // All turned inside out would do as well, but not for the whole: its middle is inside.
    Vec3 middle;
    for (const Vec3& p : body.points) middle += (1 / static_cast<float>(body.points.size())) * p;
    EXPECT_GT(flux(body, middle), 0);
  }
}

TEST(PosedBodies, StartTheirRegionsNearby) {
  const PosedBodySource source = posed_bodies(nullptr, few());
  for (std::uint64_t index = 0; index < 20; ++index) {
    const PosedBody body = source(index).value();
    ASSERT_EQ(body.points.size(), 512u);
    ASSERT_EQ(body.normals.size(), 512u);
    ASSERT_EQ(body.regions.size(), 512u);
    ASSERT_EQ(body.starts.size(), 512u);
    const double size = size_of(body);
    for (std::size_t i = 0; i < body.points.size(); ++i) {
      ASSERT_TRUE(is_finite(body.points[i]) && is_finite(body.starts[i]));
      EXPECT_NEAR(norm(body.normals[i]), 1, 1e-3);
      const bool limb = body.regions[i] >= Region::kFrontUpperLeft && body.regions[i] <= Region::kHindEndRight;
      EXPECT_LT(distance(body.points[i], body.starts[i]), (limb ? 0.5 : 0.9) * size) << anatomy::name(body.regions[i]);
    }
    // Some points of a limb's section are right at its start.
    for (const Region region : {Region::kHindUpperLeft, Region::kHindLowerRight, Region::kHindEndLeft}) {
      double nearest = 1e30;
      bool there = false;
      for (std::size_t i = 0; i < body.points.size(); ++i) {
        if (body.regions[i] != region) continue;
        there = true;
        nearest = std::min(nearest, distance(body.points[i], body.starts[i]));
      }
      EXPECT_TRUE(!there || nearest < 0.15 * size) << index << ' ' << anatomy::name(region);
    }
  }
}

TEST(PosedBodies, AreTheSameForTheSameNumber) {
  const auto cast = std::make_shared<const std::vector<Character>>(std::vector{toy_character()});
  const PosedBodySource a = posed_bodies(cast, few()), b = posed_bodies(cast, few());
  for (const std::uint64_t index : {std::uint64_t{9}, std::uint64_t{2}, std::uint64_t{3}, kValidationBodies + 1}) {
    b(index + 1).value();
    const PosedBody one = a(index).value(), two = b(index).value();
    EXPECT_EQ(one.points, two.points);
    EXPECT_EQ(one.normals, two.normals);
    EXPECT_EQ(one.starts, two.starts);
    EXPECT_EQ(one.regions, two.regions);
    EXPECT_EQ(one.limb, two.limb);
    EXPECT_EQ(one.along, two.along);
  }
  EXPECT_NE(a(9).value().points, a(kValidationBodies + 9).value().points);
}

TEST(PosedBodies, AreOfManyKinds) {
  PosedBodySettings settings = few();
  settings.creatures = 60, settings.points = 64, settings.any_body = 0.6;
  const PosedBodySource source = posed_bodies(nullptr, settings);
  std::set<anatomy::BodyKind> kinds;
  std::set<Region> regions;
  for (std::uint64_t index = 0; index < 150; ++index) {
    const PosedBody body = source(index).value();
    kinds.insert(body.kind);
    regions.insert(body.regions.begin(), body.regions.end());
  }
  EXPECT_EQ(kinds.size(), static_cast<std::size_t>(zoo::kPlanCount) + 1);  // two figures are of no kind
  // All but unpaired fins.
  EXPECT_GE(regions.size(), 21u);
}

/// Every point is of a limb that is there, between its ends, and of the side that its region says.
TEST(PosedBodies, KnowTheirLimbs) {
  PosedBodySettings settings = few();
  settings.creatures = 40;
  const PosedBodySource source = posed_bodies(nullptr, settings);
  std::set<rig::LimbKind> kinds;
  for (std::uint64_t index = 0; index < 60; ++index) {
    const PosedBody body = source(index).value();
    ASSERT_EQ(body.limb.size(), body.points.size());
    ASSERT_EQ(body.along.size(), body.points.size());
    const double size = size_of(body);
    for (std::size_t i = 0; i < body.points.size(); ++i) {
      ASSERT_LT(body.limb[i], body.limbs.size());
      const anatomy::ExampleLimb& limb = body.limbs[body.limb[i]];
      kinds.insert(limb.kind);
      EXPECT_TRUE(body.along[i] >= 0 && body.along[i] <= 1);
      EXPECT_TRUE(is_finite(limb.root) && is_finite(limb.tip));
      EXPECT_EQ(limb.kind == rig::LimbKind::kProp, body.regions[i] == Region::kOther);
      if (limb.kind != rig::LimbKind::kLeg && limb.kind != rig::LimbKind::kArm) continue;
      const bool left = anatomy::name(body.regions[i]).find("left") != std::string_view::npos;
      EXPECT_EQ(limb.side, left ? rig::Side::kLeft : rig::Side::kRight);
      // Points at a limb's start are near its root, those at its end near its tip.
      EXPECT_TRUE(body.along[i] > 0 || distance(body.points[i], limb.root) < 0.35 * size);
      EXPECT_TRUE(body.along[i] < 1 || distance(body.points[i], limb.tip) < 0.35 * size);
    }
  }
  for (const rig::LimbKind kind :
       {rig::LimbKind::kTrunk, rig::LimbKind::kNeck, rig::LimbKind::kHead, rig::LimbKind::kTail, rig::LimbKind::kLeg,
        rig::LimbKind::kArm, rig::LimbKind::kWing, rig::LimbKind::kFin, rig::LimbKind::kJaw, rig::LimbKind::kProp})
    EXPECT_EQ(kinds.count(kind), 1u) << rig::name(kind);
}

TEST(PosedBodies, LeaveOutForValidationWhatTheyAreToldTo) {
  PosedBodySettings settings = few();
  settings.artists = 1, settings.leave_out.names = {"hopper"};
  const auto cast = std::make_shared<const std::vector<Character>>(std::vector{toy_character()});
  const PosedBodySource source = posed_bodies(cast, settings);
  for (std::uint64_t index = 0; index < 20; ++index) {
    EXPECT_TRUE(source(index).value().limbs_known);  // a creature
    EXPECT_FALSE(source(kValidationBodies + index).value().limbs_known);
  }
}

TEST(PosedBodies, LeaveOutEveryFamilyInOneFold) {
  std::vector<Character> cast;
  for (int i = 0; i < 7; ++i) cast.push_back(toy_character());
  // The last two are of other families.
  for (const std::size_t i : {std::size_t{5}, std::size_t{6}}) {
    rig::RigDraft draft;
    draft.joints.resize(1);
    draft.joints[0].name = i == 5 ? "sixth" : "seventh";
    cast[i].rig = rig::build_rig(std::move(draft)).value();
  }
  std::vector<int> times(cast.size(), 0);
  for (int which = 0; which < 3; ++which) {
    LeaveOut leave_out;
    leave_out.fold = {which, 3};
    const std::vector<bool> left_out = find_left_out(cast, leave_out);
    for (std::size_t i = 0; i < cast.size(); ++i) times[i] += left_out[i] ? 1 : 0;
    for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(left_out[i], left_out[0]);
  }
  EXPECT_EQ(times, std::vector<int>(cast.size(), 1));
  EXPECT_EQ(find_left_out(cast, {}), std::vector<bool>(cast.size(), false));
}

TEST(PosedBodies, TakeCharacters) {
  PosedBodySettings settings = few();
  settings.artists = 1;
  const auto cast = std::make_shared<const std::vector<Character>>(std::vector{toy_character()});
  const PosedBodySource source = posed_bodies(cast, settings);
  std::set<Region> regions;
  std::set<anatomy::BodyKind> kinds;
  for (std::uint64_t index = 0; index < 30; ++index) {
    const PosedBody body = source(index).value();
    EXPECT_TRUE(body.kind == anatomy::BodyKind::kQuadruped || body.kind == anatomy::BodyKind::kLizard ||
                body.kind == anatomy::BodyKind::kOther);
    kinds.insert(body.kind);
    EXPECT_FALSE(body.limbs_known);  // a body on one foot
    ASSERT_EQ(body.points.size(), 512u);
    regions.insert(body.regions.begin(), body.regions.end());
  }
  EXPECT_GE(kinds.size(), 2u);  // one in eight sprawls
  EXPECT_EQ(regions.count(Region::kTrunk), 1u);
  EXPECT_EQ(regions.count(Region::kHindEndLeft) + regions.count(Region::kHindEndRight), 2u);
}

}  // namespace
}  // namespace limber::training
