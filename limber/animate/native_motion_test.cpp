// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/native_motion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "limber/animate/animate_asset.h"
#include "limber/animate/animate_subject.h"
#include "limber/animate/animate_testing.h"
#include "limber/animate/finish.h"
#include "limber/animate/made_testing.h"
#include "limber/animate/native_facts.h"
#include "limber/animate/native_rating.h"
#include "limber/animate/plan.h"
#include "limber/base/threads.h"
#include "limber/exporter/exporter.h"
#include "limber/kinematics/forward.h"
#include "limber/motion_space/motion_testing.h"
#include "limber/testing/shared_data.h"

namespace limber::animate {
namespace {

using motion_space::tiny_motion_model;
using motion_space::write_tiny_motions;

using kinematics::Motion;

/// The network, and the stage's creature.
const motion_space::MotionDenoiser& network() {
  static const motion_space::MotionDenoiser opened = [] {
    const testing::TemporaryFolder folder;
    EXPECT_TRUE(write_tiny_motions(folder.path()).ok());
    return motion_space::MotionDenoiser::open(folder.path()).value();
  }();
  return opened;
}

const rig::Subject& body() { return stage().creature.subject; }

Request asked(const std::string& prompt = "a fox walks") {
  Request request;
  request.prompt = prompt, request.method = Method::kNative;
  request.quality = Quality::kDraft, request.no_fallback = true;
  request.sampling.steps = 2;
  return request;
}

Animation drawn(const Request& request) { return follow_native(body(), nullptr, network(), request).value().animation; }

Animation drawn_through(const Request& request, const Anchors& anchors) {
  const motion_space::MotionSpace space(network(), motion_space::make_motion_body(body()));
  return native_motion(body(), space, request, anchors).value();
}

Key key_at(double seconds, int frame) {
  Key key{seconds, {stage().walk.root_translations[static_cast<std::size_t>(frame)], {}}};
  const auto angles = stage().walk.frame_angles(frame);
  key.pose.angles.assign(angles.begin(), angles.end());
  return key;
}

TEST(NativeMotion, SameSeedSameBitsAndSeedsDiffer) {
  Request request = asked();
  const Animation one = drawn(request), again = drawn(request);
  EXPECT_EQ(one.motion.angles, again.motion.angles);
  EXPECT_EQ(one.motion.root_translations, again.motion.root_translations);
  EXPECT_EQ(one.method, Method::kNative);
  EXPECT_EQ(one.lifted.frame_count(), motion_space::kFrames);
  set_thread_count(3);
  EXPECT_EQ(one.motion.angles, drawn(request).motion.angles) << "with other threads";
  set_thread_count(0);
  request.seed = 1;
  EXPECT_NE(one.motion.angles, drawn(request).motion.angles);
}

TEST(NativeMotion, KeepsAllCandidatesTheBestFirst) {
  Request request = asked();
  request.sampling.candidates = 3;
  const Animation animation = drawn(request);
  ASSERT_EQ(animation.candidates.size(), 3u);
  EXPECT_LE(animation.candidates[0].score, animation.candidates[1].score);
  EXPECT_LE(animation.candidates[1].score, animation.candidates[2].score);
  EXPECT_EQ(animation.candidates[0].lifted.motion.angles, animation.lifted.angles);
  EXPECT_NE(animation.candidates[0].seed, animation.candidates[1].seed);
}

TEST(NativeMotion, GoesAlongTheFrontFromTheOrigin) {
  Request request = asked();
  request.finishing.ground = Ground::kNone;
  const Animation animation = drawn(request);
  const Motion& motion = animation.motion;
  EXPECT_NEAR(motion.root_translations.front().x, 0, 1e-6);
  EXPECT_NEAR(motion.root_translations.front().z, 0, 1e-6);
  const pose_space::PoseSkeleton skeleton = pose_space::make_pose_skeleton(body().rig);
  double mean = 0;
  for (int f = 0; f < motion.frame_count(); ++f) {
    double heading = 0;
    pose_space::turns_of(skeleton, motion.frame_angles(f), &heading);
    mean += heading / motion.frame_count();
  }
  EXPECT_NEAR(mean, 0, 0.02);
}

TEST(NativeMotion, StraightensAWayWithoutChangingItsSteps) {
  // A walk, turned and bent.
  Motion walk = stage().walk;
  const Motion straight = walk;
  const pose_space::PoseSkeleton skeleton = pose_space::make_pose_skeleton(body().rig);
  for (int f = 0; f < walk.frame_count(); ++f) {
    const auto angles = walk.frame_angles(f);
    pose_space::EncodedPose pose = pose_space::encode_pose(
        skeleton,
        {walk.root_translations[static_cast<std::size_t>(f)], std::vector<Vec3>(angles.begin(), angles.end())});
    const double turn = 0.4;
    pose.place.heading += turn;
    angles[0] = pose_space::decode_pose(skeleton, pose.state, pose.place, angles).angles[0];
    Vec3& place = walk.root_translations[static_cast<std::size_t>(f)];
    place = {static_cast<float>(std::cos(turn) * place.x + std::sin(turn) * place.z), place.y,
             static_cast<float>(std::cos(turn) * place.z - std::sin(turn) * place.x)};
  }
  go_straight(skeleton, walk);
  const Vec3 way = walk.root_translations.back() - walk.root_translations.front();
  const Vec3 wanted = straight.root_translations.back() - straight.root_translations.front();
  EXPECT_NEAR(way.z, wanted.z, 0.01 * std::abs(wanted.z));
  EXPECT_LT(std::abs(way.x), 0.05 * way.z);
  for (int f = 0; f < walk.frame_count(); ++f) {
    for (int j = 1; j < walk.joint_count; ++j)
      ASSERT_EQ(walk.frame_angles(f)[static_cast<std::size_t>(j)],
                straight.frame_angles(f)[static_cast<std::size_t>(j)]);
  }
}

TEST(NativeMotion, PassesThroughKeyframesExactly) {
  Request request = asked();
  request.keyframes = Keyframes{"told.glb", {}};
  request.finishing.ground = Ground::kNone;
  Anchors anchors;
  anchors.keys = {key_at(0.4, 3), key_at(1.2, 9)};
  const Animation animation = drawn_through(request, anchors);
  ASSERT_TRUE(animation.key_error);
  EXPECT_LT(*animation.key_error, 1e-5);
  const std::vector<Affine> joints = kinematics::joint_matrices(body().rig, animation.motion);
  for (const Key& key : anchors.keys) {
    const auto frame = static_cast<std::size_t>(std::lround(key.seconds * 30));
    const std::vector<Affine> wanted = kinematics::joint_matrices(body().rig, key.pose);
    for (std::size_t j = 0; j < wanted.size(); ++j)
      EXPECT_LT(norm(joints[frame * wanted.size() + j].translation - wanted[j].translation), 1e-4) << j;
  }
  // A pose by itself tells nothing of where the motion begins.
  anchors.keys = {key_at(1, 5)};
  EXPECT_LT(*drawn_through(request, anchors).key_error, 1e-5);
}

TEST(NativeMotion, GoesOnWhereAClipEnds) {
  Request request = asked("a fox sits");
  request.continued_clip = "walk", request.finishing.ground = Ground::kNone;
  Anchors anchors;
  Motion before = stage().walk;
  before.fps = motion_space::kFps;
  anchors.before = before;
  const Animation animation = drawn_through(request, anchors);
  EXPECT_LT(*animation.key_error, 1e-5);
  EXPECT_LT(norm(animation.motion.root_translations.front() - before.root_translations.back()), 1e-5f);
  EXPECT_EQ(animation.motion.frame_count(), motion_space::kFrames - before.frame_count() + 1);
}

TEST(NativeMotion, GoesOnWhereKnownFramesLead) {
  using namespace motion_space;
  const MotionSpace space(network(), make_motion_body(body()));
  Motion walk = stage().walk;
  walk.fps = kFps;
  DrawSettings drawing;
  drawing.facts.action = 2, drawing.steps = 2;
  drawing.known.state = encode_motion(space.skeleton(), walk);
  const int slots = 1 + drawing.known.state.joints, known = 12;
  for (int f = 0; f < kFrames; ++f)
    drawing.known.slots.insert(drawing.known.slots.end(), static_cast<std::size_t>(slots), f < known);
  const MotionState state = space.draw(drawing).value();
  for (std::size_t k = 0; k < state.frame(0).size(); ++k) {
    const double led = 2 * state.frame(known - 1)[k] - state.frame(known - 2)[k];
    ASSERT_NEAR(state.frame(known)[k], led, 1e-6) << k;
  }
  // As far ahead as it is, and not back to where the network would have begun.
  const auto ahead = [&](int f) { return state.body[static_cast<std::size_t>(f * kBodyNumbers + 2)]; };
  drawing.known.slots.assign(drawing.known.slots.size(), false);
  const MotionState free = space.draw(drawing).value();
  EXPECT_NEAR(ahead(known), 2 * ahead(known - 1) - ahead(known - 2), 1e-6);
  EXPECT_NE(free.poses, state.poses);
}

TEST(NativeMotion, DoesOneThingAfterTheOtherForAsLongAsIsAsked) {
  Request request = asked("a fox walks, then sits down");
  request.seconds = 5;
  const Animation animation = drawn(request);
  EXPECT_NEAR((animation.motion.frame_count() - 1) / animation.motion.fps, 5, 0.05);
  ASSERT_EQ(animation.segments.size(), 2u);
  EXPECT_EQ(animation.segments[1].asked.actions, (std::vector<std::string>{"sit"}));
  EXPECT_NEAR(animation.segments[1].from, 2.5, 0.05);
  EXPECT_GE(animation.seams.size(), 2u);
  // No jump anywhere, seams least of all.
  for (int f = 1; f < animation.lifted.frame_count(); ++f) {
    for (int j = 0; j < animation.lifted.joint_count; ++j) {
      const auto i = static_cast<std::size_t>(j);
      ASSERT_LT(norm(animation.lifted.frame_angles(f)[i] - animation.lifted.frame_angles(f - 1)[i]), 1.5f) << f;
    }
  }
}

TEST(NativeMotion, ClosesLoops) {
  for (const double seconds : {0.0, 4.0}) {
    Request request = asked();
    if (seconds > 0) request.seconds = seconds;
    request.finishing.loop = true, request.finishing.ground = Ground::kNone;
    const Animation animation = drawn(request);
    EXPECT_TRUE(animation.motion.loops) << seconds;
    EXPECT_LT(animation.metrics.loop_gap, 0.2f) << seconds;
    if (seconds > 0) {
      EXPECT_NEAR(animation.motion.frame_count(), 120, 1);
    }
  }
}

TEST(NativeMotion, StopsWhenItIsTold) {
  Request request = asked();
  request.progress = [](std::string_view, double) { return false; };
  const auto stopped = follow_native(body(), nullptr, network(), request);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::kCancelled);
}

asset::Asset rigged() {
  asset::Asset asset = zoo::static_asset(stage().creature);
  rig::Subject subject = body();
  EXPECT_TRUE(exporter::add_rig(asset, subject).ok());
  return asset;
}

Models models() {
  Models models;
  models.open_motions = []() -> Result<motion_space::MotionDenoiser> { return network(); };
  return models;
}

TEST(NativeMotion, BecomesAClipAndAReport) {
  Request request = asked();
  const AnimatedAsset result = animate_asset(rigged(), models(), request).value();
  EXPECT_EQ(result.asset.clips.back().name, "a fox walks");
  const auto report = nlohmann::json::parse(result.report);
  EXPECT_EQ(report.at("method"), "native");
  EXPECT_EQ(report.at("drawn_by").at("method"), "native");
  EXPECT_EQ(report.at("settings").at("no_fallback"), true);
  EXPECT_TRUE(report.at("questions").at("as told").at("passed").is_null());
}

TEST(NativeMotion, SaysThatItsNetworkIsMissing) {
  const auto result = animate_asset(rigged(), {}, asked());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::kMissing);
  EXPECT_NE(result.error().what.find("network on joints"), std::string::npos);
}

/// A network that says nothing leaves the body at rest, which is no walk.
Models dull_models() {
  const testing::TemporaryFolder folder;
  EXPECT_TRUE(write_tiny_motions(folder.path(), 1, 0).ok());
  const auto dull = motion_space::MotionDenoiser::open(folder.path()).value();
  Models models;
  models.open_motions = [dull]() -> Result<motion_space::MotionDenoiser> { return dull; };
  return models;
}

TEST(NativeMotion, IsReplacedByAnotherMethodWhereItFails) {
  Request request = asked();
  request.no_fallback = false;
  const AnimatedAsset result = animate_asset(rigged(), dull_models(), request).value();
  EXPECT_EQ(result.animation.method, Method::kRule) << "there is no prior";
  EXPECT_EQ(result.animation.rejected.size(), 4u) << "the first one, and three more";
  std::string words;
  for (const Warning& warning : result.warnings) words += in_words(warning) + "\n";
  EXPECT_NE(words.find("`method rule`"), std::string::npos) << words;

  request.no_fallback = true;
  const AnimatedAsset kept = animate_asset(rigged(), dull_models(), request).value();
  EXPECT_EQ(kept.animation.method, Method::kNative);
  EXPECT_TRUE(has_code(kept.warnings, "unfit_kept"));

  // What no other method can do stays as it is.
  request.no_fallback = false, request.prompt = "a fox walks, then runs";
  const AnimatedAsset both = animate_asset(rigged(), dull_models(), request).value();
  EXPECT_EQ(both.animation.method, Method::kNative);
}

TEST(NativeMotion, IsTheChoiceOfDraftsWhereItWasMeasuredToBeBetter) {
  Request request;
  request.prompt = "a fox walks", request.quality = Quality::kDraft;
  for (const anatomy::LimbPlan kind : anatomy::kLimbPlans)
    EXPECT_EQ(draws_natively(request, kind), is_native_kind(kind)) << name(kind);
  EXPECT_TRUE(is_native_kind(anatomy::LimbPlan::kTwoLegs));
  EXPECT_FALSE(is_native_kind(anatomy::LimbPlan::kFourLegs));
  // It was measured on what goes on and on and gets somewhere.
  for (const char* prompt : {"a man waves", "a man jumps", "a man walks, then sits down", "a man is happy"}) {
    request.prompt = prompt;
    EXPECT_FALSE(draws_natively(request, anatomy::LimbPlan::kTwoLegs)) << prompt;
  }
  for (const char* prompt : {"a man walks, then runs", "a man runs on the spot"}) {
    request.prompt = prompt;
    EXPECT_TRUE(draws_natively(request, anatomy::LimbPlan::kTwoLegs)) << prompt;
  }
  request.sampling.steps = 4;
  EXPECT_FALSE(draws_natively(request, anatomy::LimbPlan::kTwoLegs));
  request.sampling.steps.reset();
  request.prompt = "a fox walks", request.negative = "a bird";
  for (const anatomy::LimbPlan kind : anatomy::kLimbPlans) EXPECT_FALSE(draws_natively(request, kind));
  request.negative.clear(), request.quality = Quality::kStandard;
  for (const anatomy::LimbPlan kind : anatomy::kLimbPlans) EXPECT_FALSE(draws_natively(request, kind));
  request.method = Method::kNative;
  for (const anatomy::LimbPlan kind : anatomy::kLimbPlans) EXPECT_TRUE(draws_natively(request, kind));
}

TEST(NativeRating, PrefersFeetThatStandAndSeesLoopsThatDoNotClose) {
  const PromptSegment walk = split_prompt("a fox walks", native_actions(tiny_motion_model())).front();
  NativeTake good{stage().walk, {}, 0}, sliding = good;
  int foot = -1;
  const pose_space::PoseSkeleton skeleton = pose_space::make_pose_skeleton(body().rig);
  const motion_space::MotionBody seen = motion_space::make_motion_body(body());
  for (std::size_t j = 0; j < seen.conditions.feet.size() && foot < 0; ++j)
    if (seen.conditions.feet[j]) foot = seen.skeleton.joints[j].joint;
  ASSERT_GE(foot, 0);
  sliding.stands = {{foot, std::vector<bool>(static_cast<std::size_t>(kStageFrames), true)}};
  EXPECT_LT(rate_native(body(), good, walk, false), rate_native(body(), sliding, walk, false));
  NativeTake still = good;
  still.motion = kinematics::rest_motion(body().rig, kStageFrames, kStageFps);
  EXPECT_LT(rate_native(body(), good, walk, false), rate_native(body(), still, walk, false));
  NativeTake broken = good;
  broken.motion.angles[5].x = std::nanf("");
  EXPECT_GT(rate_native(body(), broken, walk, false), 1e6);
}

TEST(NativeRating, FailsWhatIsFarOffAlone) {
  const auto finished = [](const Motion& motion) {
    Made made;
    made.method = Method::kNative, made.motion = motion, made.ends = metrics::limb_ends(body());
    made.segments.push_back(
        {split_prompt("a fox walks", native_actions(tiny_motion_model())).front(), 0, 0, 0, std::nullopt, {}});
    return find_native_failure(complete(finish_plan(asked()), context_of(body(), asked()), 0, std::move(made)).value());
  };
  EXPECT_FALSE(finished(stage().walk));
  EXPECT_EQ(finished(kinematics::rest_motion(body().rig, kStageFrames, kStageFps)), "it hardly moves (walk)");
  Motion flung = stage().walk;
  for (int f = 0; f < flung.frame_count(); ++f)
    flung.root_translations[static_cast<std::size_t>(f)].z = 5 * static_cast<float>(f);
  EXPECT_TRUE(finished(flung));
}

}  // namespace
}  // namespace limber::animate
