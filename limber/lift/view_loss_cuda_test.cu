// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Render and compare on a GPU against the CPU. Compiled twice: by nvcc, where it skips without a GPU, and by the C++
// compiler with kernels emulated, which runs everywhere.
#include <gtest/gtest.h>

#include "limber/base/cuda_queue.cuh"
#include "limber/lift/view_fit.h"
#include "limber/lift/view_loss_cuda.h"
#include "limber/scene/scene_testing.h"
#include "limber/testing/tensor_file.h"

namespace limber::lift {
namespace {

class ViewLossCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    CudaQueue queue;
    if (const Status status = queue.open(); !status.ok()) GTEST_SKIP() << status.error().message();
  }
};

scene::Scene scene_on(const scene::TestStage& stage, Device device) {
  scene::SceneSettings settings = stage.settings;
  settings.raster.device = device;
  return {stage.rig, stage.gaussians, settings};
}

std::vector<float> flat(const std::vector<Vec3>& from) {
  std::vector<float> to;
  for (const Vec3& v : from) to.insert(to.end(), {v.x, v.y, v.z});
  return to;
}

TEST_F(ViewLossCuda, GivesTheLossAndGradientOfTheCpu) {
  const scene::TestStage stage = scene::toy_stage(60, 2, 3);
  Frames target;
  scene_on(stage, Device::kCpu).forward(scene::random_motion(stage.rig, 3, 0.3, 77), stage.cameras, target);
  for (const float blur : {0.0f, 0.7f, 4.0f}) {
    SCOPED_TRACE(blur);
    PixelLoss losses[2];
    kinematics::MotionGradient gradients[2];
    for (const Device device : {Device::kCpu, Device::kCuda}) {
      scene::Scene scene = scene_on(stage, device);
      ViewLoss loss(scene, stage.cameras, target, 0.15f, 0.3);
      const int k = device == Device::kCuda;
      losses[k] = loss.add(stage.motion, blur, gradients[k]);
      ASSERT_TRUE(scene.status().ok()) << scene.status().error().message();
      // Again, with buffers that are there already: the same bits.
      kinematics::MotionGradient again;
      EXPECT_EQ(loss.add(stage.motion, blur, again).value, losses[k].value);
      EXPECT_EQ(again.angles, gradients[k].angles);
    }
    EXPECT_NEAR(losses[1].value, losses[0].value, 1e-5 * losses[0].value);
    EXPECT_NEAR(losses[1].squares, losses[0].squares, 1e-4 * losses[0].squares);
    EXPECT_NEAR(losses[1].body, losses[0].body, 2);
    ASSERT_EQ(losses[1].frame_body.size(), losses[0].frame_body.size());
    for (std::size_t f = 0; f < 3; ++f) {
      EXPECT_NEAR(losses[1].frame_squares[f], losses[0].frame_squares[f], 1e-4 * losses[0].squares);
      EXPECT_NEAR(losses[1].frame_body[f], losses[0].frame_body[f], 2);
    }
    EXPECT_LE(testing::relative_error(flat(gradients[1].angles), flat(gradients[0].angles)), 2e-4);
    EXPECT_LE(testing::relative_error(flat(gradients[1].root_translations), flat(gradients[0].root_translations)),
              2e-4);
  }
}

TEST_F(ViewLossCuda, FitsAsTheCpuDoes) {
  const scene::TestStage stage = scene::toy_stage(40, 1, 2);
  Frames target;
  scene_on(stage, Device::kCpu).forward(scene::random_motion(stage.rig, 2, 0.3, 77), stage.cameras, target);
  ViewFitSettings settings;
  settings.stages = {{2, 6, 0.03, 0.01}, {0.5f, 6, 0.02, 0.006}};
  ViewFitReport reports[2];
  for (const Device device : {Device::kCpu, Device::kCuda}) {
    scene::Scene scene = scene_on(stage, device);
    kinematics::Motion motion = stage.motion;
    const Result<ViewFitReport> report = fit_views(scene, stage.cameras, target, settings, motion);
    ASSERT_TRUE(report.ok()) << report.error().message();
    reports[device == Device::kCuda] = *report;
  }
  EXPECT_EQ(reports[1].iterations, 12);
  EXPECT_NEAR(reports[1].loss, reports[0].loss, 5e-3 * reports[0].loss);
  EXPECT_NEAR(reports[1].residual, reports[0].residual, 5e-3 * reports[0].residual);
}

}  // namespace
}  // namespace limber::lift
