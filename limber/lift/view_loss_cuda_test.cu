// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Render and compare on a GPU against the CPU. Compiled twice: by nvcc, where it skips without a GPU, and by the C++
// compiler with kernels emulated, which runs everywhere.
#include <gtest/gtest.h>

#include "limber/base/cuda_queue.cuh"
#include "limber/lift/ground_speed.h"
#include "limber/lift/proven_device.h"
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

TEST_F(ViewLossCuda, FindsHowFastTheGroundGoesByAsTheCpuDoes) {
  constexpr int kFrames = 5, kSize = 24;
  const scene::CourseCameras cameras = [](const scene::Course& course) {
    std::vector<scene::Camera> all;
    for (const float side : {3.0f, -3.0f}) {
      for (int f = 0; f < kFrames; ++f) {
        const Vec3 at = course.middle + static_cast<float>(f - 2) * course.velocity;
        all.push_back(splat::look_at(at + Vec3{side, 0.8f, 0}, at, {0, 1, 0}, 0.6f, kSize, kSize));
      }
    }
    return all;
  };
  scene::GroundSettings ground;
  ground.cell = 0.8f;
  const scene::Course truth{{0, 0.85f, 0.3f}, {0, 0, 0.11f}};
  Frames video(2, kFrames, kSize, kSize);
  std::vector<Vec3> pixels(static_cast<std::size_t>(kSize * kSize));
  const std::vector<scene::Camera> places = cameras(truth);
  for (std::size_t image = 0; image < places.size(); ++image) {
    scene::draw_ground(places[image], ground, pixels);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const bool body = i % kSize > 8 && i % kSize < 14 && i / kSize > 8;
      const Vec3 color = body ? Vec3{0.9f, 0.3f, 0.1f} : pixels[i];
      for (std::size_t k = 0; k < 3; ++k) {
        video.values[(3 * image + k) * pixels.size() + i] = color[static_cast<int>(k)];
      }
    }
  }
  const scene::TestStage stage = scene::toy_stage(10, 1, 1);
  scene::Scene scene = scene_on(stage, Device::kCuda);
  const GroundSearch search{{0, 0.5f, 0}, {0, 0, 1}, -0.02, 0.2, 1};
  const GroundSpeed cpu = find_ground_speed(video, cameras, ground, search);
  const GroundSpeed gpu = find_ground_speed(video, cameras, ground, search, &scene);
  ASSERT_TRUE(scene.status().ok());
  EXPECT_NEAR(gpu.course.velocity.z, cpu.course.velocity.z, 1e-6);
  EXPECT_NEAR(gpu.course.middle.z, cpu.course.middle.z, 1e-6);
  EXPECT_NEAR(gpu.course.middle.y, cpu.course.middle.y, 1e-6);
  EXPECT_NEAR(gpu.error, cpu.error, 1e-6 * cpu.error + 1e-12);
  EXPECT_NEAR(gpu.still_error, cpu.still_error, 1e-6 * cpu.still_error);
  EXPECT_NEAR(gpu.contrast, cpu.contrast, 1e-6 * cpu.contrast);
  EXPECT_NEAR(cpu.course.velocity.z, 0.11, 0.01) << "and it is right";
  EXPECT_NEAR(cpu.course.middle.y, 0.85, 0.05) << "and so is how high it keeps";
}

TEST_F(ViewLossCuda, EndsAFitWhoseGpuFailsInTheMiddle) {
  const scene::TestStage stage = scene::toy_stage(20, 1, 2);
  scene::Scene scene = scene_on(stage, Device::kCuda);
  Frames target;
  scene.forward(stage.motion, stage.cameras, target);
  kinematics::Motion motion = stage.motion, then;
  ViewFitSettings settings;
  settings.stages = {{2, 6, 0.03, 0.01}};
  int steps = 0;
  settings.progress = [&](std::string_view, double) {
    // As much as is held already: the target is not there yet.
    if (++steps == 1) scene.cuda()->queue()->set_limit(scene.cuda()->queue()->bytes());
    then = motion;
    return true;
  };
  const Result<ViewFitReport> report = fit_views(scene, stage.cameras, target, settings, motion);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind, ErrorKind::kOutOfMemory);
  EXPECT_NE(report.error().what.find("MB wanted"), std::string::npos) << report.error().what;
  EXPECT_EQ(steps, 1) << "no more steps";
  EXPECT_EQ(motion.angles, then.angles) << "nor one on black frames";
  // And it stays with what went wrong, whatever is asked of it.
  scene.set_body(stage.rig, stage.gaussians);
  scene.forward(stage.motion, stage.cameras, target);
  EXPECT_EQ(scene.status().error().kind, ErrorKind::kOutOfMemory);
}

TEST_F(ViewLossCuda, IsMadeAnewForAnotherScene) {
  const scene::TestStage stage = scene::toy_stage(20, 1, 2);
  scene::Scene scene = scene_on(stage, Device::kCuda), other = scene_on(stage, Device::kCuda);
  Frames target;
  for (scene::Scene* one : {&scene, &other}) one->forward(stage.motion, stage.cameras, target);
  const CudaViewLoss pixels(*scene.cuda(), target, 0.15f, 1);
  EXPECT_TRUE(pixels.is_of(*scene.cuda()));
  EXPECT_FALSE(pixels.is_of(*other.cuda()));

  ViewLoss loss(scene, stage.cameras, target, 0.15f, 0.3);
  kinematics::MotionGradient first, second;
  const double value = loss.add(stage.motion, 1, first).value;
  // Whoever still works on the old one fails.
  const std::shared_ptr<CudaQueue> old = scene.cuda()->queue();
  scene = scene_on(stage, Device::kCuda);
  old->fail({"gone", ""});
  EXPECT_EQ(loss.add(stage.motion, 1, second).value, value);
  EXPECT_TRUE(scene.status().ok());
  EXPECT_EQ(second.angles, first.angles);
}

TEST_F(ViewLossCuda, IsProvenOnTheBodyItself) {
  const scene::TestStage stage = scene::toy_stage(60, 1, 1);
  const ProvenDevice proven = proven_device(Device::kCuda, stage.rig, stage.gaussians);
  EXPECT_EQ(proven.device, Device::kCuda) << proven.warning;
  EXPECT_EQ(proven.warning, "");
  EXPECT_EQ(proven_device(Device::kCpu, stage.rig, stage.gaussians).device, Device::kCpu);
  const scene::TestStage shiny = scene::toy_stage(20, 1, 1, 2);
  const ProvenDevice refused = proven_device(Device::kCuda, shiny.rig, shiny.gaussians);
  EXPECT_EQ(refused.device, Device::kCpu);
  EXPECT_NE(refused.warning.find("depend on the view"), std::string::npos) << refused.warning;
}

/// A GPU that makes of a trial what it likes.
ProvenDevice proven_against(const std::function<void(DeviceTrial&)>& lie) {
  return proven_device(Device::kCuda, [&](Device device) -> Result<DeviceTrial> {
    DeviceTrial trial{std::vector<float>(8000, 0.5f), {1, 2, 3}, {4, 5, 6}};
    if (device == Device::kCuda) lie(trial);
    return trial;
  });
}

TEST(ProvenDevice, LeavesAGpuThatDrawsOtherwise) {
  EXPECT_EQ(proven_against([](DeviceTrial&) {}).device, Device::kCuda);
  EXPECT_EQ(proven_against([](DeviceTrial& t) { t.pixels[7] += 0.003f; }).device, Device::kCuda) << "one by rounding";
  EXPECT_EQ(proven_against([](DeviceTrial& t) { t.gradient[0] += 1e-4f; }).device, Device::kCuda);
  const float nothing = std::nanf("");
  const std::pair<std::function<void(DeviceTrial&)>, const char*> lies[] = {
      {[](DeviceTrial& t) { t.pixels[7] += 0.005f; }, "a pixel is off by 0.005"},
      {[&](DeviceTrial& t) { t.pixels[7] = nothing; }, "a pixel is off by"},
      {[](DeviceTrial& t) { t.pixels.assign(8000, 0.0f); }, "a pixel is off by 0.5"},
      {[](DeviceTrial& t) { t.pixels.pop_back(); }, "another number of pixels"},
      {[](DeviceTrial& t) {
         for (std::size_t i = 0; i < 6; ++i) t.pixels[i] += 3e-5f;
       },
       "6 of 8000 pixels are off"},
      {[](DeviceTrial& t) { t.gradient[0] += 2e-3f; }, "a gradient off by"},
      {[&](DeviceTrial& t) { t.gradient[2] = nothing; }, "a gradient off by"},
      {[](DeviceTrial& t) { t.gradient.clear(); }, "a gradient of another length"},
      {[](DeviceTrial& t) { t.compared[1] = -5; }, "a comparison off by"},
  };
  for (const auto& [lie, words] : lies) {
    const ProvenDevice proven = proven_against(lie);
    EXPECT_EQ(proven.device, Device::kCpu) << words;
    EXPECT_NE(in_words(proven.warning.value()).find(words), std::string::npos) << in_words(*proven.warning);
    EXPECT_NE(in_words(*proven.warning).find("drawn on the CPU"), std::string::npos);
  }
}

TEST(ProvenDevice, LeavesAGpuThatFailsAndAsksNoneWhereNoneIsWanted) {
  const ProvenDevice proven = proven_device(Device::kCuda, [](Device) -> Result<DeviceTrial> {
    return Error{"no CUDA device", "", ErrorKind::kDevice};
  });
  EXPECT_EQ(proven.device, Device::kCpu);
  EXPECT_NE(in_words(proven.warning.value()).find("no CUDA device"), std::string::npos);
  const TryDevice never = [](Device) -> Result<DeviceTrial> { throw std::runtime_error("asked"); };
  EXPECT_FALSE(proven_device(Device::kCpu, never).warning);
}

}  // namespace
}  // namespace limber::lift
