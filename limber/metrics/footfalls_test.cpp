// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/footfalls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/anatomy/find_roles.h"
#include "limber/zoo/action.h"

namespace limber::metrics {
namespace {

using zoo::Action;

/// A creature that knows its limbs, and its feet.
struct Walker {
  zoo::Creature creature;
  rig::Subject subject;
  std::vector<Foot> feet;

  explicit Walker(zoo::Plan plan)
      : creature(zoo::make_creature({plan, 4, 32}).value()),
        subject(anatomy::with_roles(creature.subject)),
        feet(find_feet(subject)) {}
  zoo::Performance perform(Action action, bool in_place = false, double haste = 0) const {
    zoo::ActionSettings settings;
    settings.action = action, settings.frames = 90, settings.fps = 30;
    settings.in_place = in_place, settings.haste = haste;
    return zoo::perform(creature, settings).value();
  }
  Footfalls falls(const kinematics::Motion& motion) const { return find_footfalls(subject.rig, feet, motion).value(); }
};

const Walker& fox() {
  static const Walker walker(zoo::Plan::kQuadruped);
  return walker;
}

double planted_share(const zoo::Performance& performance) {
  double planted = 0, all = 0;
  for (const zoo::FootTrack& track : performance.feet) {
    planted += static_cast<double>(std::count(track.planted.begin(), track.planted.end(), true));
    all += static_cast<double>(track.planted.size());
  }
  return planted / all;
}

TEST(Feet, AreWhereTheLegsOfTheZooTouchTheGround) {
  ASSERT_EQ(fox().feet.size(), 4u);
  for (const Foot& foot : fox().feet) {
    const Vec3 sole = fox().subject.rig.world_from_rest()[static_cast<std::size_t>(foot.joint)] * foot.sole;
    EXPECT_NEAR(sole.y, 0, 0.03);
    double nearest = 1;
    for (const zoo::Leg& leg : fox().creature.legs) {
      const Vec3 tip = fox().subject.rig.world_from_rest()[static_cast<std::size_t>(leg.joints.back())] * leg.tip;
      nearest = std::min(nearest, double(std::hypot(tip.x - sole.x, tip.z - sole.z)));
    }
    EXPECT_LT(nearest, 0.06);
    EXPECT_GT(foot.length, 0.1);
    EXPECT_LT(foot.length, 0.9);
  }
  const Walker snake(zoo::Plan::kSnake);
  EXPECT_TRUE(snake.feet.empty());
  EXPECT_FALSE(find_footfalls(snake.subject.rig, snake.feet, snake.perform(Action::kSlither).motion));
}

TEST(Footfalls, KnowHowLongFeetStand) {
  const Walker biped(zoo::Plan::kBiped);
  for (const Walker* walker : {&fox(), &biped}) {
    for (const Action action : {Action::kWalk, Action::kRun}) {
      const std::vector<Action> able = zoo::actions(walker->creature);
      if (std::find(able.begin(), able.end(), action) == able.end()) continue;
      const zoo::Performance performance = walker->perform(action);
      EXPECT_NEAR(walker->falls(performance.motion).duty, planted_share(performance), 0.2)
          << walker->creature.name << " " << name(action);
    }
  }
  const Footfalls walk = fox().falls(fox().perform(Action::kWalk).motion);
  const Footfalls gallop = fox().falls(fox().perform(Action::kGallop).motion);
  EXPECT_GT(walk.duty - gallop.duty, 0.1) << "who gallops is in the air for longer";
  EXPECT_EQ(fox().falls(kinematics::rest_motion(fox().subject.rig, 30, 30)).duty, 1) << "nobody lifts a foot";
}

TEST(Footfalls, KnowHowFarACycleGoesOnTheSpotToo) {
  const zoo::Performance walk = fox().perform(Action::kWalk), on_the_spot = fox().perform(Action::kWalk, true);
  const double seconds = walk.motion.frame_count() / walk.motion.fps;
  const double frequency = walk.cycles / seconds;
  const Footfalls travelling = fox().falls(walk.motion), staying = fox().falls(on_the_spot.motion);
  const double stride = double(walk.stride) / travelling.leg_length;
  EXPECT_NEAR(stride_length(travelling, frequency), stride, 0.1 * stride);
  EXPECT_NEAR(stride_length(staying, frequency), stride, 0.1 * stride);
  EXPECT_EQ(norm(travelling.ground), 0);
  EXPECT_NEAR(staying.ground.z, -double(walk.stride) * frequency, 0.1 * double(walk.stride) * frequency);
  EXPECT_EQ(stride_length(travelling, 0), 0) << "what has no cycle";
}

TEST(Footfalls, SeeFeetThatSlide) {
  kinematics::Motion walk = fox().perform(Action::kWalk).motion;
  const Footfalls clean = fox().falls(walk);
  EXPECT_LT(clean.skate, 0.25);
  EXPECT_LT(fox().falls(fox().perform(Action::kWalk, true).motion).skate, 0.25) << "the ground goes along";
  // The body sways aside by half a leg, and its feet with it.
  for (int f = 0; f < walk.frame_count(); ++f) {
    const double way = 0.5 * clean.leg_length * std::sin(2 * kPi * f / 30.0);
    walk.root_translations[static_cast<std::size_t>(f)].x += static_cast<float>(way);
  }
  EXPECT_GT(fox().falls(walk).skate, clean.skate + 1);
}

TEST(Footfalls, OfAFootThatIsNotLiftedTellTheMissingSwing) {
  // All feet glide over the ground: the body goes, and no stride carries it.
  kinematics::Motion glide = kinematics::rest_motion(fox().subject.rig, 60, 30);
  for (int f = 0; f < 60; ++f) glide.root_translations[static_cast<std::size_t>(f)].z += 0.02f * static_cast<float>(f);
  const Footfalls falls = fox().falls(glide);
  EXPECT_EQ(falls.duty, 1);
  EXPECT_NEAR(falls.speed, 0, 1e-3);
  EXPECT_NEAR(falls.skate, 0.6 / falls.leg_length, 0.01);
}

TEST(NearGroundSteps, AreThoseOfLowJointsThatGoOn) {
  const rig::Rig& rig = fox().subject.rig;
  const auto steps = [&](double metres, float raised) {
    kinematics::Motion motion = kinematics::rest_motion(rig, 31, 30);
    for (int f = 0; f <= 30; ++f) {
      motion.root_translations[static_cast<std::size_t>(f)] += Vec3d{0, raised, metres * f}.cast<float>();
    }
    return near_ground_steps(rig, motion, {});
  };
  const std::vector<int> leg_of = leg_of_joints(rig);
  double floor = 1, hips = 0;
  for (std::size_t j = 0; j < leg_of.size(); ++j) {
    const double height = rig.world_from_rest()[j].translation.y;
    if (leg_of[j] >= 0) floor = std::min(floor, height), hips = std::max(hips, height);
  }
  const double root = hips - floor;
  EXPECT_EQ(steps(0, 0)->skate, 0);
  EXPECT_NEAR(steps(0, 0)->slide, 0, 1e-6);
  EXPECT_EQ(steps(0.02 * root, 0)->skate, 0) << "short steps";
  EXPECT_EQ(steps(0.03 * root, 0)->skate, 1);
  EXPECT_GT(steps(0.03 * root, 0)->slide, 0.01);
  EXPECT_LE(steps(0.03 * root, 0)->slide, 0.03 + 1e-6);
  EXPECT_LT(steps(0.03 * root, float(0.04 * root))->slide, 0.012) << "higher ones count less";
  EXPECT_FALSE(steps(0.03 * root, 0.5f)) << "in the air";
  // The same where the ground goes along.
  kinematics::Motion spot = kinematics::rest_motion(rig, 31, 30);
  EXPECT_EQ(near_ground_steps(rig, spot, {0, 0, -0.03 * root * 30})->skate, 1);
}

}  // namespace
}  // namespace limber::metrics
