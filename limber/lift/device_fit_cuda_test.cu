// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Fits that stay on the GPU against those of the CPU. Compiled twice: by nvcc, where it skips without a GPU, and by the
// C++ compiler with kernels emulated, which runs everywhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "limber/base/cuda_queue.cuh"
#include "limber/lift/device_fit.h"
#include "limber/scene/scene_cuda.h"
#include "limber/scene/scene_testing.h"

namespace limber::lift {
namespace {

using kinematics::Motion;

/// Draws a motion towards another, strongly.
class Pull final : public kinematics::MotionEnergy {
 public:
  explicit Pull(Motion to, bool plain = true, double turns = 0) : to_(std::move(to)), plain_(plain), turns_(turns) {}
  double add(const Motion& motion, double scale, kinematics::MotionGradient& gradient) const override {
    kinematics::size_gradient(motion, gradient);
    double sum = 0;
    const auto draw = [&](Vec3 way, double weight, Vec3& slope) {
      sum += weight * double(squared_norm(way));
      slope += static_cast<float>(2 * scale * weight) * way;
    };
    for (std::size_t i = 0; i < motion.root_translations.size(); ++i) {
      draw(motion.root_translations[i] - to_.root_translations[i], 1, gradient.root_translations[i]);
    }
    for (std::size_t i = 0; i < motion.angles.size(); ++i) {
      draw(motion.angles[i] - to_.angles[i], turns_, gradient.angles[i]);
    }
    return sum;
  }
  std::optional<kinematics::EnergyForm> form() const override {
    if (!plain_) return std::nullopt;
    kinematics::EnergyForm form;
    form.kind = kinematics::EnergyForm::Kind::kPull;
    form.roots = to_.root_translations, form.angles = to_.angles;
    form.root_weights.assign(form.roots.size(), 1.0), form.angle_weights.assign(form.angles.size(), turns_);
    return form;
  }

 private:
  Motion to_;
  bool plain_;
  double turns_;
};

double largest_angle(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (int k = 0; k < 3; ++k) most = std::max(most, std::abs(double(a[i][k]) - double(b[i][k])));
  }
  return most;
}

class DeviceFitCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    CudaQueue queue;
    if (const Status status = queue.open(); !status.ok()) GTEST_SKIP() << status.error().message();
    stage_ = std::make_unique<scene::TestStage>(scene::toy_stage(24, 1, 3));
    set_target();
    settings_.stages = {{2, 11, 0.03, 0.01}, {0.5f, 9, 0.02, 0.006}};
    settings_.body_share = 0.3;
    settings_.free.assign(6, true);
    settings_.free[4] = false;
  }
  void set_target() {
    scene_on(Device::kCpu).forward(scene::random_motion(stage_->rig, 3, 0.3, 77), stage_->cameras, target_);
  }
  scene::Scene scene_on(Device device) const {
    scene::SceneSettings settings = stage_->settings;
    settings.raster.device = device;
    return {stage_->rig, stage_->gaussians, settings};
  }
  struct Fitted {
    Motion motion;
    ViewFitReport report;
    int grown = 0;
  };
  Fitted fit(Device device, const Motion& start, std::uint64_t least_room = 0) const {
    scene::Scene scene = scene_on(device);
    if (device == Device::kCuda) {
      EXPECT_TRUE(scene.forward_on_device(start, stage_->cameras).ok());
      scene.cuda()->set_least_room(least_room);
    }
    Fitted fitted{start, {}, 0};
    const Result<ViewFitReport> report = fit_views(scene, stage_->cameras, target_, settings_, fitted.motion);
    EXPECT_TRUE(report.ok()) << report.error().message();
    if (report.ok()) fitted.report = *report;
    if (device == Device::kCuda) fitted.grown = scene.cuda()->grown();
    return fitted;
  }
  void expect_like_cpu(const Fitted& gpu, const Fitted& cpu, double share = 0.02) const {
    const double way = largest_angle(cpu.motion.angles, stage_->motion.angles);
    EXPECT_GT(way, 0.1);
    EXPECT_LT(largest_angle(gpu.motion.angles, cpu.motion.angles), share * way);
    EXPECT_LT(largest_angle(gpu.motion.root_translations, cpu.motion.root_translations), 0.005);
    EXPECT_EQ(gpu.report.iterations, cpu.report.iterations);
    EXPECT_EQ(gpu.report.not_finite, cpu.report.not_finite);
    EXPECT_NEAR(gpu.report.loss, cpu.report.loss, 5e-3 * cpu.report.loss);
    EXPECT_NEAR(gpu.report.residual, cpu.report.residual, 5e-3 * cpu.report.residual);
    ASSERT_EQ(gpu.report.frame_residuals.size(), cpu.report.frame_residuals.size());
    for (std::size_t f = 0; f < cpu.report.frame_residuals.size(); ++f) {
      EXPECT_NEAR(gpu.report.frame_residuals[f], cpu.report.frame_residuals[f], 0.01 * cpu.report.frame_residuals[f]);
    }
  }

  std::unique_ptr<scene::TestStage> stage_;
  Frames target_;
  ViewFitSettings settings_;
};

TEST_F(DeviceFitCuda, GoesWhereTheCpuGoesWithEveryEnergy) {
  rig::BoneBox box;
  box.joint = 2, box.half = {0.3f, 0.4f, 0.3f};
  const auto ground = std::make_shared<kinematics::GroundEnergy>(stage_->rig, std::vector<rig::BoneBox>{box});
  const auto pull = std::make_shared<Pull>(scene::random_motion(stage_->rig, 3, 0.3, 77));
  settings_.energies = {{"pull", 0.3, pull}, {"ground", 0.5, ground}};
  scene::Scene scene = scene_on(Device::kCuda);
  ASSERT_NE(DeviceFit::make(scene, settings_, stage_->motion), nullptr);
  const Fitted cpu = fit(Device::kCpu, stage_->motion), gpu = fit(Device::kCuda, stage_->motion);
  expect_like_cpu(gpu, cpu);
  EXPECT_EQ(gpu.motion.angles[4], stage_->motion.angles[4]) << "not free";
  const Fitted again = fit(Device::kCuda, stage_->motion);
  EXPECT_EQ(again.motion.angles, gpu.motion.angles);
  EXPECT_EQ(again.motion.root_translations, gpu.motion.root_translations);
  EXPECT_EQ(again.report.loss, gpu.report.loss);
}

TEST_F(DeviceFitCuda, ComparesHalvedPicturesToo) {
  stage_->cameras = scene::test_cameras(1, 3, 48, 48);
  set_target();
  settings_.stages = {{4, 5, 0.03, 0.01, true}, {1, 4, 0.02, 0.006}};
  expect_like_cpu(fit(Device::kCuda, stage_->motion), fit(Device::kCpu, stage_->motion));
}

TEST_F(DeviceFitCuda, DoesStepsAgainForWhichThereWasNoRoom) {
  // Out of every picture at first, and drawn into them: tile lists are empty where the fit begins.
  Motion start = stage_->motion;
  for (Vec3& root : start.root_translations) root += Vec3{0, -4, 0};
  stage_->settings.hide_depth = -1, stage_->settings.ground.shadow = 0;
  set_target();
  settings_.stages = {{1, 21, 0.02, 0.3}};
  settings_.energies = {{"pull", 5, std::make_shared<Pull>(stage_->motion)}};
  const Fitted narrow = fit(Device::kCuda, start), wide = fit(Device::kCuda, start, 100000);
  EXPECT_GE(narrow.grown, 1);
  EXPECT_EQ(wide.grown, 0);
  EXPECT_EQ(narrow.motion.angles, wide.motion.angles) << "nobody can tell";
  EXPECT_EQ(narrow.motion.root_translations, wide.motion.root_translations);
  EXPECT_EQ(narrow.report.loss, wide.report.loss);
  EXPECT_EQ(narrow.report.iterations, 21);
  expect_like_cpu(narrow, fit(Device::kCpu, start), 0.05);
}

TEST_F(DeviceFitCuda, GrowsTheShadowsGridWithTheBody) {
  // From the pose of many that takes the least room on the ground to that which takes the most.
  const scene::Scene scene = scene_on(Device::kCpu);
  const auto width = [&](const Motion& motion) {
    float most = 0;
    for (const scene::Box& box : scene.frame_boxes(motion)) most = std::max(most, box.size().x);
    return most;
  };
  Motion start = stage_->motion, end = start;
  for (std::uint64_t seed = 1; seed < 200; ++seed) {
    const Motion motion = scene::random_motion(stage_->rig, 3, 1.5, seed);
    if (width(motion) < width(start)) start = motion;
    if (width(motion) > width(end)) end = motion;
  }
  stage_->settings.ground.shadow_blur = 0.03f;
  settings_.stages = {{1, 18, 0.3, 0.05}};
  settings_.free.clear();
  settings_.energies = {{"pull", 50, std::make_shared<Pull>(end, true, 1)}};
  const Fitted gpu = fit(Device::kCuda, start), cpu = fit(Device::kCpu, start);
  EXPECT_GE(gpu.grown, 1) << width(start) << " to " << width(end);
  EXPECT_NEAR(gpu.report.loss, cpu.report.loss, 0.02 * cpu.report.loss);
  EXPECT_LT(largest_angle(gpu.motion.angles, cpu.motion.angles), 0.05);
}

TEST_F(DeviceFitCuda, LeavesToTheCpuWhatHasNoForm) {
  settings_.energies = {{"pull", 0.3, std::make_shared<Pull>(stage_->motion, false)}};
  scene::Scene scene = scene_on(Device::kCuda), other = scene_on(Device::kCpu);
  EXPECT_EQ(DeviceFit::make(scene, settings_, stage_->motion), nullptr);
  settings_.energies.clear();
  EXPECT_EQ(DeviceFit::make(other, settings_, stage_->motion), nullptr);
  Motion stretched = stage_->motion;
  stretched.overrides.push_back({1, {}, std::vector<Vec3>(3, Vec3{2, 2, 2})});
  EXPECT_EQ(DeviceFit::make(scene, settings_, stretched), nullptr);
}

TEST_F(DeviceFitCuda, FitsBodiesWiderThanTheShadowsFinestGrid) {
  for (Vec3& mean : stage_->gaussians.means) mean.x *= 8;
  set_target();
  settings_.stages = {{1, 5, 0.03, 0.01}};
  scene::Scene scene = scene_on(Device::kCuda);
  ASSERT_TRUE(scene.forward_on_device(stage_->motion, stage_->cameras).ok());
  EXPECT_FALSE(scene.cuda()->start_unwaited());
  expect_like_cpu(fit(Device::kCuda, stage_->motion), fit(Device::kCpu, stage_->motion));
}

TEST_F(DeviceFitCuda, FitsOnSeveralThreadsAsOnOne) {
  settings_.stages = {{1, 5, 0.03, 0.01}};
  const Fitted alone = fit(Device::kCuda, stage_->motion);
  std::vector<Fitted> beside(3);
  std::vector<std::thread> threads;
  for (Fitted& one : beside) threads.emplace_back([&, this] { one = fit(Device::kCuda, stage_->motion); });
  for (std::thread& thread : threads) thread.join();
  for (const Fitted& one : beside) EXPECT_EQ(one.motion.angles, alone.motion.angles);
}

TEST_F(DeviceFitCuda, StopsWhenItIsToldTo) {
  settings_.stages = {{1, 40, 0.03, 0.01}};
  int asked = 0;
  settings_.progress = [&](std::string_view, double share) {
    EXPECT_GE(share, 0);
    return ++asked < 3;
  };
  scene::Scene scene = scene_on(Device::kCuda);
  Motion motion = stage_->motion;
  const Result<ViewFitReport> report = fit_views(scene, stage_->cameras, target_, settings_, motion);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind, ErrorKind::kCancelled);
  EXPECT_EQ(asked, 3);
}

}  // namespace
}  // namespace limber::lift
