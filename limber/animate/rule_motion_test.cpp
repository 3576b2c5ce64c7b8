// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/rule_motion.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "limber/metrics/gait.h"
#include "limber/zoo/action.h"

namespace limber::animate {
namespace {

zoo::Creature make(zoo::Plan plan, std::uint64_t seed = 970001) {
  zoo::CreatureSettings settings;
  settings.plan = plan, settings.seed = seed, settings.resolution = 28;
  return zoo::make_creature(settings).value();
}

RuleSettings asked(const char* action, std::uint64_t seed = 1) {
  RuleSettings settings;
  settings.action = action, settings.seed = seed;
  return settings;
}

TEST(RuleMotion, GoesInTheOrderOfFeetThatTheBodyItselfGoes) {
  for (const auto& [plan, action] : {std::pair{zoo::Plan::kQuadruped, "trot"},
                                     {zoo::Plan::kBiped, "walk"},
                                     {zoo::Plan::kHexapod, "walk"},
                                     {zoo::Plan::kTheropod, "walk"},
                                     {zoo::Plan::kBird, "fly"},
                                     {zoo::Plan::kFish, "swim"}}) {
    const zoo::Creature creature = make(plan);
    const Result<kinematics::Motion> motion = rule_motion(creature.subject, asked(action));
    ASSERT_TRUE(motion.ok()) << motion.error().message();
    zoo::ActionSettings own;
    own.action = *zoo::action_from_name(action), own.fps = 30, own.frames = 60;
    const kinematics::Motion truth = zoo::perform(creature, own).value().motion;
    const std::vector<metrics::LimbEnd> ends = metrics::limb_ends(creature.subject);
    const double error = metrics::phase_error(metrics::find_gait(creature.subject.rig, *motion, ends),
                                              metrics::find_gait(creature.subject.rig, truth, ends));
    EXPECT_LT(error, 0.06) << zoo::name(plan) << " " << action;
    EXPECT_TRUE(motion->loops) << zoo::name(plan);
    EXPECT_GE(motion->frame_count(), 60);
  }
}

TEST(RuleMotion, SameSeedSameBitsAndSeedsDiffer) {
  const zoo::Creature creature = make(zoo::Plan::kQuadruped);
  const kinematics::Motion one = rule_motion(creature.subject, asked("walk", 1)).value();
  EXPECT_EQ(one.angles, rule_motion(creature.subject, asked("walk", 1)).value().angles);
  EXPECT_NE(one.angles, rule_motion(creature.subject, asked("walk", 2)).value().angles);
}

TEST(RuleMotion, FollowsWordsThatSayHow) {
  const zoo::Creature creature = make(zoo::Plan::kQuadruped);
  const auto speed = [&](const std::vector<std::string>& words) {
    RuleSettings settings = asked("walk");
    settings.words = words;
    const Result<kinematics::Motion> motion = rule_motion(creature.subject, settings);
    const std::vector<Vec3>& path = motion->root_translations;
    return motion->fps * (path.back().z - path.front().z) / static_cast<double>(path.size());
  };
  const double usual = speed({"a", "dog", "walks"});
  EXPECT_LT(speed({"a", "dog", "walks", "slowly"}), 0.8 * usual);
  EXPECT_GT(speed({"a", "dog", "walks", "quickly"}), 1.2 * usual);
  EXPECT_LT(speed({"a", "dog", "walks", "backwards"}), 0);
}

TEST(RuleMotion, TakesTheTimeThatIsAsked) {
  const zoo::Creature creature = make(zoo::Plan::kQuadruped);
  const auto seconds = [&](const char* action, std::optional<double> wanted) {
    RuleSettings settings = asked(action);
    settings.seconds = wanted;
    const Result<kinematics::Motion> motion = rule_motion(creature.subject, settings);
    return motion->frame_count() / motion->fps;
  };
  EXPECT_NEAR(seconds("walk", std::nullopt), 2, 0.1);
  EXPECT_NEAR(seconds("walk", 5), 5, 0.1);
  EXPECT_NEAR(seconds("jump", 5), 5, 0.1);
  EXPECT_LT(seconds("jump", std::nullopt), 4) << "its natural length";
}

TEST(RuleMotion, RefusesABodyWhoseLimbsAreNotKnownInWords) {
  rig::RigDraft draft;
  for (int j = 0; j < 3; ++j) {
    rig::Joint joint;
    joint.name = "bone" + std::to_string(j), joint.parent = j - 1, joint.rest.translation = {0, 0.3f, 0};
    draft.joints.push_back(joint);
  }
  const rig::Subject bare{rig::build_rig(draft).value(), {}, {}, {}, {}, {}, 1, {}, {}, {}};
  const Result<kinematics::Motion> motion = rule_motion(bare, asked("walk"));
  ASSERT_FALSE(motion.ok());
  EXPECT_EQ(motion.error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(motion.error().what.find("map"), std::string::npos) << motion.error().what;
}

TEST(RuleMotion, RefusesWhatNoRuleOrNoLimbAllows) {
  const zoo::Creature dog = make(zoo::Plan::kQuadruped);
  const Result<kinematics::Motion> unknown = rule_motion(dog.subject, asked("juggle"));
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().kind, ErrorKind::kUnsupported);
  EXPECT_NE(unknown.error().what.find("juggle"), std::string::npos);
  const Result<kinematics::Motion> unable = rule_motion(dog.subject, asked("fly"));
  ASSERT_FALSE(unable.ok());
  EXPECT_EQ(unable.error().kind, ErrorKind::kUnsupported);
  EXPECT_NE(unable.error().what.find("limbs"), std::string::npos);
}

}  // namespace
}  // namespace limber::animate
