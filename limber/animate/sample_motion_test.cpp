// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/sample_motion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "limber/animate/animate_subject.h"
#include "limber/animate/animate_testing.h"
#include "limber/animate/distill_motion.h"
#include "limber/animate/made_testing.h"
#include "limber/animate/plan.h"
#include "limber/metrics/jerk.h"
#include "limber/metrics/usual_travel.h"

namespace limber::animate {
namespace {

using kinematics::Motion;

const rig::Subject& creature() { return stage().creature.subject; }

/// A walk as long as several samples.
const Motion& long_walk() {
  static const Motion walk = [] {
    zoo::ActionSettings action;
    action.fps = kStageFps, action.frames = 4 * kStageFrames;
    Motion motion = zoo::perform(stage().creature, action).value().motion;
    motion.loops = false;
    return motion;
  }();
  return walk;
}

/// Its frames from `first` on, as many as a sample has; the last one holds.
Motion part_from(int first) {
  Motion part = kinematics::rest_motion(creature().rig, kStageFrames, kStageFps);
  for (int f = 0; f < kStageFrames; ++f) {
    const int g = std::min(first + f, long_walk().frame_count() - 1);
    part.root_translations[static_cast<std::size_t>(f)] = long_walk().root_translations[static_cast<std::size_t>(g)];
    const auto from = long_walk().frame_angles(g);
    std::copy(from.begin(), from.end(), part.frame_angles(f).begin());
  }
  return part;
}

/// Draws one chunk of the long walk after the other, wherever the plan has them begin.
class WalkingPrior : public StagePrior {
 public:
  explicit WalkingPrior(std::vector<int> firsts) : firsts_(std::move(firsts)) {
    scripted = [this](int draw, const prior::SampleSettings& settings) {
      known.push_back(settings.known);
      scene::SketchView view(creature().rig, scene::part_gaussians(creature()), stage_view());
      return view.draw(part_from(firsts_[static_cast<std::size_t>(draw) % firsts_.size()]));
    };
  }
  std::vector<std::optional<prior::KnownFrames>> known;

 private:
  std::vector<int> firsts_;
};

Request draft(const std::string& prompt) {
  Request request;
  request.prompt = prompt, request.quality = Quality::kDraft;
  request.sampling.candidates = 1, request.study.fit_stages = short_fit(), request.study.most_residual = 10;
  request.finishing.ground = Ground::kNone;
  return request;
}

std::vector<int> firsts_of(const Request& request, const Anchors& anchors = {}) {
  StagePrior prior;
  std::vector<int> firsts;
  for (const Chunk& chunk : plan_motion(request, chunk_maker(prior.info()), anchors).chunks)
    firsts.push_back(chunk.first);
  return firsts;
}

TEST(PlanMotion, SharesTheSecondsAmongTheThingsToDo) {
  StagePrior prior;
  Request request = draft("a fox walks, then sits down");
  request.seconds = 4;
  const MotionPlan plan = plan_motion(request, chunk_maker(prior.info()), {});
  ASSERT_EQ(plan.segments.size(), 2u);
  EXPECT_EQ(plan.segments[1].prompt, "a fox sits down");
  EXPECT_EQ(plan.ends.back(), 49) << "the last frame is at four seconds";
  EXPECT_NEAR(plan.ends.front(), 24, 1);
  request.seconds.reset();
  EXPECT_EQ(plan_motion(request, chunk_maker(prior.info()), {}).ends.back(), 2 * kStageFrames)
      << "a sample's length each";
  request.prompt = "a fox walks";
  const MotionPlan one = plan_motion(request, chunk_maker(prior.info()), {});
  ASSERT_EQ(one.chunks.size(), 1u);
  EXPECT_EQ(one.chunks[0].end, kStageFrames) << "as it always was";
}

TEST(PlanMotion, ClosesAShortLoopOfSeveralThingsAsALongOne) {
  StagePrior prior;
  Request request = draft("a fox walks, then sits down");
  request.seconds = 1, request.finishing.loop = true;
  const MotionPlan plan = plan_motion(request, chunk_maker(prior.info()), {});
  ASSERT_TRUE(plan.period) << "drawing it again would know one thing to do alone";
  EXPECT_EQ(*plan.period, 12);
}

TEST(SampleMotion, GoesOnForAsLongAsIsAskedWithoutSeams) {
  Request request = draft("a fox walks");
  request.seconds = 3;
  WalkingPrior prior(firsts_of(request));
  const Animation animation = sample_motion(creature(), prior, request, {}).value();
  ASSERT_GE(prior.known.size(), 3u);
  EXPECT_FALSE(prior.known[0]) << "nothing is known of the first";
  ASSERT_TRUE(prior.known[1]);
  EXPECT_EQ(std::count(prior.known[1]->known.begin(), prior.known[1]->known.end(), 1), kStageFrames / 3);
  EXPECT_EQ(animation.lifted.frame_count(), 37);
  EXPECT_NEAR((animation.motion.frame_count() - 1) / animation.motion.fps, 3, 0.05);
  EXPECT_EQ(animation.observed.frames, 37);
  EXPECT_EQ(animation.seams.size(), prior.known.size() - 1);
  EXPECT_EQ(animation.candidates.size(), prior.known.size());

  // It walks on, as fast and in the same order of feet.
  const metrics::Gait truth = metrics::find_gait(creature().rig, long_walk(), animation.ends);
  EXPECT_LT(metrics::phase_error(animation.gait, truth), 0.05);
  EXPECT_NEAR(animation.gait.velocity.z, truth.velocity.z, 0.15 * truth.velocity.z);
  const metrics::SeamJerk jerk =
      metrics::seam_jerk(metrics::frame_jerk(creature().rig, animation.lifted), animation.seams, 3);
  EXPECT_LT(jerk.seams, 1.3 * jerk.within) << "no rougher than within";
  ASSERT_EQ(animation.segments.size(), 1u);
  EXPECT_EQ(animation.segments[0].asked.actions, std::vector<std::string>{"walk"});
  EXPECT_TRUE(animation.segments[0].travel.legged);
  EXPECT_GT(animation.segments[0].travel.pace, metrics::usual_speed("walk", true).least);
  EXPECT_TRUE(animation.own_way);
}

TEST(SampleMotion, DoesNotCallItsOwnAWayThatWasTakenOut) {
  Request request = draft("a fox walks");
  request.finishing.in_place = true;
  WalkingPrior prior(firsts_of(request));
  const Animation animation = sample_motion(creature(), prior, request, {}).value();
  EXPECT_FALSE(animation.own_way);
  EXPECT_LT(animation.segments[0].travel.pace, metrics::allowed_speed(std::vector<std::string>{"walk"}, true).least);
}

TEST(SampleMotion, AsksForOneThingAfterTheOther) {
  Request request = draft("a fox walks, then sits down");
  request.study.fit_stages = hasty_fit();
  request.seconds = 2.5;
  StagePrior prior;
  const Animation animation = sample_motion(creature(), prior, request, {}).value();
  EXPECT_EQ(prior.prompts.front(), "a fox walks");
  EXPECT_EQ(prior.prompts.back(), "a fox sits down");
  EXPECT_TRUE(prior.last_few_steps) << "a draft is drawn quickly";
  ASSERT_EQ(animation.segments.size(), 2u);
  EXPECT_EQ(animation.segments[0].from, 0);
  EXPECT_NEAR(animation.segments[0].to, 1.25, 0.1);
  EXPECT_EQ(animation.segments[1].from, animation.segments[0].to);
  EXPECT_NEAR(animation.segments[1].to, 2.5, 1e-9);
  EXPECT_EQ(animation.segments[1].asked.actions, std::vector<std::string>{"sit"});
}

TEST(SampleMotion, ContinuesAClipFromItsLastFrame) {
  Request request = draft("a fox walks");
  Anchors anchors;
  anchors.before = part_from(0);
  kinematics::Motion& before = *anchors.before;
  before.root_translations.resize(5), before.angles.resize(5 * static_cast<std::size_t>(before.joint_count));
  WalkingPrior prior({0});
  const Animation animation = sample_motion(creature(), prior, request, anchors).value();
  ASSERT_EQ(prior.known.size(), 1u);
  EXPECT_EQ(animation.lifted.frame_count(), kStageFrames - 4);
  EXPECT_EQ(animation.observed.frames, animation.lifted.frame_count());
  float gap = norm(animation.motion.root_translations[0] - before.root_translations[4]);
  for (std::size_t j = 0; j < static_cast<std::size_t>(before.joint_count); ++j) {
    gap = std::max(gap, norm(animation.motion.frame_angles(0)[j] - before.frame_angles(4)[j]));
  }
  EXPECT_LT(gap, 1e-5f) << "exactly where the clip ended";
}

TEST(SampleMotion, PassesThroughKeyframes) {
  Request request = draft("a fox walks");
  request.study.fit_stages = hasty_fit();
  Anchors anchors;
  for (const int frame : {0, 12}) {
    const auto angles = long_walk().frame_angles(frame);
    anchors.keys.push_back(
        {frame / kStageFps,
         {long_walk().root_translations[static_cast<std::size_t>(frame)], {angles.begin(), angles.end()}}});
  }
  WalkingPrior prior({0});
  const Animation animation = sample_motion(creature(), prior, request, anchors).value();
  ASSERT_TRUE(prior.known[0]);
  EXPECT_EQ(prior.known[0]->known[0] + prior.known[0]->known[12], 2);
  ASSERT_TRUE(animation.key_error);
  EXPECT_LT(*animation.key_error, 1e-4);
}

TEST(SampleMotion, ClosesLongLoopsExactly) {
  Request request = draft("a fox walks");
  request.study.fit_stages = hasty_fit();
  request.seconds = 2, request.finishing.loop = true;
  WalkingPrior prior(firsts_of(request));
  const Animation animation = sample_motion(creature(), prior, request, {}).value();
  EXPECT_TRUE(animation.lifted.loops);
  EXPECT_EQ(animation.lifted.frame_count(), 24);
  EXPECT_TRUE(animation.motion.loops);
  EXPECT_EQ(animation.metrics.loop_gap, 0);
  const auto& last_known = prior.known.back()->known;
  EXPECT_EQ(last_known.back(), 1) << "the end is the beginning";
}

TEST(SampleMotion, DrawsALoopAgainThatDoesNotClose) {
  Request request = draft("a fox walks");
  request.finishing.loop = true;
  // Twitches anyhow: no frame comes again.
  Motion twitching = part_from(0);
  const std::vector<float> noise = prior::normal_noise(twitching.angles.size(), 3, 0, 0);
  for (std::size_t i = 0; i < noise.size(); ++i) twitching.angles[i].x += 0.5f * noise[i];
  WalkingPrior prior({0});
  prior.scripted = [&](int draw, const prior::SampleSettings& settings) {
    prior.known.push_back(settings.known);
    scene::SketchView view(creature().rig, scene::part_gaussians(creature()), stage_view());
    return view.draw(draw == 0 ? twitching : part_from(0));
  };
  const Animation animation = sample_motion(creature(), prior, request, {}).value();
  ASSERT_EQ(prior.known.size(), 2u);
  ASSERT_TRUE(prior.known[1]);
  EXPECT_EQ(prior.known[1]->known.front(), 1);
  EXPECT_TRUE(animation.motion.loops);
  EXPECT_EQ(animation.metrics.loop_gap, 0);
}

TEST(SampleMotion, SpendsNoMoreThanItsBudgetOnRedraws) {
  for (const int candidates : {1, 2}) {
    Request request = draft("a fox walks");
    request.study.fit_stages = hasty_fit();
    request.sampling.candidates = candidates, request.study.most_residual = 1e-6, request.study.redraws = 2;
    StagePrior worse;
    worse.disturb = [](int draw) { return draw < 1 ? 0.0f : 1.0f; };
    EXPECT_TRUE(sample_motion(creature(), worse, request, {}).ok());
    EXPECT_EQ(worse.seeds.size(), static_cast<std::size_t>(candidates) + 1) << "one that did not help is the last";
    StagePrior better;
    better.disturb = [](int draw) { return 1.0f - 0.2f * static_cast<float>(draw); };
    EXPECT_TRUE(sample_motion(creature(), better, request, {}).ok());
    EXPECT_EQ(better.seeds.size(), 2 * static_cast<std::size_t>(candidates)) << "the budget is spent";
  }
}

TEST(SampleMotion, NeverDrawsMoreThanThreeTimesWhatADraftUsuallyTakes) {
  // Every sample is a little better than the one before, none fits, and the loop has to be drawn once more.
  Request request = draft("a fox walks");
  request.study.fit_stages = hasty_fit(), request.sampling.candidates.reset();
  request.study.most_residual = 1e-6, request.study.redraws = 100;
  request.finishing.loop = true;
  StagePrior prior;
  prior.disturb = [](int draw) { return 1.0f - 0.05f * static_cast<float>(draw); };
  EXPECT_TRUE(sample_motion(creature(), prior, request, {}).ok());
  const auto usual = static_cast<std::size_t>(sample_plan(request).candidates);
  EXPECT_GT(prior.seeds.size(), usual);
  EXPECT_LE(prior.seeds.size(), 3 * usual);
}

// --- methods ---------------------------------------------------------------------------------------------------------

/// Draws all samples in one call, as on a GPU.
class TogetherPrior : public StagePrior {
 public:
  bool draws_together() const override { return true; }
  Result<std::vector<Frames>> sample_all(const prior::Condition& condition,
                                         std::span<const prior::SampleSettings> settings) override {
    calls.push_back(settings.size());
    return StagePrior::sample_all(condition, settings);
  }
  std::vector<std::size_t> calls;
};

TEST(SampleMotion, DrawsAndLiftsSeveralTogetherAsOneByOne) {
  Request request = draft("a fox walks");
  request.sampling.candidates = 3, request.study.fit_stages = hasty_fit();
  StagePrior single;
  TogetherPrior several;
  single.disturb = several.disturb = [](int draw) { return 0.1f * static_cast<float>(draw); };
  const std::thread::id own = std::this_thread::get_id();
  std::vector<int> shown;
  const Animation one_by_one = sample_motion(creature(), single, request, {}).value();
  request.progress = [&](std::string_view, double) {
    EXPECT_EQ(std::this_thread::get_id(), own);
    return true;
  };
  const auto show = [&](const Animation&, int number) { shown.push_back(number); };
  const Animation together = sample_motion(creature(), several, request, {}, show).value();
  EXPECT_EQ(several.calls, std::vector<std::size_t>{3});
  EXPECT_EQ(several.seeds, single.seeds);
  EXPECT_EQ(shown, (std::vector<int>{1, 2, 3}));
  ASSERT_EQ(together.candidates.size(), one_by_one.candidates.size());
  for (std::size_t i = 0; i < together.candidates.size(); ++i) {
    EXPECT_EQ(together.candidates[i].seed, one_by_one.candidates[i].seed);
    EXPECT_EQ(together.candidates[i].lifted.motion.angles, one_by_one.candidates[i].lifted.motion.angles);
    EXPECT_EQ(together.candidates[i].score, one_by_one.candidates[i].score);
  }
  request.progress = [](std::string_view stage, double) { return stage.find("lifting") == std::string_view::npos; };
  const Result<Animation> stopped = sample_motion(creature(), several, request, {});
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::kCancelled);
}

TEST(Methods, AkdDistillsWithAPriorThatDrawsSketches) {
  StagePrior prior;
  Request request = draft("a fox walks");
  request.sampling.candidates.reset();
  request.method = Method::kAkd, request.distilling.iterations = 2;
  const Animation animation = follow_prompt(creature(), nullptr, prior, request).value();
  EXPECT_EQ(animation.method, Method::kAkd);
  EXPECT_TRUE(prior.seeds.empty()) << "nothing is sampled";
  ASSERT_TRUE(animation.distilled);
  EXPECT_EQ(animation.distilled->report.iterations, 2);
  EXPECT_NEAR(animation.lifted.root_translations.back().z, 0.5 * (kStageFrames - 1) / kStageFps, 0.05);
}

TEST(Methods, AkdStartsFromASampleOfAnotherPrior) {
  StagePrior prior, starter;
  // One of real videos: other sizes, another rate, and samples that cannot be lifted.
  prior.change_info().views = 1, prior.change_info().uses_rest = false;
  prior.change_info().native = {21, 24, 32}, prior.change_info().fps = 16;
  Request request = draft("a fox walks");
  request.sampling.candidates.reset();
  request.distilling.from = Start::kSample, request.distilling.iterations = 0;
  const Animation animation = follow_prompt(creature(), nullptr, prior, request, &starter).value();
  EXPECT_EQ(animation.method, Method::kAkd);
  EXPECT_FALSE(starter.seeds.empty());
  EXPECT_TRUE(prior.seeds.empty());
  EXPECT_EQ(animation.lifted.frame_count(), 21);
  EXPECT_EQ(animation.lifted.fps, 16);
  // It walks as what was drawn does; a body at rest has no gait.
  EXPECT_LT(metrics::phase_error(animation.gait, stage().gait), 0.15);

  const Result<Animation> none = follow_prompt(creature(), nullptr, prior, request);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().kind, ErrorKind::kMissing);
  const Result<Animation> sampled = follow_prompt(creature(), nullptr, starter, request, &starter);
  ASSERT_FALSE(sampled.ok());
  EXPECT_EQ(sampled.error().kind, ErrorKind::kConflict);
}

TEST(Methods, AFifthOfTheIterationsWillDoFromASample) {
  Request request = draft("a fox walks");
  const distill::DistillSettings rest =
      akd_settings(way_of<ByAkd>(request, Method::kAkd), context_of(creature(), request));
  request.distilling.from = Start::kSample;
  const distill::DistillSettings sampled =
      akd_settings(way_of<ByAkd>(request, Method::kAkd), context_of(creature(), request));
  EXPECT_EQ(sampled.iterations, rest.iterations / 5);
  EXPECT_LT(sampled.score.t_max, rest.score.t_max);
}

TEST(Methods, PlanarFollowsTheWalkWithoutAnyFit) {
  StagePrior prior;
  Request request = draft("a fox walks");
  request.method = Method::kPlanar;
  const Animation animation = follow_prompt(creature(), nullptr, prior, request).value();
  EXPECT_EQ(animation.method, Method::kPlanar);
  EXPECT_FALSE(animation.distilled);
  EXPECT_EQ(animation.candidates.front().lifted.fit.iterations, 0);
  EXPECT_LT(metrics::phase_error(animation.gait, stage().gait), 0.15);
}

TEST(Methods, SayWhatTheyCannotDo) {
  StagePrior prior;
  const auto refused = [&](const auto& change) {
    Request request = draft("a fox walks");
    change(request);
    const Result<Animation> result = follow_prompt(creature(), nullptr, prior, request);
    return result.ok() ? std::string() : result.error().what;
  };
  EXPECT_NE(refused([](Request& r) {
              r.method = Method::kPlanar, r.prompt = "a fox walks, then sits";
            }).find("one thing at a time"),
            std::string::npos);
  EXPECT_NE(refused([](Request& r) { r.method = Method::kAkd, r.seconds = 8; }).find("akd"), std::string::npos);
  prior.change_info().uses_rest = false;
  EXPECT_NE(refused([](Request& r) { r.method = Method::kSample; }).find("not draw the body itself"),
            std::string::npos);
}

}  // namespace
}  // namespace limber::animate
