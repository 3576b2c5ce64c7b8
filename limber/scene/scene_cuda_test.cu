// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Scenes on a GPU against scenes on the CPU. Compiled twice: by nvcc, where it skips without a GPU, and by the C++
// compiler with kernels emulated, which runs everywhere.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "limber/base/cuda_queue.cuh"
#include "limber/scene/scene.h"
#include "limber/scene/scene_cuda.h"
#include "limber/scene/scene_testing.h"
#include "limber/testing/tensor_file.h"

namespace limber::scene {
namespace {

using testing::relative_error;

class SceneCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    CudaQueue queue;
    if (const Status status = queue.open(); !status.ok()) GTEST_SKIP() << status.error().message();
  }
};

struct Drawn {
  Frames frames;
  kinematics::MotionGradient gradient;

  std::vector<float> flat_gradient() const {
    std::vector<float> flat;
    for (const auto* part : {&gradient.angles, &gradient.root_translations}) {
      for (const Vec3& v : *part) flat.insert(flat.end(), {v.x, v.y, v.z});
    }
    return flat;
  }
};

Drawn draw(const TestStage& stage, Device device) {
  SceneSettings settings = stage.settings;
  settings.raster.device = device;
  Scene scene(stage.rig, stage.gaussians, settings);
  Drawn drawn;
  scene.forward(stage.motion, stage.cameras, drawn.frames);
  EXPECT_TRUE(scene.status().ok()) << scene.status().error().message();
  Frames weights = drawn.frames;
  Rng rng(5);
  for (float& w : weights.values) w = static_cast<float>(rng.normal());
  scene.backward(stage.motion, stage.cameras, weights, drawn.gradient);
  EXPECT_TRUE(scene.status().ok()) << scene.status().error().message();
  return drawn;
}

void expect_like_cpu(const TestStage& stage) {
  const Drawn cpu = draw(stage, Device::kCpu), gpu = draw(stage, Device::kCuda);
  ASSERT_EQ(gpu.frames.values.size(), cpu.frames.values.size());
  std::size_t off = 0;
  for (std::size_t i = 0; i < cpu.frames.values.size(); ++i) {
    ASSERT_LE(std::abs(gpu.frames.values[i] - cpu.frames.values[i]), 1.0f / 255) << "at " << i;
    off += std::abs(gpu.frames.values[i] - cpu.frames.values[i]) > 2e-5f;
  }
  EXPECT_LE(off, 1 + cpu.frames.values.size() / 2000);
  EXPECT_LE(relative_error(gpu.flat_gradient(), cpu.flat_gradient()), 2e-4);
}

TEST_F(SceneCuda, DrawsAndDifferentiatesAsTheCpuDoes) {
  for (const bool ground : {false, true}) {
    for (const bool shadow : {false, true}) {
      for (const float hide : {-1.0f, 0.2f}) {
        if (shadow && !ground) continue;
        SCOPED_TRACE(std::string(ground ? "ground " : "") + (shadow ? "shadow " : "") + std::to_string(hide));
        TestStage stage = toy_stage(60, 2, 2);
        stage.settings.ground.visible = ground;
        if (!shadow) stage.settings.ground.shadow = 0;
        stage.settings.hide_depth = hide;
        expect_like_cpu(stage);
      }
    }
  }
}

TEST_F(SceneCuda, DrawsTheGroundFromAboveBelowAndNearTheHorizon) {
  for (const float height : {3.0f, 0.3f, 0.02f, -0.5f}) {
    SCOPED_TRACE(height);
    TestStage stage = toy_stage(20, 1, 1);
    stage.cameras = {splat::look_at({1.5f, height, 2}, {0, 0.3f, 0}, {0, 1, 0}, 0.8f, 90, 40)};
    expect_like_cpu(stage);
  }
}

TEST_F(SceneCuda, GathersTheShadowFromPixelsAllAroundTheCamera) {
  TestStage stage = toy_stage(60, 2, 1);
  for (Camera& camera : stage.cameras) {  // inside the grid: part of it is behind
    camera = splat::look_at({0.1f, 0.6f, 0.1f}, {1, 0, 0.3f}, {0, 1, 0}, 1.2f, 40, 30);
  }
  stage.cameras[1] = splat::look_at({0.1f, 0.6f, 0.1f}, {-1, 0.2f, 0.3f}, {0, 1, 0}, 1.2f, 40, 30);
  expect_like_cpu(stage);
}

TEST_F(SceneCuda, GivesTheSameBitsEveryTimeAndForAnotherBodyInBetween) {
  const TestStage stage = toy_stage(80, 2, 3), other = toy_stage(30, 2, 3, 0, 4);
  SceneSettings settings = stage.settings;
  settings.raster.device = Device::kCuda;
  Scene scene(stage.rig, stage.gaussians, settings);
  const Drawn first = draw(stage, Device::kCuda);
  for (int run = 0; run < 2; ++run) {
    Drawn again;
    scene.forward(stage.motion, stage.cameras, again.frames);
    EXPECT_EQ(again.frames.values, first.frames.values);
    scene.set_body(other.rig, other.gaussians);
    scene.forward(other.motion, other.cameras, again.frames);
    EXPECT_EQ(again.frames.values, draw(other, Device::kCuda).frames.values);
    scene.set_body(stage.rig, stage.gaussians);
  }
  EXPECT_EQ(draw(stage, Device::kCuda).flat_gradient(), first.flat_gradient());
}

TEST_F(SceneCuda, SaysWhatItCannotDo) {
  TestStage stage = toy_stage(10, 1, 1, 2);
  stage.settings.raster.device = Device::kCuda;
  Scene scene(stage.rig, stage.gaussians, stage.settings);
  Frames frames;
  scene.forward(stage.motion, stage.cameras, frames);
  ASSERT_FALSE(scene.status().ok());
  EXPECT_EQ(scene.status().error().kind, ErrorKind::kUnsupported);
  for (const float value : frames.values) ASSERT_EQ(value, 0);
}

}  // namespace
}  // namespace limber::scene
