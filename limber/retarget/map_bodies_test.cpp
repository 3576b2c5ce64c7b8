// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/map_bodies.h"

#include <gtest/gtest.h>

#include "limber/retarget/follow.h"
#include "limber/zoo/action.h"

namespace limber::retarget {
namespace {

zoo::Creature creature(zoo::Plan plan, std::uint64_t seed = 1) { return zoo::make_creature({plan, seed, 30}).value(); }

Played walk_of(const zoo::Creature& who) {
  zoo::ActionSettings settings;
  settings.frames = 30;
  return play(who.subject.rig, zoo::perform(who, settings).value().motion);
}

std::string lead(const BodyMap& map, const std::string& limb) {
  for (const LimbPair& pair : map.limbs) {
    if (pair.target == limb) return pair.source;
  }
  return "no such limb";
}

BodyMap map_of(zoo::Plan from, zoo::Plan to, const std::vector<Correction>& corrections = {}) {
  const zoo::Creature a = creature(from), b = creature(to);
  const Body source = make_body(a.subject), target = make_body(b.subject);
  const Played walk = walk_of(a);
  const Leads leads = map_bodies(source, walk, target, corrections).value();
  return describe_leads(source, target, leads, movement(source, walk));
}

TEST(MapBodies, LegsOfTheSameKindLeadOneAnotherFromFrontToBack) {
  const BodyMap map = map_of(zoo::Plan::kQuadruped, zoo::Plan::kQuadruped);
  for (const char* leg : {"leg.1.L", "leg.1.R", "leg.2.L", "leg.2.R", "tail", "neck"}) EXPECT_EQ(lead(map, leg), leg);
}

TEST(MapBodies, FrontLegsOfWhoWalksOnFourAreNotArms) {
  const BodyMap map = map_of(zoo::Plan::kBiped, zoo::Plan::kQuadruped);
  EXPECT_EQ(lead(map, "leg.2.L"), "leg.L");
  EXPECT_EQ(lead(map, "leg.1.L"), "leg.R");  // half a cycle apart
}

TEST(MapBodies, ASpiderFollowsTheNearestLegsOfAnInsect) {
  const BodyMap map = map_of(zoo::Plan::kHexapod, zoo::Plan::kOctopod);
  EXPECT_EQ(lead(map, "leg.1.L"), "leg.1.L");
  EXPECT_EQ(lead(map, "leg.4.R"), "leg.3.R");
  for (const char* leg : {"leg.2.L", "leg.3.L"}) EXPECT_NE(lead(map, leg), "") << leg;
}

TEST(MapBodies, NeighboursAmongManyLegsGoInTurns) {
  const BodyMap map = map_of(zoo::Plan::kBiped, zoo::Plan::kOctopod);
  EXPECT_EQ(lead(map, "leg.4.L"), "leg.L");
  EXPECT_EQ(lead(map, "leg.3.L"), "leg.R");
  EXPECT_EQ(lead(map, "leg.2.L"), "leg.L");
  EXPECT_EQ(lead(map, "leg.1.L"), "leg.R");
}

TEST(MapBodies, ArmsAreLedByFrontLegsWhereThereAreNone) {
  const BodyMap map = map_of(zoo::Plan::kQuadruped, zoo::Plan::kBiped);
  EXPECT_EQ(lead(map, "leg.L"), "leg.2.L");
  EXPECT_EQ(lead(map, "arm.R"), "leg.1.R");
}

TEST(MapBodies, SomebodyMaySayOtherwise) {
  const BodyMap map = map_of(zoo::Plan::kQuadruped, zoo::Plan::kQuadruped, {{"leg.1.R", "leg.1.L"}, {"none", "tail"}});
  EXPECT_EQ(lead(map, "leg.1.L"), "leg.1.R");
  EXPECT_EQ(lead(map, "tail"), "");
  const zoo::Creature who = creature(zoo::Plan::kQuadruped);
  const Body body = make_body(who.subject);
  const std::vector<Correction> wrong{{"leg.1.L", "wing.L"}};
  const Result<Leads> refused = map_bodies(body, walk_of(who), body, wrong);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().what.find("wing.L"), std::string::npos);
  EXPECT_NE(refused.error().what.find("leg.2.R"), std::string::npos) << "what there is";
}

TEST(MapBodies, CorrectionsAreReadOrRefused) {
  EXPECT_EQ(parse_correction(" arm.L = leg.1.L ").value().source, "arm.L");
  EXPECT_EQ(parse_correction(" arm.L = leg.1.L ").value().target, "leg.1.L");
  for (const char* wrong : {"", "=", "a=", "=b", "a=b=c", "arm"}) EXPECT_FALSE(parse_correction(wrong).ok()) << wrong;
}

TEST(MapBodies, AFishCannotWalk) {
  const zoo::Creature a = creature(zoo::Plan::kQuadruped), b = creature(zoo::Plan::kSnake);
  const Body source = make_body(a.subject), target = make_body(b.subject);
  const Played walk = walk_of(a);
  const Leads leads = map_bodies(source, walk, target, {}).value();
  const Status status = check_match(source, target, leads, movement(source, walk), "walk");
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().what.find("leg"), std::string::npos) << status.error().what;
}

TEST(MapBodies, ShoulderBladesThatOnlyOneHasAreLeftOut) {
  Chain with, without;
  with.limb.kind = without.limb.kind = rig::LimbKind::kArm;
  with.joints = {0, 1, 2, 3}, with.shares = {0, 0.2, 0.55, 0.9};
  without.joints = {0, 1, 2}, without.shares = {0, 0.44, 0.88};
  EXPECT_EQ(matching_places(without, with), (std::vector<double>{-1, 0, 1, 2}));
  EXPECT_EQ(matching_places(with, without), (std::vector<double>{1, 2, 3}));
}

}  // namespace
}  // namespace limber::retarget
