// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// What pictures on a GPU say of joints. Compiled twice: by nvcc, where it skips without a GPU, and by the C++ compiler
// with kernels emulated, which runs everywhere.
#include <gtest/gtest.h>

#include "limber/base/cuda_queue.cuh"
#include "limber/lift/observability.h"
#include "limber/scene/scene_cuda.h"
#include "limber/testing/toy_rigs.h"

namespace limber::lift {
namespace {

class ObserveCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    CudaQueue queue;
    if (const Status status = queue.open(); !status.ok()) GTEST_SKIP() << status.error().message();
  }
};

/// Dots of many colours along a chain, each on two bones.
scene::Scene dotted(const rig::Rig& rig, Device device) {
  splat::Gaussians cloud;
  cloud.influences = 4;
  Rng rng(7);
  const int bones = rig.bone_count();
  for (int i = 0; i < 90; ++i) {
    const int bone = i % bones;
    const Vec3 joint = rig.world_from_rest()[static_cast<std::size_t>(rig.bones()[bone].joint)].translation;
    cloud.means.push_back(joint + testing::random_vector(rng, 0.2)), cloud.rotations.push_back({});
    cloud.scales.push_back({0.05f, 0.07f, 0.05f}), cloud.opacities.push_back(0.9f);
    Vec3 color;
    for (int k = 0; k < 3; ++k) color[k] = static_cast<float>(rng.uniform(0.05, 0.95));
    cloud.harmonics.push_back(splat::harmonic_from_color(color));
    cloud.bones.insert(cloud.bones.end(),
                       {static_cast<std::uint16_t>(bone), static_cast<std::uint16_t>((bone + 1) % bones), 0, 0});
    cloud.weights.insert(cloud.weights.end(), {0.7f, 0.3f, 0.0f, 0.0f});
  }
  scene::SceneSettings settings;
  settings.raster.device = device;
  settings.ground.visible = false, settings.hide_depth = -1;
  return {rig, cloud, settings};
}

TEST_F(ObserveCuda, TellsOfJointsWhatTheCpuTells) {
  const rig::Rig rig = testing::toy_rig({.shape = testing::ToyShape::kChain, .joints = 4, .seed = 2});
  kinematics::Motion motion = kinematics::rest_motion(rig, 3, 12);
  for (std::size_t i = 0; i < motion.angles.size(); ++i) motion.angles[i] = {0.1f * static_cast<float>(i % 5), 0.2f, 0};
  std::vector<scene::Camera> cameras;
  for (int view = 0; view < 2; ++view) {
    for (int frame = 0; frame < 3; ++frame) {
      const Vec3 eye{view == 0 ? 3.0f : -2.0f, 0.5f + 0.1f * static_cast<float>(frame), 2};
      cameras.push_back(splat::look_at(eye, {0, 0, 0}, {0, 1, 0}, 0.9f, 40, 32));
    }
  }
  for (const std::vector<bool>& free : {std::vector<bool>(), std::vector<bool>{true, false, true, true}}) {
    scene::Scene cpu = dotted(rig, Device::kCpu), gpu = dotted(rig, Device::kCuda);
    const Observability here = observe(cpu, cameras, motion, free), there = observe(gpu, cameras, motion, free);
    ASSERT_TRUE(gpu.status().ok()) << gpu.status().error().message();
    ASSERT_EQ(there.confidence.size(), here.confidence.size());
    float most = 0;
    for (std::size_t i = 0; i < here.confidence.size(); ++i) {
      EXPECT_NEAR(there.confidence[i], here.confidence[i], 1e-3f) << i;
      EXPECT_NEAR(there.sigma[i], here.sigma[i], 1e-3f) << i;
      most = std::max(most, here.confidence[i]);
    }
    EXPECT_GT(most, 0.1f);
    EXPECT_EQ(there.sources, here.sources);
    const Observability again = observe(gpu, cameras, motion, free);
    EXPECT_EQ(again.confidence, there.confidence) << "other bits";
    EXPECT_EQ(again.sigma, there.sigma) << "other bits";
  }
}

TEST_F(ObserveCuda, FailsWithTheScene) {
  const rig::Rig rig = testing::toy_rig({.shape = testing::ToyShape::kChain, .joints = 3, .seed = 2});
  scene::Scene scene = dotted(rig, Device::kCuda);
  const kinematics::Motion motion = kinematics::rest_motion(rig, 1, 12);
  const scene::Camera camera = splat::look_at({3, 0.5f, 2}, {0, 0, 0}, {0, 1, 0}, 0.9f, 24, 24);
  ASSERT_TRUE(scene.forward_on_device(motion, std::span(&camera, 1)).ok());
  scene.cuda()->queue()->fail({"broken", ""});
  for (const float confidence : observe(scene, std::span(&camera, 1), motion, {}).confidence) EXPECT_EQ(confidence, 0);
  EXPECT_FALSE(scene.status().ok());
}

}  // namespace
}  // namespace limber::lift
