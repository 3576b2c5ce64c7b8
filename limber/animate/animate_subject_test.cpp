// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/animate_subject.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "limber/animate/animate_testing.h"
#include "limber/rig/changed_rig.h"

namespace limber::animate {
namespace {

const rig::Subject& creature() { return stage().creature.subject; }

Request draft() {
  Request request;
  request.prompt = "a fox walks";
  request.quality = Quality::kDraft;
  request.sampling.candidates = 1;
  request.study.fit_stages = short_fit();
  return request;
}

/// Where it does not matter how well the motion fits the sample.
Request hasty() {
  Request request = draft();
  request.study.fit_stages = hasty_fit();
  request.study.most_residual = 10;
  return request;
}

Animation animated(prior::VideoPrior& prior, const Request& request, const rig::Subject& subject = creature()) {
  Result<Animation> result = follow_prompt(subject, nullptr, prior, request);
  EXPECT_TRUE(result.ok()) << result.error().message();
  return result.ok() ? std::move(*result) : Animation{};
}

bool warns_of(const Animation& animation, const std::string& words) {
  return std::any_of(animation.warnings.begin(), animation.warnings.end(),
                     [&](const Warning& warning) { return in_words(warning).find(words) != std::string::npos; });
}

bool same(const kinematics::Motion& a, const kinematics::Motion& b) {
  return a.fps == b.fps && a.root_translations == b.root_translations && a.angles == b.angles;
}

/// The creature in a world where it faces +X.
rig::Subject turned_creature() {
  rig::Subject subject = creature();
  Mat3 turn;
  turn.m = {{{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}}};
  subject.rig = rig::changed_rig(subject.rig, turn).value();
  return subject;
}

// --- from a sample to a motion ---------------------------------------------------------------------------------------

TEST(Animate, FindsTheGaitThatThePriorDraws) {
  StagePrior prior;
  const Animation animation = animated(prior, draft());
  EXPECT_LT(metrics::phase_error(animation.gait, stage().gait), 0.03);
  EXPECT_NEAR(animation.gait.velocity.z, stage().gait.velocity.z, 0.1 * stage().gait.velocity.z);
  EXPECT_EQ(animation.motion.fps, 30);
  EXPECT_NEAR(animation.motion.frame_count() / 30.0, kStageFrames / kStageFps, 0.1);
  EXPECT_EQ(animation.lifted.frame_count(), kStageFrames);
  EXPECT_TRUE(animation.warnings.empty()) << in_words(animation.warnings.front());
  EXPECT_FALSE(animation.distilled);
  EXPECT_EQ(animation.observed.frames, kStageFrames);
  ASSERT_TRUE(animation.prior_score);
  EXPECT_GE(*animation.prior_score, 0);
  EXPECT_EQ(animation.metrics.not_finite, 0);
  EXPECT_LT(animation.metrics.penetration, 0.02f);
  ASSERT_TRUE(prior.last.rest) << "the prior is shown the body at rest";
  EXPECT_EQ(prior.last.prompt.text, "a fox walks");
}

TEST(Animate, GivesTheSameBitsForTheSameSeed) {
  StagePrior prior;
  prior.disturb = [](int) { return 0.1f; };
  Request request = hasty();
  const Animation first = animated(prior, request), again = animated(prior, request);
  request.seed = 1;
  const Animation other = animated(prior, request);
  EXPECT_TRUE(same(first.motion, again.motion));
  EXPECT_FALSE(same(first.motion, other.motion));
}

TEST(Animate, DrawsOnTheCpuWhereNoGpuIsProven) {
  StagePrior prior;
  Request request = hasty();
  const Animation cpu = animated(prior, request);
  request.device = Device::kCuda;
  const Animation other = animated(prior, request);
  if (other.drawn_on == Device::kCuda) GTEST_SKIP() << "there is a GPU, and a build for it";
  EXPECT_TRUE(same(cpu.motion, other.motion));
  EXPECT_EQ(warns_of(other, "drawn on the CPU"), scene::has_cuda()) << "a build without CUDA is no failure";
}

TEST(Animate, GoesWhereTheBodyFaces) {
  const rig::Subject turned = turned_creature();
  StagePrior prior;
  Request request = draft();
  request.facing = rig::make_facing({0, 1, 0}, {1, 0, 0}).value();
  const Animation asked = animated(prior, request, turned);

  rig::Subject knowing = turned;
  knowing.facing.forward = {1, 0, 0};
  EXPECT_TRUE(same(asked.motion, animated(prior, draft(), knowing).motion)) << "asked for or known is the same";

  const metrics::Gait gait = metrics::find_gait(turned.rig, asked.motion, asked.ends);
  const double speed = stage().gait.velocity.z;
  EXPECT_NEAR(gait.velocity.x, speed, 0.1 * speed);
  // As much to the side as a body that faces +Z: a lift is not exact.
  const Animation straight = animated(prior, draft());
  const metrics::Gait ahead = metrics::find_gait(stage().creature.subject.rig, straight.motion, straight.ends);
  EXPECT_NEAR(ahead.velocity.x, 0, 0.1 * speed);
  EXPECT_NEAR(gait.velocity.z, -ahead.velocity.x, 0.01 * speed);
  kinematics::Motion truth = stage().walk;
  for (Vec3& root : truth.root_translations) root = {root.z, root.y, -root.x};
  EXPECT_LT(metrics::phase_error(gait, metrics::find_gait(turned.rig, truth, asked.ends)), 0.03);

  const Result<kinematics::Motion> candidate = finish_candidate(turned, request, asked, 0);
  ASSERT_TRUE(candidate.ok());
  EXPECT_NEAR(metrics::find_gait(turned.rig, *candidate, asked.ends).velocity.x, speed, 0.1 * speed);
}

TEST(Animate, RefinesByDistillationWithoutLosingTheGait) {
  StagePrior prior;
  Request request = draft();
  request.quality = Quality::kStandard;
  request.finishing.ground = Ground::kNone;
  request.distilling.iterations = 1;
  int steps = 0;
  request.distilling.on_step = [&](const distill::DistillStep&) { ++steps; };
  const Animation animation = animated(prior, request);
  ASSERT_TRUE(animation.distilled);
  EXPECT_EQ(animation.distilled->report.iterations, 1);
  EXPECT_EQ(steps, 1);
  EXPECT_FALSE(same(animation.lifted, animation.candidates.front().lifted.motion));
  EXPECT_LT(metrics::phase_error(animation.gait, stage().gait), 0.03);
}

TEST(Animate, DistillsFromRestWhereThePriorDrawsNoSketches) {
  StagePrior prior;
  prior.change_info().views = 1, prior.change_info().uses_rest = false;
  prior.change_info().native = {6, 32, 32};
  EXPECT_FALSE(draws_sketches(prior.info()));
  Request request = draft();
  request.sampling.candidates.reset();
  request.distilling.iterations = 2, request.study.speed = 0.8;
  request.finishing.ground = Ground::kNone;
  request.facing = rig::make_facing({0, 1, 0}, {1, 0, 0}).value();
  const Animation animation = animated(prior, request, turned_creature());
  ASSERT_TRUE(animation.distilled);
  EXPECT_EQ(animation.distilled->report.iterations, 2);
  EXPECT_TRUE(prior.seeds.empty()) << "nothing was sampled";
  EXPECT_TRUE(animation.candidates.empty());
  EXPECT_FALSE(animation.prior_score);
  const kinematics::Motion& motion = animation.motion;
  const Vec3 way = motion.root_translations.back() - motion.root_translations.front();
  EXPECT_NEAR(way.x, 0.8 * (motion.frame_count() - 1) / motion.fps, 0.1);
  EXPECT_NEAR(way.z, 0, 0.05);
}

// --- candidates ------------------------------------------------------------------------------------------------------

TEST(Animate, PutsTheBestCandidateFirst) {
  StagePrior prior;
  prior.disturb = [](int draw) { return draw == 1 ? 0.0f : 0.25f; };
  Request request = hasty();
  request.sampling.candidates = 3, request.seed = 40;
  const Animation animation = animated(prior, request);
  ASSERT_EQ(animation.candidates.size(), 3u);
  EXPECT_EQ(animation.candidates.front().seed, prior.seeds.at(1));
  std::set<std::uint64_t> seeds;
  for (std::size_t i = 0; i < 3; ++i) {
    seeds.insert(animation.candidates[i].seed);
    EXPECT_GE(animation.candidates[i].score, animation.candidates.front().score);
  }
  EXPECT_EQ(seeds.size(), 3u);
  EXPECT_EQ(prior.seeds.front(), 40u) << "the first sample is the seed's own";

  // The others can be had as well; the first is the result itself, since drafts are not distilled.
  EXPECT_TRUE(same(finish_candidate(creature(), request, animation, 0).value(), animation.motion));
  EXPECT_FALSE(same(finish_candidate(creature(), request, animation, 1).value(), animation.motion));
}

TEST(Animate, DrawsAgainWhatDoesNotFit) {
  StagePrior prior;
  prior.disturb = [](int draw) { return draw == 0 ? 1.0f : 0.0f; };
  const Animation animation = animated(prior, draft());
  EXPECT_EQ(prior.seeds.size(), 2u);
  ASSERT_EQ(animation.candidates.size(), 1u);
  EXPECT_TRUE(animation.candidates.front().fits);
  EXPECT_EQ(animation.candidates.front().seed, prior.seeds.at(1));
  EXPECT_TRUE(animation.warnings.empty());
}

TEST(Animate, WarnsWhereNothingFits) {
  StagePrior prior;
  prior.disturb = [](int draw) { return draw == 1 ? 0.7f : 1.0f; };
  Request request = hasty();
  request.study.redraws = 2, request.study.most_residual = 0.15;
  const Animation animation = animated(prior, request);
  EXPECT_EQ(prior.seeds.size(), 2u);
  ASSERT_EQ(animation.candidates.size(), 1u);
  EXPECT_FALSE(animation.candidates.front().fits);
  EXPECT_EQ(animation.candidates.front().seed, prior.seeds.at(1)) << "the least bad one is kept";
  EXPECT_TRUE(animation.warnings.empty()) << "whoever judges the whole says so";
}

TEST(Animate, WarnsOfPromptsWithoutAKnownAction) {
  StagePrior prior;
  Request request = hasty();
  request.prompt = "a fox wallks";
  const Animation animation = animated(prior, request);
  EXPECT_TRUE(warns_of(animation, "no action"));
  EXPECT_TRUE(warns_of(animation, "nearest: walk"));
  prior.change_info().actions.clear();
  EXPECT_TRUE(animated(prior, request).warnings.empty()) << "a prior that knows no list of actions may know any";
}

// --- stopping --------------------------------------------------------------------------------------------------------

TEST(Animate, CanBeCancelledInEveryStage) {
  for (const std::string word : {"drawing", "lifting", "distilling", "ground"}) {
    StagePrior prior;
    Request request = hasty();
    request.quality = Quality::kStandard, request.finishing.ground = Ground::kSimulate;
    request.distilling.iterations = 1;
    bool reached = false;
    double last = 0;
    request.progress = [&](std::string_view what, double fraction) {
      EXPECT_GE(fraction, last - 1e-9) << what;
      last = fraction;
      if (what.find(word) != std::string_view::npos) reached = true;
      return !reached;
    };
    const Result<Animation> result = follow_prompt(creature(), nullptr, prior, request);
    EXPECT_TRUE(reached) << word;
    ASSERT_FALSE(result.ok()) << word;
    EXPECT_EQ(result.error().kind, ErrorKind::kCancelled) << word;
  }
}

TEST(Animate, PassesOnWhatThePriorSays) {
  class Broken : public StagePrior {
    Result<Frames> sample(const prior::Condition&, const prior::SampleSettings&) override {
      return Error{"out of memory", "stage"};
    }
  } prior;
  const Result<Animation> result = follow_prompt(creature(), nullptr, prior, hasty());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().what, "out of memory");
}

}  // namespace
}  // namespace limber::animate
