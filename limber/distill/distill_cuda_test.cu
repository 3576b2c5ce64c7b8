// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Distillation of scenes on a GPU. Compiled twice: by nvcc, where it skips without a GPU, and by the C++ compiler with
// kernels emulated, which runs everywhere.
#include <gtest/gtest.h>

#include <filesystem>

#include "limber/base/cuda_queue.cuh"
#include "limber/distill/distill_testing.h"
#include "limber/scene/scene_cuda.h"

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
  Motion cpu = stage_.start, gpu = stage_.start;
  ASSERT_TRUE(run(Device::kCpu, cpu).ok());
  ASSERT_TRUE(run(Device::kCuda, gpu).ok());
  const double way = distance(stage_, stage_.start, cpu);
  EXPECT_GT(way, 0.01);
  EXPECT_LT(distance(stage_, gpu, cpu), 0.01 * way);
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

INSTANTIATE_TEST_SUITE_P(Modes, DistillCuda, ::testing::Values(DistillMode::kScore, DistillMode::kDenoise));

}  // namespace
}  // namespace limber::distill
