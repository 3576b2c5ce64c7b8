// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/distill/distill.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/base/threads.h"
#include "limber/distill/distill_testing.h"

namespace limber::distill {
namespace {

using kinematics::Motion;

DistillSettings quick_settings(int iterations) {
  DistillSettings settings;
  settings.iterations = iterations;
  settings.angle_rate = 0.03, settings.root_rate = 0.003, settings.rate_end = 0.1;
  // The toy's wishes are small numbers; those of a guided prior are a hundred times larger.
  settings.smooth_weight = 0.002;
  settings.score.seed = 11;
  return settings;
}

struct Outcome {
  Motion motion;
  DistillReport report;
};

Outcome run(const ToyStage& stage, const SharedCameras& shared, ToyPrior& prior, const DistillSettings& settings,
            const Motion& start, int views = 2) {
  scene::Scene scene = toy_scene(stage);
  Outcome outcome{start, {}};
  auto report = distill(scene, toy_cameras(shared, views), prior, {}, settings, outcome.motion);
  EXPECT_TRUE(report.ok()) << report.error().message();
  if (report.ok()) outcome.report = std::move(*report);
  return outcome;
}

double energy_of(const kinematics::MotionEnergy& energy, const Motion& motion) {
  kinematics::MotionGradient unused;
  return energy.add(motion, 0, unused);
}

TEST(Distill, FindsASwingThatThePriorWantsToSee) {
  const ToyStage stage = toy_stage();
  const auto shared = std::make_shared<std::vector<scene::Camera>>();
  TargetPrior prior(stage, shared, 0.2);
  DistillSettings settings = quick_settings(150);
  const Outcome outcome = run(stage, shared, prior, settings, stage.start);
  const double before = distance(stage, stage.start, stage.target);
  EXPECT_GT(before, 0.05);
  EXPECT_LT(distance(stage, outcome.motion, stage.target), 0.2 * before);
  EXPECT_EQ(outcome.report.stop, DistillStop::kDone);
  EXPECT_EQ(outcome.report.iterations, 150);
  EXPECT_EQ(outcome.report.history.size(), 150u);
  EXPECT_FALSE(outcome.report.resumed_from);
  EXPECT_EQ(prior.calls, 150);
}

TEST(Distill, FindsItWithFewerCallsByDenoising) {
  const ToyStage stage = toy_stage();
  const auto shared = std::make_shared<std::vector<scene::Camera>>();
  TargetPrior prior(stage, shared, 0.2);
  DistillSettings settings = quick_settings(10);
  settings.mode = DistillMode::kDenoise;
  settings.fits_per_denoise = 15;
  const Outcome outcome = run(stage, shared, prior, settings, stage.start);
  EXPECT_LT(distance(stage, outcome.motion, stage.target), 0.2 * distance(stage, stage.start, stage.target));
  EXPECT_EQ(prior.calls, 10);
  const DistillStep& first = outcome.report.history.front();
  EXPECT_LT(first.fitted, first.sds);
}

TEST(Distill, WalksDownInTWhereSeveralDenoisingStepsAreAskedFor) {
  const ToyStage stage = toy_stage();
  const auto shared = std::make_shared<std::vector<scene::Camera>>();
  TargetPrior prior(stage, shared);
  DistillSettings settings = quick_settings(6);
  settings.mode = DistillMode::kDenoise;
  settings.denoise_steps = 4, settings.fits_per_denoise = 15;
  settings.score.t_max = settings.score.t_max_end = 0.6;
  const Outcome outcome = run(stage, shared, prior, settings, stage.start);
  EXPECT_EQ(prior.calls, 6 * 4);
  EXPECT_EQ(prior.last.timestep, 165) << "a quarter of the way up from 20 to 600";
  EXPECT_EQ(outcome.report.history[0].timestep, 600);
  ASSERT_TRUE(prior.last.noise);
  EXPECT_LT(distance(stage, outcome.motion, stage.target), 0.3 * distance(stage, stage.start, stage.target));
}

TEST(Distill, ScoresMoreViewsThanThePriorTakesInGroups) {
  const ToyStage stage = toy_stage();
  const auto shared = std::make_shared<std::vector<scene::Camera>>();
  for (const DistillMode mode : {DistillMode::kScore, DistillMode::kDenoise}) {
    TargetPrior both(stage, shared, 0, 2), one(stage, shared, 0, 1);
    DistillSettings settings = quick_settings(4);
    settings.mode = mode, settings.fits_per_denoise = 2;
    const Outcome together = run(stage, shared, both, settings, stage.start);
    const Outcome apart = run(stage, shared, one, settings, stage.start);
    EXPECT_EQ(one.calls, 2 * both.calls);
    // Means per element: the same loss, however many views are judged at once.
    EXPECT_NEAR(together.report.history[3].sds, apart.report.history[3].sds, 1e-6);
    EXPECT_LT(distance(stage, together.motion, apart.motion), 1e-4);
  }
}

TEST(Distill, RefusesViewsThatThePriorCannotJudge) {
  const ToyStage stage = toy_stage();
  const auto shared = std::make_shared<std::vector<scene::Camera>>();
  NoisePrior prior(1, 2);
  scene::Scene scene = toy_scene(stage);
  Motion motion = stage.start;
  const auto report = distill(scene, toy_cameras(shared, 3), prior, {}, quick_settings(2), motion);
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().what.find("3 views"), std::string::npos) << report.error().what;
}

TEST(Distill, KeepsItsBalanceAtAnyResolution) {
  // A loss per element: twice the pixels in each direction, about the same gradient on the motion.
  const ToyStage stage = toy_stage();
  const auto shared = std::make_shared<std::vector<scene::Camera>>();
  std::vector<double> slopes, losses;
  for (const int size : {24, 48}) {
    TargetPrior prior(stage, shared);
    scene::Scene scene = toy_scene(stage);
    Motion motion = stage.start;
    const auto report = distill(scene, toy_cameras(shared, 2, size), prior, {}, quick_settings(1), motion);
    ASSERT_TRUE(report.ok());
    slopes.push_back(report->history[0].sds_gradient), losses.push_back(report->history[0].sds);
  }
  EXPECT_NEAR(slopes[1] / slopes[0], 1, 0.15);
  EXPECT_NEAR(losses[1] / losses[0], 1, 0.15);
}

TEST(DistillGrad, IsThatOfTheMeanOverLatentEntries) {
  // One frame and a camera that stands still: the norm of the gradient against differences in all twelve unknowns.
  const ToyStage stage = toy_stage(1);
  const auto shared = std::make_shared<std::vector<scene::Camera>>();
  const CameraRule still = [&](const Motion&, Rng& rng) { return toy_cameras(shared)(stage.start, rng); };
  const auto step_at = [&](const Motion& from) {
    TargetPrior prior(stage, shared);
    DistillSettings settings = quick_settings(1);
    scene::Scene scene = toy_scene(stage);
    Motion motion = from;
    return distill(scene, still, prior, {}, settings, motion)->history[0];
  };
  double squared = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    for (int k = 0; k < 3; ++k) {
      const float step = 0.001f;  // so short that no two Gaussians change their order
      Motion low = stage.start, high = stage.start;
      (i < 3 ? low.angles[i] : low.root_translations[0])[k] -= step;
      (i < 3 ? high.angles[i] : high.root_translations[0])[k] += step;
      const double slope = (step_at(high).sds - step_at(low).sds) / (2 * double(step));
      squared += slope * slope;
    }
  }
  const double norm = step_at(stage.start).sds_gradient;
  EXPECT_GT(norm, 1e-4);
  EXPECT_NEAR(norm / std::sqrt(squared), 1, 1e-3);
}

TEST(Distill, SmoothnessTakesTheJerkOutOfNoise) {
  const ToyStage stage = toy_stage(10);
  const auto shared = std::make_shared<std::vector<scene::Camera>>();
  std::vector<double> jerk;
  for (const double weight : {0.0, 0.178}) {
    NoisePrior prior(0.5);
    DistillSettings settings = quick_settings(60);
    settings.smooth_weight = weight;
    jerk.push_back(energy_of(kinematics::SmoothnessEnergy(), run(stage, shared, prior, settings, stage.start).motion));
  }
  EXPECT_GT(jerk[0], 0.02);
  EXPECT_LT(jerk[1], 0.5 * jerk[0]);
}

TEST(Distill, TheGroundTermKeepsABodyOutOfTheGround) {
  ToyStage stage = toy_stage();
  float lowest = 1e9f;
  for (const rig::BoneBox& box : stage.boxes) lowest = std::min(lowest, box.centre.y - box.half.y);
  // It stands on the ground; the prior wants to see it sunk in.
  for (Vec3& root : stage.start.root_translations) root.y = -lowest;
  for (Vec3& root : stage.target.root_translations) root.y = -lowest - 0.25f;
  const auto shared = std::make_shared<std::vector<scene::Camera>>();
  const kinematics::GroundEnergy ground(stage.rig, stage.boxes);
  std::vector<double> depth;
  for (const double weight : {0.0, 8.9}) {
    TargetPrior prior(stage, shared);
    DistillSettings settings = quick_settings(80);
    settings.root_rate = 0.01;
    settings.ground_weight = weight;
    settings.boxes = stage.boxes;
    const Outcome outcome = run(stage, shared, prior, settings, stage.start);
    depth.push_back(energy_of(ground, outcome.motion));
    EXPECT_EQ(outcome.report.history.back().ground > 0.01, weight == 0);
  }
  EXPECT_GT(depth[0], 0.01);
  EXPECT_LT(depth[1], 0.1 * depth[0]);
}

TEST(Distill, LimitsHoldJointsBack) {
  ToyStage stage = toy_stage();
  rig::RigDraft draft;
  draft.joints.assign(stage.rig.joints().begin(), stage.rig.joints().end());
  for (rig::Joint& joint : draft.joints) joint.limits = {{-0.1f, -0.1f, -0.1f}, {0.1f, 0.1f, 0.1f}};
  stage.rig = rig::build_rig(std::move(draft)).value();
  const auto shared = std::make_shared<std::vector<scene::Camera>>();
  std::vector<double> beyond;
  for (const double weight : {0.0, 10.0}) {
    TargetPrior prior(stage, shared);
    DistillSettings settings = quick_settings(60);
    settings.limit_weight = weight;
    beyond.push_back(
        energy_of(kinematics::LimitEnergy(stage.rig), run(stage, shared, prior, settings, stage.start).motion));
  }
  EXPECT_GT(beyond[0], 1e-3);
  EXPECT_LT(beyond[1], 0.3 * beyond[0]);
}

/// Wants the root's height to be one.
class HeightEnergy final : public kinematics::MotionEnergy {
 public:
  double add(const Motion& motion, double scale, kinematics::MotionGradient& gradient) const override {
    kinematics::size_gradient(motion, gradient);
    double sum = 0;
    const auto share = 1 / static_cast<double>(motion.frame_count());
    for (std::size_t f = 0; f < motion.root_translations.size(); ++f) {
      const double gap = double(motion.root_translations[f].y) - 1;
      sum += gap * gap;
      gradient.root_translations[f].y += static_cast<float>(2 * scale * share * gap);
    }
    return share * sum;
  }
};

TEST(Distill, AddsEnergiesOfTheCaller) {
  const ToyStage stage = toy_stage();
  const auto shared = std::make_shared<std::vector<scene::Camera>>();
  NoisePrior prior(0);
  DistillSettings settings = quick_settings(100);
  settings.root_rate = 0.02;
  settings.extra.push_back({"height", 2, std::make_shared<HeightEnergy>()});
  const Outcome outcome = run(stage, shared, prior, settings, stage.start);
  EXPECT_NEAR(outcome.report.history[0].extra, 2, 1e-6);
  EXPECT_LT(outcome.report.history.back().extra, 0.1);
  EXPECT_GT(outcome.motion.root_translations[2].y, 0.8f);
}

TEST(Distill, LeavesJointsThatAreNotFreeAndTheWayWithoutARate) {
  const ToyStage stage = toy_stage();
  const auto shared = std::make_shared<std::vector<scene::Camera>>();
  TargetPrior prior(stage, shared);
  DistillSettings settings = quick_settings(5);
  settings.free = {false, true, false};
  settings.root_rate = 0;
  const Outcome outcome = run(stage, shared, prior, settings, stage.start);
  EXPECT_EQ(outcome.motion.root_translations, stage.start.root_translations);
  for (int f = 0; f < outcome.motion.frame_count(); ++f) {
    EXPECT_EQ(outcome.motion.frame_angles(f)[0], Vec3{});
    EXPECT_EQ(outcome.motion.frame_angles(f)[2], Vec3{});
    EXPECT_NE(outcome.motion.frame_angles(f)[1], Vec3{});
  }
}

TEST(Distill, SkipsStepsWithoutAFiniteGradient) {
  const ToyStage stage = toy_stage();
  const auto shared = std::make_shared<std::vector<scene::Camera>>();
  for (const DistillMode mode : {DistillMode::kScore, DistillMode::kDenoise}) {
    NoisePrior prior(0.5);
    prior.nan_from = 3, prior.nan_count = 4;
    DistillSettings settings = quick_settings(10);
    settings.mode = mode, settings.fits_per_denoise = 2;
    const Outcome outcome = run(stage, shared, prior, settings, stage.start);
    EXPECT_EQ(outcome.report.stop, DistillStop::kDone);
    EXPECT_EQ(outcome.report.skipped, 4);
    EXPECT_TRUE(outcome.report.history[3].skipped);
    EXPECT_FALSE(outcome.report.history[7].skipped);
    for (const Vec3& angles : outcome.motion.angles) EXPECT_TRUE(limber::is_finite(angles));
  }
}

TEST(Distill, StopsWhereThePriorHasLostItsMind) {
  const ToyStage stage = toy_stage();
  const auto shared = std::make_shared<std::vector<scene::Camera>>();
  NoisePrior prior(0.5);
  prior.nan_from = 2, prior.nan_count = 1000;
  DistillSettings settings = quick_settings(100);
  settings.max_skipped = 5;
  const Outcome outcome = run(stage, shared, prior, settings, stage.start);
  EXPECT_EQ(outcome.report.stop, DistillStop::kNotFinite);
  EXPECT_EQ(outcome.report.iterations, 7);
  EXPECT_EQ(outcome.report.skipped, 5);
}

TEST(Distill, PassesOnWhatThePriorSays) {
  const ToyStage stage = toy_stage();
  const auto shared = std::make_shared<std::vector<scene::Camera>>();
  NoisePrior prior(1);
  prior.fail_at = 2;
  scene::Scene scene = toy_scene(stage);
  Motion motion = stage.start;
  const auto report = distill(scene, toy_cameras(shared), prior, {}, quick_settings(5), motion);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().message(), "toy: out of memory");
}

TEST(Distill, IsTheSameForAnyThreadCount) {
  const ToyStage stage = toy_stage();
  const auto shared = std::make_shared<std::vector<scene::Camera>>();
  std::vector<Motion> results;
  for (const int threads : {1, 2, 4}) {
    set_thread_count(threads);
    TargetPrior prior(stage, shared, 0.3);
    DistillSettings settings = quick_settings(8);
    settings.boxes = stage.boxes;
    results.push_back(run(stage, shared, prior, settings, stage.start).motion);
  }
  set_thread_count(0);
  for (const Motion& motion : results) {
    EXPECT_EQ(motion.angles, results[0].angles);
    EXPECT_EQ(motion.root_translations, results[0].root_translations);
  }
}

TEST(Distill, TellsEveryStepAndShowsFramesNowAndThen) {
  const ToyStage stage = toy_stage();
  const auto shared = std::make_shared<std::vector<scene::Camera>>();
  NoisePrior prior(0.1);
  DistillSettings settings = quick_settings(7);
  std::vector<int> steps, shown;
  settings.on_step = [&](const DistillStep& step) { steps.push_back(step.iteration); };
  settings.preview_every = 3;
  settings.on_preview = [&](const DistillPreview& preview) {
    shown.push_back(preview.iteration);
    EXPECT_EQ(preview.frames.views, 2);
  };
  double last = -1;
  settings.progress = [&](std::string_view, double fraction) { return last = fraction, true; };
  run(stage, shared, prior, settings, stage.start);
  EXPECT_EQ(steps, (std::vector<int>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(shown, (std::vector<int>{0, 3, 6}));
  EXPECT_NEAR(last, 6.0 / 7, 1e-12);
}

TEST(Distill, RefusesBrokenContracts) {
  const ToyStage stage = toy_stage();
  const auto shared = std::make_shared<std::vector<scene::Camera>>();
  NoisePrior prior(0.1);
  scene::Scene scene = toy_scene(stage);
  const auto expect_refused = [&](const DistillSettings& settings, Motion motion) {
    EXPECT_THROW((void)distill(scene, toy_cameras(shared), prior, {}, settings, motion), ContractError);
  };
  DistillSettings settings = quick_settings(1);
  expect_refused(settings, kinematics::rest_motion(testing::toy_rig({.joints = 2}), 3, 12));
  expect_refused(settings, kinematics::rest_motion(stage.rig, 0, 12));
  settings.free = {true};
  expect_refused(settings, stage.start);
  settings = quick_settings(1);
  settings.extra.push_back({"nothing", 1, nullptr});
  expect_refused(settings, stage.start);
  settings = quick_settings(1);
  settings.mode = DistillMode::kDenoise;
  settings.score.weight = prior::NoiseWeight::kNoiseError;
  expect_refused(settings, stage.start);
}

TEST(ForwardStart, GoesAlongTheDirectionAtTheSpeed) {
  const ToyStage stage = toy_stage();
  const Motion motion = forward_start(stage.rig, 25, 8, 0.5, {3, 0, 4});
  EXPECT_EQ(motion.frame_count(), 25);
  EXPECT_EQ(motion.root_translations[0], Vec3{});
  EXPECT_NEAR(norm(motion.root_translations[16] - Vec3{0.6f, 0, 0.8f}), 0, 1e-6);
  for (const Vec3& angles : motion.angles) EXPECT_EQ(angles, Vec3{});
}

TEST(LatentEntries, CountWhatTheLossIsSummedOver) {
  prior::PriorInfo cog;  // 4 frames and 8 x 8 pixels to one latent of 16 channels
  EXPECT_EQ(latent_entries(cog, Frames(1, 49, 480, 720)), 13 * 16 * 60 * 90);
  prior::PriorInfo pixels;
  pixels.frame_step = 1, pixels.latent_channels = 3, pixels.latent_reduction = 1;
  EXPECT_EQ(latent_entries(pixels, Frames(2, 24, 64, 64)), 2 * 24 * 3 * 64 * 64);
}

}  // namespace
}  // namespace limber::distill
