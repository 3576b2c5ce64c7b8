// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Distillation of scenes on a GPU. Compiled twice: by nvcc, where it skips without a GPU, and by the C++ compiler with
// kernels emulated, which runs everywhere.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "limber/base/cuda_queue.cuh"
#include "limber/distill/distill_testing.h"
#include "limber/prior/sketch_denoiser.h"
#include "limber/prior/sketch_denoiser_cuda.h"
#include "limber/prior/sketch_files_testing.h"
#include "limber/prior/sketch_prior.h"
#include "limber/scene/scene_cuda.h"
#include "limber/testing/shared_data.h"

namespace limber::distill {
namespace {

using kinematics::Motion;

class DistillCuda : public ::testing::TestWithParam<DistillMode> {
 protected:
  void SetUp() override {
    CudaQueue queue;
    if (const Status status = queue.open(); !status.ok()) GTEST_SKIP() << status.error().message();
    settings_.mode = GetParam(), settings_.iterations = 6, settings_.fits_per_denoise = 3;
    settings_.angle_rate = 0.03, settings_.smooth_weight = 0.002;
  }
  Result<DistillReport> run(Device device, Motion& motion, int fail_at = -1) {
    scene::Scene scene = toy_scene(stage_, device);
    TargetPrior prior(stage_, shared_, 0.2);
    DistillSettings settings = settings_;
    settings.on_step = [&](const DistillStep& step) {
      // As the next backward pass finds it: a step begins with a forward pass, which must still be done.
      if (step.iteration == fail_at - 1) prior.on_score = [&] { scene.cuda()->queue()->fail({"broken", ""}); };
    };
    return distill(scene, toy_cameras(shared_), prior, {}, settings, motion);
  }

  ToyStage stage_ = toy_stage(3);
  SharedCameras shared_ = std::make_shared<std::vector<scene::Camera>>();
  DistillSettings settings_;
};

TEST_P(DistillCuda, GoesWhereTheCpuGoes) {
  settings_.boxes = stage_.boxes, settings_.ground_weight = 0.01;
  settings_.free = {true, true, false};
  Motion cpu = stage_.start, gpu = stage_.start;
  const Result<DistillReport> here = run(Device::kCpu, cpu), there = run(Device::kCuda, gpu);
  ASSERT_TRUE(here.ok() && there.ok());
  const double way = distance(stage_, stage_.start, cpu);
  EXPECT_GT(way, 0.01);
  EXPECT_LT(distance(stage_, gpu, cpu), 0.01 * way);
  EXPECT_EQ(gpu.angles[2], stage_.start.angles[2]) << "not free";
  ASSERT_EQ(there->history.size(), here->history.size());
  for (std::size_t i = 0; i < here->history.size(); ++i) {
    const DistillStep &a = here->history[i], &b = there->history[i];
    for (double DistillStep::*field :
         {&DistillStep::sds, &DistillStep::smooth, &DistillStep::ground, &DistillStep::limits, &DistillStep::extra,
          &DistillStep::total, &DistillStep::fitted, &DistillStep::sds_gradient, &DistillStep::energy_gradient}) {
      EXPECT_NEAR(b.*field, a.*field, 0.02 * std::abs(a.*field) + 1e-9) << i;
    }
    EXPECT_FALSE(b.skipped);
  }
}

TEST_P(DistillCuda, KeepsExtraEnergiesWhereverTheyAreComputed) {
  class Lean final : public kinematics::MotionEnergy {
   public:
    explicit Lean(bool plain) : plain_(plain) {}
    double add(const Motion& motion, double scale, kinematics::MotionGradient& gradient) const override {
      kinematics::size_gradient(motion, gradient);
      double sum = 0;
      for (std::size_t i = 0; i < motion.angles.size(); ++i) {
        const Vec3 way = motion.angles[i] - Vec3{0.2f, 0, 0};
        sum += 0.01 * double(squared_norm(way));
        gradient.angles[i] += static_cast<float>(0.02 * scale) * way;
      }
      return sum;
    }
    std::optional<kinematics::EnergyForm> form() const override {
      if (!plain_) return std::nullopt;
      kinematics::EnergyForm form;
      form.kind = kinematics::EnergyForm::Kind::kPull;
      form.roots.resize(3), form.root_weights.resize(3);
      form.angles.assign(9, Vec3{0.2f, 0, 0}), form.angle_weights.assign(9, 0.01);
      return form;
    }

   private:
    bool plain_;
  };
  Motion ends[2] = {stage_.start, stage_.start};
  double extras[2] = {};
  for (const bool plain : {false, true}) {
    settings_.extra = {{"lean", 3, std::make_shared<Lean>(plain)}};
    const Result<DistillReport> report = run(Device::kCuda, ends[plain]);
    ASSERT_TRUE(report.ok());
    extras[plain] = report->history.back().extra;
  }
  const double way = distance(stage_, stage_.start, ends[0]);
  EXPECT_GT(way, 0.01);
  EXPECT_LT(distance(stage_, ends[1], ends[0]), 0.01 * way);
  EXPECT_GT(extras[0], 0);
  EXPECT_NEAR(extras[1], extras[0], 0.02 * extras[0]);
}

TEST_P(DistillCuda, SkipsWhatIsNotFinite) {
  scene::Scene scene = toy_scene(stage_, Device::kCuda);
  NoisePrior prior(0.5);
  prior.nan_from = 1;
  settings_.iterations = 3;
  Motion motion = stage_.start;
  const Result<DistillReport> report = distill(scene, toy_cameras(shared_), prior, {}, settings_, motion);
  ASSERT_TRUE(report.ok()) << report.error().message();
  ASSERT_EQ(report->history.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(report->history[static_cast<std::size_t>(i)].skipped, i == 1) << i;
}

TEST_P(DistillCuda, IsResumedFromTheLastWholeIterationOfAGpuThatFailed) {
  Motion whole = stage_.start, broken = stage_.start;
  ASSERT_TRUE(run(Device::kCuda, whole).ok());
  settings_.checkpoint = std::filesystem::path(::testing::TempDir()) / "distill_cuda_test.checkpoint";
  std::filesystem::remove(settings_.checkpoint);
  const Result<DistillReport> failed = run(Device::kCuda, broken, 3);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().what, "broken");

  // What was drawn elsewhere is not the same to the bit, so the rest of it is not drawn here.
  Motion other = stage_.start;
  const Result<DistillReport> refused = run(Device::kCpu, other);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::kConflict);
  EXPECT_NE(refused.error().what.find("drawn on"), std::string::npos) << refused.error().what;

  Motion resumed = stage_.start;
  const Result<DistillReport> report = run(Device::kCuda, resumed);
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_EQ(report->resumed_from, 3);
  EXPECT_EQ(resumed.angles, whole.angles);
  EXPECT_EQ(resumed.root_translations, whole.root_translations);
  std::filesystem::remove(settings_.checkpoint);
}

/// With a prior that looks at frames where they are drawn.
class DistillThereCuda : public DistillCuda {
 protected:
  void SetUp() override {
    DistillCuda::SetUp();
    if (IsSkipped()) return;
    settings_.iterations = 2, settings_.denoise_steps = GetParam() == DistillMode::kDenoise ? 3 : 1;
    settings_.score.guidance = 2, settings_.score.draws = 2;
    prior::write_weights(model_, folder_.path());
    here_ =
        std::make_unique<prior::SketchPrior>(model_, prior::SketchDenoiser::open(model_, folder_.path()).value(), "p");
    there_ = std::make_unique<prior::SketchPrior>(model_,
                                                  prior::CudaSketchNetwork::open(model_, folder_.path()).value(), "p");
    condition_ = here_->condition({"a fox trots", ""}, nullptr).value();
  }
  /// The toy, `views` times seen by 16 x 16 pixels.
  Result<DistillReport> follow(Device device, prior::VideoPrior& prior, Motion& motion, int views = 2) {
    scene::Scene scene = toy_scene(four_, device);
    return distill(scene, toy_cameras(shared_, views, 16), prior, condition_, settings_, motion);
  }

  prior::SketchModel model_ = prior::tiny();
  testing::TemporaryFolder folder_;
  std::unique_ptr<prior::SketchPrior> here_, there_;
  prior::Condition condition_;
  ToyStage four_ = toy_stage(4);
};

TEST_P(DistillThereCuda, GoesWhereTheCpuGoesAndTheSameWayTwice) {
  for (const int views : {2, 4}) {
    Motion cpu = four_.start, gpu = four_.start, again = four_.start;
    const Result<DistillReport> here = follow(Device::kCpu, *here_, cpu, views);
    const Result<DistillReport> there = follow(Device::kCuda, *there_, gpu, views);
    ASSERT_TRUE(here.ok() && there.ok());
    const double way = distance(four_, four_.start, cpu);
    EXPECT_GT(way, 0.001);
    EXPECT_LT(distance(four_, gpu, cpu), 0.02 * way) << views;
    for (std::size_t i = 0; i < here->history.size(); ++i) {
      const DistillStep &a = here->history[i], &b = there->history[i];
      for (double DistillStep::*field : {&DistillStep::sds, &DistillStep::total, &DistillStep::fitted,
                                         &DistillStep::sds_gradient, &DistillStep::latent_gradient}) {
        EXPECT_NEAR(b.*field, a.*field, 0.02 * std::abs(a.*field) + 1e-9) << i;
      }
      EXPECT_EQ(a.timestep, b.timestep);
      EXPECT_FALSE(b.skipped);
    }
    ASSERT_TRUE(follow(Device::kCuda, *there_, again, views).ok());
    EXPECT_EQ(again.angles, gpu.angles);
    EXPECT_EQ(again.root_translations, gpu.root_translations);
  }
}

TEST_P(DistillThereCuda, AsksOnceWhereThatIsWanted) {
  settings_.denoise_steps = 1, settings_.iterations = 1;
  Motion cpu = four_.start, gpu = four_.start;
  const Result<DistillReport> here = follow(Device::kCpu, *here_, cpu), there = follow(Device::kCuda, *there_, gpu);
  ASSERT_TRUE(here.ok() && there.ok());
  EXPECT_NEAR(there->history[0].sds, here->history[0].sds, 1e-3 * here->history[0].sds);
  EXPECT_LT(distance(four_, gpu, cpu), 0.02 * distance(four_, four_.start, cpu));
}

TEST_P(DistillThereCuda, ShowsWhatThePriorSees) {
  Frames shown[2];
  for (const bool gpu : {false, true}) {
    settings_.preview_every = 1;
    settings_.on_preview = [&](const DistillPreview& preview) { shown[gpu] = preview.frames; };
    Motion motion = four_.start;
    ASSERT_TRUE(follow(gpu ? Device::kCuda : Device::kCpu, gpu ? *there_ : *here_, motion).ok());
  }
  ASSERT_EQ(shown[1].values.size(), shown[0].values.size());
  for (std::size_t i = 0; i < shown[0].values.size(); ++i) ASSERT_NEAR(shown[1].values[i], shown[0].values[i], 0.02);
}

TEST_P(DistillThereCuda, IsStoppedAndGoesOnWithTheSameBits) {
  Motion whole = four_.start, parts = four_.start;
  ASSERT_TRUE(follow(Device::kCuda, *there_, whole).ok());
  settings_.checkpoint = folder_.path() / "run";
  settings_.progress = [](std::string_view, double done) { return done < 0.5; };
  const Result<DistillReport> stopped = follow(Device::kCuda, *there_, parts);
  ASSERT_TRUE(stopped.ok());
  EXPECT_EQ(stopped->stop, DistillStop::kCancelled);
  EXPECT_EQ(stopped->iterations, 1);
  settings_.progress = nullptr;
  parts = four_.start;
  const Result<DistillReport> resumed = follow(Device::kCuda, *there_, parts);
  ASSERT_TRUE(resumed.ok()) << resumed.error().message();
  EXPECT_EQ(resumed->resumed_from, 1);
  EXPECT_EQ(parts.angles, whole.angles);
  EXPECT_EQ(parts.root_translations, whole.root_translations);
}

TEST_P(DistillThereCuda, TakesStepsHereWhereTheGpuCannot) {
  // What it has no form of must be added on the CPU.
  class Nothing final : public kinematics::MotionEnergy {
   public:
    double add(const Motion& motion, double, kinematics::MotionGradient& gradient) const override {
      kinematics::size_gradient(motion, gradient);
      return 0;
    }
  };
  Motion alone = four_.start, by_steps = four_.start;
  ASSERT_TRUE(follow(Device::kCuda, *there_, alone).ok());
  settings_.extra = {{"nothing", 1, std::make_shared<Nothing>()}};
  ASSERT_TRUE(follow(Device::kCuda, *there_, by_steps).ok());
  EXPECT_LT(distance(four_, by_steps, alone), 0.02 * distance(four_, four_.start, alone));
}

INSTANTIATE_TEST_SUITE_P(Modes, DistillThereCuda, ::testing::Values(DistillMode::kScore, DistillMode::kDenoise));
INSTANTIATE_TEST_SUITE_P(Modes, DistillCuda, ::testing::Values(DistillMode::kScore, DistillMode::kDenoise));

}  // namespace
}  // namespace limber::distill
