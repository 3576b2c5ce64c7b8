// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/retarget_motion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/kinematics/forward.h"
#include "limber/metrics/motion_metrics.h"
#include "limber/rig/changed_rig.h"
#include "limber/zoo/action.h"

namespace limber::retarget {
namespace {

zoo::Creature creature(zoo::Plan plan, std::uint64_t seed = 1) { return zoo::make_creature({plan, seed, 40}).value(); }

kinematics::Motion performance(const zoo::Creature& who, zoo::Action action = zoo::Action::kWalk, int frames = 48) {
  zoo::ActionSettings settings;
  settings.action = action, settings.frames = frames;
  return zoo::perform(who, settings).value().motion;
}

/// The same body, whose joints nobody knows by name or role.
rig::Subject nameless(const rig::Subject& subject) {
  rig::RigDraft draft = rig::draft_of(subject.rig);
  draft.limbs.clear();
  for (std::size_t j = 0; j < draft.joints.size(); ++j) {
    draft.joints[j].name = "j" + std::to_string(j), draft.joints[j].role = {};
  }
  rig::Subject other = subject;
  other.rig = rig::build_rig(draft).value();
  return other;
}

float farthest_joint(const rig::Rig& rig, const kinematics::Motion& a, const kinematics::Motion& b) {
  const std::vector<Affine> p = kinematics::joint_matrices(rig, a), q = kinematics::joint_matrices(rig, b);
  float most = p.size() == q.size() ? 0 : 1e9f;
  for (std::size_t i = 0; i < std::min(p.size(), q.size()); ++i) {
    most = std::max(most, norm(p[i].translation - q[i].translation));
  }
  return most;
}

metrics::MotionMetrics measured(const zoo::Creature& who, const RetargetedMotion& result) {
  return metrics::motion_metrics(who.subject, result.motion, result.planted);
}

double travel(const kinematics::Motion& motion) {
  return norm(motion.root_translations.back() - motion.root_translations.front());
}

TEST(RetargetMotion, OnItsOwnSkeletonAClipStaysWhatItIs) {
  const zoo::Creature fox = creature(zoo::Plan::kQuadruped);
  const kinematics::Motion trot = performance(fox, zoo::Action::kTrot);
  const RetargetedMotion same = retarget_motion(fox.subject, trot, fox.subject).value();
  EXPECT_EQ(same.motion.angles, trot.angles);
  EXPECT_EQ(same.motion.root_translations, trot.root_translations);
  EXPECT_EQ(same.map.limbs.at(0).how, How::kCopied);
}

/// Limb by limb, without a name or a role in common: the rules alone give the motion back.
class OwnBody : public ::testing::TestWithParam<std::pair<zoo::Plan, zoo::Action>> {};

TEST_P(OwnBody, LimbByLimbAClipStaysWhatItIs) {
  const auto [plan, action] = GetParam();
  const zoo::Creature who = creature(plan, 3);
  const kinematics::Motion motion = performance(who, action);
  rig::RigDraft draft = rig::draft_of(who.subject.rig);
  for (rig::Joint& joint : draft.joints) joint.name += " of another";
  rig::Subject other = who.subject;
  other.rig = rig::build_rig(draft).value();
  const RetargetedMotion same = retarget_motion(who.subject, motion, other).value();
  // Feet that are set down slowly are taken to stand a frame too early.
  EXPECT_LT(farthest_joint(who.subject.rig, motion, same.motion), 3e-3f);
  EXPECT_LT(same.direction_error, 3e-3);
  EXPECT_EQ(same.motion.loops, motion.loops);
}

INSTANTIATE_TEST_SUITE_P(Bodies, OwnBody,
                         ::testing::Values(std::pair{zoo::Plan::kQuadruped, zoo::Action::kWalk},
                                           std::pair{zoo::Plan::kQuadruped, zoo::Action::kGallop},
                                           std::pair{zoo::Plan::kHexapod, zoo::Action::kWalk},
                                           std::pair{zoo::Plan::kTheropod, zoo::Action::kRun},
                                           std::pair{zoo::Plan::kBird, zoo::Action::kFly},
                                           std::pair{zoo::Plan::kFish, zoo::Action::kSwim},
                                           std::pair{zoo::Plan::kSnake, zoo::Action::kSlither}));

TEST(RetargetMotion, AnotherAnimalOfTheKindWalksAsFastInLegLengthsOnFeetThatStand) {
  const zoo::Creature small = creature(zoo::Plan::kQuadruped, 1), large = creature(zoo::Plan::kQuadruped, 8);
  const kinematics::Motion walk = performance(small);
  const RetargetedMotion result = retarget_motion(small.subject, walk, large.subject).value();
  ASSERT_EQ(result.planted.size(), 4u);
  const metrics::MotionMetrics found = measured(large, result);
  EXPECT_LT(found.skate, 0.02f);
  EXPECT_LT(found.penetration, 0.001f);
  EXPECT_LT(result.direction_error, 0.15);
  const auto leg = [](const zoo::Creature& who) {
    const int hip = who.legs.front().joints[0];
    return double(who.subject.rig.world_from_rest()[static_cast<std::size_t>(hip)].translation.y);
  };
  EXPECT_NEAR(travel(result.motion) / leg(large), travel(walk) / leg(small), 0.25 * travel(walk) / leg(small));
}

TEST(RetargetMotion, AnInsectWalksOnAllSixAsAnAnimalDoes) {
  const zoo::Creature fox = creature(zoo::Plan::kQuadruped), ant = creature(zoo::Plan::kHexapod, 2);
  const RetargetedMotion result = retarget_motion(fox.subject, performance(fox), ant.subject).value();
  EXPECT_EQ(result.planted.size(), 6u);
  EXPECT_LT(measured(ant, result).skate, 0.03f);
  EXPECT_LT(measured(ant, result).penetration, 0.001f);
  EXPECT_GT(travel(result.motion), 0.05);
}

TEST(RetargetMotion, ATheropodWalksAsAPersonDoesAndKeepsItsCrouch) {
  const zoo::Creature person = creature(zoo::Plan::kBiped, 2), rex = creature(zoo::Plan::kTheropod, 3);
  const RetargetedMotion result = retarget_motion(person.subject, performance(person), rex.subject).value();
  EXPECT_EQ(result.planted.size(), 2u);
  EXPECT_LT(measured(rex, result).skate, 0.03f);
  // Its hips stay about as high as at rest: it does not stand on straight legs.
  for (const Vec3& root : result.motion.root_translations) EXPECT_LT(std::abs(root.y), 0.12f);
}

TEST(RetargetMotion, RolesMayBeToldByTheGeometryAlone) {
  const zoo::Creature a = creature(zoo::Plan::kQuadruped, 1), b = creature(zoo::Plan::kQuadruped, 5);
  const kinematics::Motion walk = performance(a);
  const RetargetedMotion told = retarget_motion(a.subject, walk, b.subject).value();
  const RetargetedMotion found = retarget_motion(nameless(a.subject), walk, nameless(b.subject)).value();
  EXPECT_EQ(found.planted.size(), 4u);
  EXPECT_LT(farthest_joint(b.subject.rig, told.motion, found.motion), 0.15f);
  EXPECT_LT(measured(b, found).skate, 0.03f);
}

TEST(RetargetMotion, TailsThatNothingLeadsSwingAlongWithinBounds) {
  const zoo::Creature person = creature(zoo::Plan::kBiped, 2), rex = creature(zoo::Plan::kTheropod, 3);
  const RetargetedMotion result = retarget_motion(person.subject, performance(person), rex.subject).value();
  const auto tail = std::find_if(result.map.limbs.begin(), result.map.limbs.end(),
                                 [](const LimbPair& pair) { return pair.target == "tail"; });
  ASSERT_NE(tail, result.map.limbs.end());
  EXPECT_EQ(tail->how, How::kSwings);
  double most = 0;
  for (int f = 0; f < result.motion.frame_count(); ++f) {
    for (int j = 0; j < result.motion.joint_count; ++j) {
      const std::string& name = rex.subject.rig.joints()[static_cast<std::size_t>(j)].name;
      if (name.rfind("tail", 0) != 0) continue;
      most = std::max<double>(most, norm(result.motion.frame_angles(f)[static_cast<std::size_t>(j)]));
    }
  }
  EXPECT_GT(most, 0.005);
  EXPECT_LT(most, 0.6);
}

TEST(RetargetMotion, WhoStandsOnLegsThatNothingLeadsDoesNotGlideAlong) {
  const zoo::Creature snake = creature(zoo::Plan::kSnake), ant = creature(zoo::Plan::kHexapod, 2);
  const auto result = retarget_motion(snake.subject, performance(snake, zoo::Action::kSlither), ant.subject);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_LT(travel(result->motion), 0.02);
}

TEST(RetargetMotion, ACycleThatClosesClosesOnTheOtherBodyToo) {
  const zoo::Creature a = creature(zoo::Plan::kBiped, 2), b = creature(zoo::Plan::kQuadruped, 3);
  const kinematics::Motion walk = performance(a);
  ASSERT_TRUE(walk.loops);
  const kinematics::Motion result = retarget_motion(a.subject, walk, b.subject)->motion;
  ASSERT_TRUE(result.loops);
  // The step over the seam is no larger than those before and after it.
  float seam = 0, inside = 0;
  for (int j = 0; j < result.joint_count; ++j) {
    const auto at = [&](int f) { return result.frame_angles(f)[static_cast<std::size_t>(j)]; };
    const int last = result.frame_count() - 1;
    seam = std::max(seam, norm(at(0) - at(last)));
    for (int f = 1; f <= last; ++f) inside = std::max(inside, norm(at(f) - at(f - 1)));
  }
  EXPECT_LT(seam, 1.2f * inside);
}

TEST(RetargetMotion, TheSameBitsEveryTime) {
  const zoo::Creature a = creature(zoo::Plan::kBiped, 2), b = creature(zoo::Plan::kQuadruped, 3);
  const kinematics::Motion walk = performance(a);
  EXPECT_EQ(retarget_motion(a.subject, walk, b.subject)->motion.angles,
            retarget_motion(a.subject, walk, b.subject)->motion.angles);
}

TEST(RetargetMotion, WhatDoesNotFitIsSaidInWords) {
  const zoo::Creature fox = creature(zoo::Plan::kQuadruped), fish = creature(zoo::Plan::kFish);
  MotionSettings settings;
  settings.name = "walk";
  const auto refused = retarget_motion(fox.subject, performance(fox), fish.subject, settings);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::kConflict);
  EXPECT_NE(refused.error().what.find("'walk' moves little but"), std::string::npos) << refused.error().what;
}

TEST(RetargetMotion, OddInputHasAnAnswer) {
  const zoo::Creature fox = creature(zoo::Plan::kQuadruped);
  kinematics::Motion none = kinematics::rest_motion(fox.subject.rig, 0, 24);
  EXPECT_FALSE(retarget_motion(fox.subject, none, fox.subject).ok());
  kinematics::Motion other = kinematics::rest_motion(creature(zoo::Plan::kSnake).subject.rig, 3, 24);
  EXPECT_FALSE(retarget_motion(fox.subject, other, fox.subject).ok());
  // One joint without skin, and a single frame.
  rig::RigDraft draft;
  draft.joints.resize(1), draft.joints[0].name = "root";
  rig::Subject point{rig::build_rig(draft).value(), {}, {}, {}, {}, {}, 1, {}, {}, {}};
  kinematics::Motion one = kinematics::rest_motion(point.rig, 1, 24);
  const auto moved = retarget_motion(point, one, fox.subject);
  ASSERT_TRUE(moved.ok()) << moved.error().message();
  for (const Vec3& angle : moved->motion.angles) EXPECT_TRUE(is_finite(angle));
  const auto back = retarget_motion(fox.subject, performance(fox), point);
  if (back.ok()) {
    for (const Vec3& angle : back->motion.angles) EXPECT_TRUE(is_finite(angle));
  }
}

}  // namespace
}  // namespace limber::retarget
