// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/finish.h"

#include <gtest/gtest.h>

#include "limber/animate/animate_testing.h"
#include "limber/kinematics/playing.h"
#include "limber/kinematics/resample.h"

namespace limber::animate {
namespace {

const rig::Subject& creature() { return stage().creature.subject; }

std::vector<metrics::LimbEnd> ends() { return metrics::limb_ends(creature()); }

Request draft() {
  Request request;
  request.prompt = "a fox walks";
  request.quality = Quality::kDraft;
  return request;
}

/// A true walk of some cycles, as somebody may have lifted it.
const kinematics::Motion& long_walk() {
  static const kinematics::Motion walk = [] {
    zoo::ActionSettings action;
    action.fps = kStageFps, action.frames = 2 * kStageFrames;
    kinematics::Motion motion = zoo::perform(stage().creature, action).value().motion;
    motion.loops = false;
    return motion;
  }();
  return walk;
}

kinematics::Motion walk_of(int frames) {
  kinematics::Motion walk = long_walk();
  kinematics::cut_motion(walk, frames);
  return walk;
}

metrics::Gait true_gait() { return metrics::find_gait(creature().rig, long_walk(), ends()); }

Finished finished(const kinematics::Motion& lifted, const Request& request) {
  return finish(finish_plan(request), creature(), lifted, ends()).value();
}

bool same(const kinematics::Motion& a, const kinematics::Motion& b) {
  return a.fps == b.fps && a.root_translations == b.root_translations && a.angles == b.angles;
}

/// From where the body stands at rest.
kinematics::Motion from_rest(kinematics::Motion motion) {
  const Vec3 first = motion.root_translations.front();
  for (Vec3& place : motion.root_translations) place -= Vec3{first.x, 0, first.z};
  return motion;
}

TEST(Finish, WithoutGroundChangesOnlyTheRateAndWhereItBegins) {
  Request request = draft();
  request.finishing.ground = Ground::kNone;
  for (const Quality quality : {Quality::kDraft, Quality::kStandard}) {
    request.quality = quality;
    const Finished result = finished(walk_of(kStageFrames), request);
    EXPECT_TRUE(same(result.motion, from_rest(kinematics::resampled(walk_of(kStageFrames), 30)))) << name(quality);
    EXPECT_TRUE(result.grounded) << "measured all the same";
    EXPECT_EQ(result.grounded->track.iterations, 0) << "and not simulated";
  }
}

TEST(Finish, LocksFeetOrSimulatesAsAsked) {
  Request request = draft();
  request.finishing.ground = Ground::kNone;
  const kinematics::Motion walk = walk_of(kStageFrames);
  const Finished plain = finished(walk, request);
  for (const Ground ground : {Ground::kLock, Ground::kSimulate}) {
    request.finishing.ground = ground;
    const Finished result = finished(walk, request);
    ASSERT_TRUE(result.grounded);
    EXPECT_EQ(result.grounded->track.iterations > 0, ground == Ground::kSimulate);
    EXPECT_EQ(result.metrics.not_finite, 0);
    EXPECT_LT(result.metrics.skate, plain.metrics.skate);
    EXPECT_LT(result.metrics.penetration, 0.01f);
    EXPECT_LT(metrics::phase_error(result.gait, true_gait()), 0.03);
  }
}

TEST(Finish, OfADraftLocksFeetUnlessToldOtherwise) {
  Request locked = draft();
  locked.finishing.ground = Ground::kLock;
  const kinematics::Motion walk = walk_of(kStageFrames);
  EXPECT_TRUE(same(finished(walk, draft()).motion, finished(walk, locked).motion));
}

TEST(Finish, LoopsClose) {
  Request request = draft();
  request.finishing.loop = true;
  const Finished result = finished(long_walk(), request);
  EXPECT_TRUE(result.motion.loops);
  EXPECT_LT(result.motion.frame_count() / result.motion.fps, 2 * kStageFrames / kStageFps);
  EXPECT_LT(result.metrics.loop_gap, 0.05f);
  EXPECT_NEAR(result.gait.velocity.z, true_gait().velocity.z, 0.1 * true_gait().velocity.z);
}

TEST(Finish, InPlaceDoesNotTravel) {
  Request request = draft();
  request.finishing.in_place = true;
  for (const bool loop : {false, true}) {
    request.finishing.loop = loop;
    const Finished result = finished(long_walk(), request);
    const metrics::Gait gait = metrics::find_gait(creature().rig, result.motion, ends());
    EXPECT_LT(norm(gait.velocity), 0.05 * true_gait().velocity.z);
    EXPECT_NEAR(result.gait.velocity.z, true_gait().velocity.z, 0.1 * true_gait().velocity.z)
        << "what is reported is how fast it would go";
    EXPECT_LT(metrics::phase_error(gait, true_gait()), 0.03);
  }
}

TEST(Finish, WhatFliesDoesSoAboveTheGround) {
  Request request = draft();
  request.prompt = "a fox flies";
  kinematics::Motion low = kinematics::rest_motion(creature().rig, 24, kStageFps);
  for (Vec3& place : low.root_translations) place.y -= 0.3f;
  const Finished raised = finished(low, request);
  EXPECT_LT(raised.metrics.penetration, 1e-5f);
  EXPECT_NEAR(raised.grounded->raised, 0.3, 0.01);
  const float above = raised.motion.root_translations.front().y;
  for (const Vec3& place : raised.motion.root_translations) EXPECT_EQ(place.y, above) << "all of it by as much";
  request.finishing.ground = Ground::kNone;
  EXPECT_GT(finished(low, request).metrics.penetration, 0.29f) << "unless it is to be left as it is";
  request.finishing.ground = Ground::kAuto;
  const auto angles = low.frame_angles(0);
  const Key key{0, {low.root_translations.front(), {angles.begin(), angles.end()}}};
  const Finished keyed = finish(finish_plan(request), creature(), low, ends(), {}, std::span(&key, 1)).value();
  EXPECT_GT(keyed.metrics.penetration, 0.29f) << "or passes through poses that were given";
}

TEST(Finish, DoesNotTurnBodiesAwayFromPosesThatWereGiven) {
  Request request = draft();
  request.prompt = "a fox lies down";
  int turned = 0;
  for (int axis = 0; axis < 3; ++axis) {
    // It leans, far from above its feet, and stays so.
    kinematics::Motion motion = kinematics::rest_motion(creature().rig, 48, kStageFps);
    for (int f = 12; f < 48; ++f) motion.frame_angles(f)[0][axis] += 0.7f;
    const auto angles = motion.frame_angles(47);
    const Key key{47 / kStageFps, {motion.root_translations.back(), {angles.begin(), angles.end()}}};
    const auto missed = [&](std::span<const Key> keys) {
      const Finished result = finish(finish_plan(request), creature(), motion, ends(), {}, keys).value();
      return norm(result.motion.frame_angles(result.motion.frame_count() - 1)[0] - key.pose.angles[0]);
    };
    turned += missed({}) > 0.1f ? 1 : 0;
    EXPECT_LT(missed(std::span(&key, 1)), 0.01f) << axis;
  }
  EXPECT_GT(turned, 0) << "without keys such bodies are laid down";
}

TEST(Finish, SaysWhatCannotBeLooped) {
  Request request = draft();
  request.finishing.loop = true;
  const Finished result = finished(walk_of(3), request);
  EXPECT_FALSE(result.motion.loops);
  ASSERT_FALSE(result.warnings.empty());
  EXPECT_EQ(result.warnings.front().code, "loop_too_short");
}

}  // namespace
}  // namespace limber::animate
