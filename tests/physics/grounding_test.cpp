// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "limber/base/threads.h"
#include "limber/metrics/motion_metrics.h"
#include "limber/physics/ground.h"
#include "limber/physics/rollout.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::physics {
namespace {

struct Scene {
  zoo::Creature creature;
  zoo::Performance performance;
};

Scene make_scene(zoo::Plan plan, zoo::Action action, std::uint64_t seed = 7) {
  zoo::Creature creature = *zoo::make_creature({.plan = plan, .seed = seed, .resolution = 32});
  zoo::Performance performance = *zoo::perform(creature, {.action = action, .seed = seed});
  return {std::move(creature), std::move(performance)};
}

/// As the zoo knows where its feet are planted: an independent judge.
metrics::MotionMetrics measure(const Scene& scene, const kinematics::Motion& motion) {
  std::vector<metrics::GroundContact> contacts;
  for (const zoo::FootTrack& foot : scene.performance.feet) {
    const zoo::Leg& leg = scene.creature.legs[static_cast<std::size_t>(foot.leg)];
    contacts.push_back({leg.joints.back(), leg.tip, foot.planted});
  }
  return metrics::motion_metrics(scene.creature.subject, motion, contacts);
}

/// Raised by 5 % of the height and slid by 10 % over the clip.
kinematics::Motion raised_and_slid(kinematics::Motion motion) {
  for (int f = 0; f < motion.frame_count(); ++f) {
    const float t = static_cast<float>(f) / static_cast<float>(motion.frame_count() - 1);
    motion.root_translations[static_cast<std::size_t>(f)] += Vec3{0, 0.05f, 0.1f * t};
  }
  return motion;
}

GroundSettings quick(int iterations = 30) {
  GroundSettings settings;
  settings.track.iterations = iterations;
  return settings;
}

bool all_finite(const kinematics::Motion& motion) {
  for (const Vec3& v : motion.angles) {
    if (!is_finite(v)) return false;
  }
  for (const Vec3& v : motion.root_translations) {
    if (!is_finite(v) || norm(v) > 100) return false;
  }
  return true;
}

TEST(PhysicsGrounding, AWalkThatFloatsAndSlidesStandsOnTheGround) {
  for (const zoo::Plan plan : {zoo::Plan::kQuadruped, zoo::Plan::kBiped}) {
    const Scene scene = make_scene(plan, zoo::Action::kWalk);
    const kinematics::Motion broken = raised_and_slid(scene.performance.motion);
    const Result<Grounded> grounded = ground_motion(scene.creature.subject, broken, quick());
    ASSERT_TRUE(grounded.ok());
    const metrics::MotionMetrics before = measure(scene, broken), after = measure(scene, grounded->motion);
    EXPECT_LT(after.skate, before.skate / 3) << zoo::name(plan);
    EXPECT_LT(after.slip, before.slip / 3) << zoo::name(plan);
    EXPECT_LT(after.floating, before.floating / 3) << zoo::name(plan);
    EXPECT_LT(after.penetration, 0.005) << zoo::name(plan);
    EXPECT_LT(grounded->track.joint_error, 8) << zoo::name(plan);
    EXPECT_LT(grounded->track.assist_force, 0.4) << zoo::name(plan);  // few iterations: help stays
    EXPECT_EQ(grounded->reference.habitat, Habitat::kGround);
    EXPECT_TRUE(grounded->motion.loops);
    EXPECT_LT(after.loop_gap, 0.1) << zoo::name(plan);
  }
}

TEST(PhysicsGrounding, ASimulatedWalkSlidesNoMoreThanLockedFeetAndIsHardlyRougher) {
  for (const zoo::Plan plan : {zoo::Plan::kQuadruped, zoo::Plan::kBiped}) {
    const Scene scene = make_scene(plan, zoo::Action::kWalk);
    const Result<Grounded> grounded =
        ground_motion(scene.creature.subject, raised_and_slid(scene.performance.motion), quick());
    ASSERT_TRUE(grounded.ok());
    // By the zoo's footfalls, the same for both.
    const metrics::MotionMetrics locked = measure(scene, grounded->target),
                                 simulated = measure(scene, grounded->motion);
    EXPECT_LT(simulated.skate, locked.skate + 0.005f) << zoo::name(plan);
    EXPECT_LT(simulated.mean_jerk, 1.2f * locked.mean_jerk) << zoo::name(plan);
  }
}

TEST(PhysicsGrounding, SimulatedFeetStandWhereLockedOnesStand) {
  for (const zoo::Plan plan : {zoo::Plan::kQuadruped, zoo::Plan::kBiped}) {
    for (const zoo::Action action : {zoo::Action::kRun, zoo::Action::kJump}) {
      const Scene scene = make_scene(plan, action);
      GroundSettings settings = quick();
      const Result<Grounded> simulated = ground_motion(scene.creature.subject, scene.performance.motion, settings);
      settings.ground = Ground::kLock;
      const Result<Grounded> locked = ground_motion(scene.creature.subject, scene.performance.motion, settings);
      ASSERT_TRUE(simulated.ok() && locked.ok());
      const auto look = [&](const Grounded& grounded) {
        return metrics::motion_metrics(scene.creature.subject, grounded.motion, grounded.planted);
      };
      const metrics::MotionMetrics after = look(*simulated), aim = look(*locked);
      EXPECT_LT(after.skate, 1.05f * aim.skate + 0.002f) << zoo::name(plan) << ' ' << zoo::name(action);
      EXPECT_LT(after.penetration, aim.penetration + 0.001f) << zoo::name(plan) << ' ' << zoo::name(action);
      EXPECT_LT(after.mean_jerk, 1.15f * aim.mean_jerk + 5) << zoo::name(plan) << ' ' << zoo::name(action);
      // The body itself does what was simulated.
      double turned = 0;
      for (std::size_t i = 0; i < simulated->motion.angles.size(); ++i) {
        turned += norm(simulated->motion.angles[i] - locked->motion.angles[i]);
      }
      EXPECT_GT(turned / static_cast<double>(simulated->motion.angles.size()), 0.002) << "radians";
    }
  }
}

TEST(PhysicsGrounding, AMotionThatShouldNotMeetTheGroundStaysAndItsFeetAreStillKnown) {
  const Scene walk = make_scene(zoo::Plan::kQuadruped, zoo::Action::kWalk);
  const kinematics::Motion broken = raised_and_slid(walk.performance.motion);
  GroundSettings settings;
  settings.ground = Ground::kNone;
  const Result<Grounded> left = ground_motion(walk.creature.subject, broken, settings);
  ASSERT_TRUE(left.ok());
  for (std::size_t f = 0; f < broken.root_translations.size(); ++f) {
    EXPECT_LT(norm(left->motion.root_translations[f] - broken.root_translations[f]), 1e-3f) << f;
  }
  EXPECT_EQ(left->track.iterations, 0);
  EXPECT_FALSE(left->planted.empty());
  // As what swims does of itself.
  const Scene swim = make_scene(zoo::Plan::kFish, zoo::Action::kSwim);
  settings.ground = Ground::kAuto, settings.reference.hint = {Habitat::kFree, "swim", false};
  const Result<Grounded> free = ground_motion(swim.creature.subject, swim.performance.motion, settings);
  ASSERT_TRUE(free.ok());
  EXPECT_EQ(free->track.iterations, 0);
}

TEST(PhysicsGrounding, ASunkWalkComesOutOfTheGround) {
  const Scene scene = make_scene(zoo::Plan::kQuadruped, zoo::Action::kWalk);
  kinematics::Motion sunk = scene.performance.motion;
  for (Vec3& t : sunk.root_translations) t.y -= 0.08f;
  const Grounded grounded = *ground_motion(scene.creature.subject, sunk, quick());
  const metrics::MotionMetrics before = measure(scene, sunk), after = measure(scene, grounded.motion);
  EXPECT_GT(before.penetration, 0.07);
  EXPECT_LT(after.penetration, before.penetration / 5);
  EXPECT_LT(after.penetration, 0.005);
}

TEST(PhysicsGrounding, BrokenFramesAreAnsweredSensibly) {
  const Scene scene = make_scene(zoo::Plan::kQuadruped, zoo::Action::kTrot);
  kinematics::Motion broken = scene.performance.motion;
  broken.root_translations[3].x = std::numeric_limits<float>::quiet_NaN();
  broken.frame_angles(5)[2].y = std::numeric_limits<float>::infinity();
  for (int f = 8; f < broken.frame_count(); ++f) broken.root_translations[static_cast<std::size_t>(f)].x += 5;
  const Grounded grounded = *ground_motion(scene.creature.subject, broken, quick());
  EXPECT_EQ(grounded.repair.not_finite, 2);
  EXPECT_EQ(grounded.repair.jumps, 1);
  EXPECT_TRUE(all_finite(grounded.motion));
  EXPECT_LT(grounded.track.joint_error, 10);
}

TEST(PhysicsGrounding, AWalkInPlaceTravels) {
  zoo::Creature creature = *zoo::make_creature({.plan = zoo::Plan::kQuadruped, .seed = 7, .resolution = 32});
  const zoo::Performance walk = *zoo::perform(creature, {.action = zoo::Action::kWalk, .seed = 7, .in_place = true});
  const Grounded grounded = *ground_motion(creature.subject, walk.motion, quick(10));
  const Vec3 way = grounded.motion.root_translations.back() - grounded.motion.root_translations.front();
  EXPECT_NEAR(way.z, walk.stride * static_cast<float>(walk.cycles), 0.2 * walk.stride);
}

TEST(PhysicsGrounding, JumpsAndRunsStayNearTheirTarget) {
  for (const zoo::Plan plan : {zoo::Plan::kBiped, zoo::Plan::kTheropod}) {
    for (const zoo::Action action : {zoo::Action::kRun, zoo::Action::kJump}) {
      const Scene scene = make_scene(plan, action);
      const Grounded grounded = *ground_motion(scene.creature.subject, scene.performance.motion, quick());
      EXPECT_TRUE(all_finite(grounded.motion));
      EXPECT_LT(grounded.track.joint_error, 8) << zoo::name(plan) << ' ' << zoo::name(action);
      EXPECT_LT(measure(scene, grounded.motion).penetration, 0.02) << zoo::name(plan) << ' ' << zoo::name(action);
    }
  }
}

TEST(PhysicsGrounding, FishSwimFreelyAndSnakesCrawl) {
  const Scene fish = make_scene(zoo::Plan::kFish, zoo::Action::kSwim);
  EXPECT_EQ(ground_motion(fish.creature.subject, fish.performance.motion, quick(3))->reference.habitat, Habitat::kFree);
  const Scene bird = make_scene(zoo::Plan::kBird, zoo::Action::kFly);
  GroundSettings settings = quick(3);
  settings.reference.hint = {Habitat::kFree, "fly", false};
  EXPECT_EQ(ground_motion(bird.creature.subject, bird.performance.motion, settings)->reference.habitat, Habitat::kFree);
  const Scene snake = make_scene(zoo::Plan::kSnake, zoo::Action::kSlither);
  EXPECT_EQ(ground_motion(snake.creature.subject, snake.performance.motion, quick(3))->reference.habitat,
            Habitat::kCrawl);
}

TEST(PhysicsGrounding, RecoversAMotionThatTheSimulatorMade) {
  const Scene scene = make_scene(zoo::Plan::kQuadruped, zoo::Action::kIdle);
  const Puppet puppet = *make_puppet(scene.creature.subject, scene.performance.motion);
  const Model& model = puppet.model;
  std::vector<double> start = positions_from_motion(puppet, scene.creature.subject, scene.performance.motion);
  start.resize(model.position_count());
  // Knees and spine sway slowly under their drives.
  const int frames = 30, per_frame = 20;
  std::vector<double> targets;
  for (int k = 0; k < frames; ++k) {
    for (std::size_t h = 0; h < model.hinges.size(); ++h) {
      targets.push_back(start[7 + h] + (h % 3 == 0 ? 0.08 * std::sin(0.3 * k) : 0));
    }
  }
  const std::vector<double> still(model.velocity_count());
  Workspace work(model);
  RolloutT<double> rollout;
  rollout_forward<double>(model, work, {.dt = 1.0 / 480},
                          {start, still, (frames - 1) * per_frame, per_frame, targets, {}, {}}, rollout);
  kinematics::Motion like = kinematics::rest_motion(scene.creature.subject.rig, frames, 24);
  std::vector<double> positions;
  for (int f = 0; f < frames; ++f) {
    const auto from = rollout.q.begin() +
                      static_cast<std::ptrdiff_t>(f * per_frame) * static_cast<std::ptrdiff_t>(model.position_count());
    positions.insert(positions.end(), from, from + static_cast<std::ptrdiff_t>(model.position_count()));
  }
  const kinematics::Motion made = motion_from_positions(puppet, scene.creature.subject, like, positions);
  const Grounded grounded = *ground_motion(scene.creature.subject, made, quick(40));
  EXPECT_LT(grounded.track.root_error, 0.01);
  EXPECT_LT(grounded.track.joint_error, 2);
}

TEST(PhysicsGrounding, SameBitsForAnyThreadCount) {
  const Scene scene = make_scene(zoo::Plan::kBiped, zoo::Action::kWalk);
  std::vector<kinematics::Motion> motions;
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    motions.push_back(ground_motion(scene.creature.subject, scene.performance.motion, quick(5))->motion);
  }
  set_thread_count(0);
  EXPECT_EQ(motions[0].angles, motions[1].angles);
  EXPECT_EQ(motions[0].root_translations, motions[1].root_translations);
}

TEST(PhysicsGrounding, TheLossOfThePaperWorksToo) {
  const Scene scene = make_scene(zoo::Plan::kQuadruped, zoo::Action::kWalk);
  GroundSettings settings = quick(15);
  settings.track.loss = TrackLoss::kAkd;
  const Grounded grounded = *ground_motion(scene.creature.subject, raised_and_slid(scene.performance.motion), settings);
  EXPECT_LT(grounded.track.joint_error, 8);
  EXPECT_GT(grounded.track.loss_before, 0);
}

TEST(PhysicsGrounding, ShortAndEmptyMotionsAreAnswered) {
  const Scene scene = make_scene(zoo::Plan::kBiped, zoo::Action::kWalk);
  const rig::Subject& subject = scene.creature.subject;
  EXPECT_FALSE(ground_motion(subject, kinematics::rest_motion(subject.rig, 0, 24), quick(2)).ok());
  for (const int frames : {1, 2, 3}) {
    const Result<Grounded> grounded =
        ground_motion(subject, kinematics::rest_motion(subject.rig, frames, 24), quick(2));
    ASSERT_TRUE(grounded.ok()) << frames;
    EXPECT_TRUE(all_finite(grounded->motion)) << frames;
  }
  GroundSettings settings = quick(2);
  settings.track.progress = [](std::string_view, double) { return false; };
  EXPECT_FALSE(ground_motion(subject, scene.performance.motion, settings).ok());
}

}  // namespace
}  // namespace limber::physics
