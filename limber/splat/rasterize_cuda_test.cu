// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// The rasterizer on a GPU against the one on the CPU. Compiled twice: by nvcc, where it skips without a GPU, and by the
// C++ compiler with kernels emulated, which runs everywhere.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>

#include "limber/splat/parity_testing.h"
#include "limber/splat/raster_pipeline.cuh"
#include "limber/splat/test_clips.h"

namespace limber::splat {
namespace {

using testing::relative_error;

class RasterizeCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    CudaQueue queue;
    if (const Status status = queue.open(); !status.ok()) GTEST_SKIP() << status.error().message();
  }
};

Clip drawn(Clip clip, Device device) {
  clip.bind(clip.input.frame_count, clip.input.bone_count);
  clip.settings.device = device;
  RasterWorkspace workspace;
  clip.forward(workspace);
  clip.backward(workspace);
  EXPECT_TRUE(workspace.status().ok()) << workspace.status().error().message();
  return clip;
}

void expect_images(const Clip& found, const Clip& expected) {
  const std::vector<float> a = flat(found.images), b = flat(expected.images);
  ASSERT_EQ(a.size(), b.size());
  std::size_t flipped = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_LE(std::abs(a[i] - b[i]), 1.0f / 255) << "at " << i;
    flipped += std::abs(a[i] - b[i]) > 4e-6f;
  }
  EXPECT_LE(flipped, 1 + a.size() / 10000);  // where the cut at alpha 1/255 falls the other way by rounding
  EXPECT_LE(relative_error(found.alphas, expected.alphas), 2e-5);
}

void expect_gradients(const Clip& found, const Clip& expected, double tolerance = 3e-5) {
  EXPECT_LE(relative_error(flat(found.grad_means), flat(expected.grad_means)), tolerance);
  EXPECT_LE(relative_error(flat(found.grad_covariances), flat(expected.grad_covariances)), tolerance);
  EXPECT_LE(relative_error(found.grad_opacities, expected.grad_opacities), tolerance);
  EXPECT_LE(relative_error(flat(found.grad_colors), flat(expected.grad_colors)), tolerance);
  EXPECT_LE(relative_error(flat(found.grad_background), flat(expected.grad_background)), tolerance);
  EXPECT_LE(relative_error(flat(found.grad_bones), flat(expected.grad_bones)), tolerance);
}

/// Clips hold spans of themselves, so they are made where they are used.
void expect_like_cpu(const TestScene& scene, int frames = 1, int views = 1, int bones = 0) {
  const Clip cpu = drawn(Clip(scene, frames, views, bones), Device::kCpu);
  const Clip gpu = drawn(Clip(scene, frames, views, bones), Device::kCuda);
  expect_images(gpu, cpu);
  expect_gradients(gpu, cpu);
}

TEST_F(RasterizeCuda, GivesTheImagesAndGradientsOfTheCpu) {
  // Few large, many small, opaque, and images that are no multiple of a tile.
  const TestSceneSettings scenes[] = {
      {.count = 60, .width = 48, .height = 40},
      {.count = 1500, .width = 107, .height = 43, .size = 0.02, .seed = 2},
      {.count = 400, .width = 40, .height = 36, .size = 0.1, .opacity_low = 0.9, .opacity_high = 1.2, .seed = 3},
      {.count = 30, .width = 200, .height = 10, .size = 0.5, .seed = 4},
      // More than one batch of a tile, in all cells or in few, which none closes.
      {.count = 500, .width = 16, .height = 16, .size = 0.5, .opacity_low = 0.01, .opacity_high = 0.02, .seed = 5},
      {.count = 900, .width = 20, .height = 12, .size = 0.02, .opacity_low = 0.01, .opacity_high = 0.03, .seed = 6},
  };
  for (const TestSceneSettings& settings : scenes) {
    SCOPED_TRACE(std::to_string(settings.count) + " Gaussians");
    expect_like_cpu(make_test_scene(settings));
  }
}

TEST_F(RasterizeCuda, SkinsAndSumsOverFramesAndViews) {
  // More Gaussians of a bone than a chunk holds.
  const TestSceneSettings settings{.count = 700, .width = 40, .height = 30, .size = 0.03, .bones = 3, .influences = 2};
  expect_like_cpu(make_test_scene(settings), 3, 2, 3);
}

TEST_F(RasterizeCuda, ThePoseOnlyBackwardGivesTheBonesOfTheWhole) {
  const TestScene scene =
      make_test_scene({.count = 200, .width = 40, .height = 30, .size = 0.05, .bones = 4, .influences = 3, .seed = 7});
  const Clip whole = drawn(Clip(scene, 2, 2, 4), Device::kCuda);
  Clip pose(scene, 2, 2, 4);
  pose.settings.device = Device::kCuda;
  RasterWorkspace workspace;
  pose.forward(workspace);
  pose.backward_pose(workspace);
  EXPECT_EQ(flat(pose.grad_bones), flat(whole.grad_bones));
}

TEST_F(RasterizeCuda, GivesTheSameBitsEveryTime) {
  const TestScene scene =
      make_test_scene({.count = 300, .width = 50, .height = 30, .size = 0.1, .bones = 3, .influences = 2, .seed = 8});
  const Clip first = drawn(Clip(scene, 2, 1, 3), Device::kCuda);
  RasterWorkspace workspace;
  for (int run = 0; run < 3; ++run) {
    Clip clip(scene, 2, 1, 3);
    clip.settings.device = Device::kCuda;
    clip.forward(workspace);
    clip.backward(workspace);
    EXPECT_EQ(flat(clip.images), flat(first.images));
    EXPECT_EQ(flat(clip.grad_means), flat(first.grad_means));
    EXPECT_EQ(flat(clip.grad_covariances), flat(first.grad_covariances));
    EXPECT_EQ(flat(clip.grad_colors), flat(first.grad_colors));
    EXPECT_EQ(clip.grad_opacities, first.grad_opacities);
    EXPECT_EQ(flat(clip.grad_bones), flat(first.grad_bones));
  }
}

TEST_F(RasterizeCuda, SortsAsTheCpuDoes) {
  TestScene ties = make_test_scene({.count = 200, .width = 24, .height = 24, .size = 0.2, .seed = 5});
  ties.camera.camera_from_world = {Mat3::diagonal({1, -1, -1}), {0, 0, 3}};
  for (std::size_t i = 0; i < ties.means.size(); ++i) ties.means[i].z = static_cast<float>(i % 3) * 0.25f;
  expect_like_cpu(ties);
  // Depths that float cannot tell apart.
  TestScene close = make_test_scene({.count = 200, .width = 24, .height = 24, .size = 0.3, .seed = 6});
  close.camera.camera_from_world = {Mat3::diagonal({1, -1, -1}), {0, 0, 1000}};
  close.camera.fx = close.camera.fy = 9000;
  for (std::size_t i = 0; i < close.means.size(); ++i) close.means[i].z = 1e-7f * static_cast<float>((i * 7919) % 200);
  close.means[0].z = -1e7f;
  expect_like_cpu(close);
}

TEST_F(RasterizeCuda, SortsInOneChunkSeveralAndWithoutThem) {
  for (const int count : {1023, 1024, 1025, 8192, 8193}) {
    SCOPED_TRACE(count);
    TestScene scene = make_test_scene({.count = count,
                                       .width = 36,
                                       .height = 20,
                                       .size = 0.01,
                                       .opacity_low = 0.01,
                                       .opacity_high = 0.3,
                                       .seed = 11});
    for (std::size_t i = 0; i < scene.means.size(); i += 7) scene.means[i] = scene.means[0];  // ties
    expect_like_cpu(scene, 1, 2);
  }
}

TEST_F(RasterizeCuda, DrawsWhatIsOdd) {
  expect_like_cpu(make_test_scene({.count = 0, .width = 33, .height = 5}));
  expect_like_cpu(make_test_scene({.count = 20, .width = 1, .height = 1}));
  TestScene behind = make_test_scene({.count = 50, .width = 33, .height = 5});
  for (Vec3& mean : behind.means) mean.z += 10;
  expect_like_cpu(behind);
  // Points, discs and giants.
  TestScene shapes = make_test_scene({.count = 12, .width = 40, .height = 30, .seed = 9});
  const float sizes[] = {0, 1e-12f, 1e-3f, 0.1f, 10, 1e3f};
  for (std::size_t i = 0; i < 12; ++i) {
    const float a = sizes[i / 2], b = i % 2 ? 0.0f : a;
    shapes.covariances[i] = {a * a, 0, 0, b * b, 0, a * a};
    shapes.opacities[i] = 0.3f;
  }
  expect_like_cpu(shapes);
}

TEST_F(RasterizeCuda, LeavesOutWhatIsNotANumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
  const TestScene good = make_test_scene({.count = 20, .width = 20, .height = 20, .seed = 8});
  const Clip expected = drawn(Clip(good), Device::kCuda);
  for (const float bad : {nan, infinite, -infinite}) {
    for (int field = 0; field < 6; ++field) {
      TestScene scene = good;
      scene.means.push_back({0, 0, 0});
      scene.covariances.push_back({0.01f, 0, 0, 0.01f, 0, 0.01f});
      scene.opacities.push_back(0.5f);
      scene.colors.push_back({1, 1, 1});
      float* fields[] = {&scene.means.back().x,        &scene.means.back().z,   &scene.covariances.back().xx,
                         &scene.covariances.back().xy, &scene.opacities.back(), &scene.colors.back().y};
      *fields[field] = bad;
      const Clip clip = drawn(Clip(scene), Device::kCuda);
      EXPECT_EQ(flat(clip.images), flat(expected.images)) << "field " << field << " = " << bad;
      for (std::size_t i = 0; i < good.means.size(); ++i) ASSERT_EQ(clip.grad_means[i], expected.grad_means[i]);
    }
  }
}

TEST_F(RasterizeCuda, TakesColoursPerImageOpacitiesPerFrameAndBackgroundPerPixel) {
  const TestScene scene = make_test_scene({.count = 50, .width = 40, .height = 30, .bones = 2, .influences = 1});
  const std::size_t count = scene.means.size(), pixels = 40 * 30;
  std::vector<Vec3> colors, background;
  std::vector<float> opacities;
  for (std::size_t k = 0; k < 4 * count; ++k) colors.push_back({0.01f * static_cast<float>(k % 100), 0.5f, 1});
  for (std::size_t k = 0; k < 2 * count; ++k) opacities.push_back(0.1f + 0.008f * static_cast<float>(k % 100));
  for (std::size_t k = 0; k < 4 * pixels; ++k) background.push_back({0.001f * static_cast<float>(k % 977), 0, 0.3f});
  for (const std::size_t backgrounds : {std::size_t{0}, std::size_t{4}, 4 * pixels}) {
    Clip clips[2] = {Clip(scene, 2, 2, 2), Clip(scene, 2, 2, 2)};
    for (int k = 0; k < 2; ++k) {
      Clip& clip = clips[k];
      clip.bind(2, 2);
      clip.settings.device = k == 0 ? Device::kCpu : Device::kCuda;
      clip.background.assign(background.begin(), background.begin() + static_cast<std::ptrdiff_t>(backgrounds));
      clip.input.colors = colors, clip.input.opacities = opacities, clip.input.background = clip.background;
      RasterWorkspace workspace;
      clip.forward(workspace);
      clip.backward(workspace);
      ASSERT_TRUE(workspace.status().ok());
    }
    expect_images(clips[1], clips[0]);
    expect_gradients(clips[1], clips[0]);
  }
}

TEST_F(RasterizeCuda, SaysHowMuchMemoryIsMissing) {
  Clip clip(make_test_scene({.count = 1000, .width = 64, .height = 64}));
  CudaQueue queue;
  ASSERT_TRUE(queue.open().ok());
  RasterPipeline pipeline(queue);
  queue.set_limit(100000);
  pipeline.set_cloud(clip.input);
  pipeline.set_cameras(clip.input.cameras, {});
  pipeline.set_bones(clip.input.bones);
  pipeline.forward();
  const Status status = queue.finish();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::kOutOfMemory);
  EXPECT_NE(status.error().what.find("MB wanted"), std::string::npos) << status.error().what;
}

TEST_F(RasterizeCuda, GivesTheImagesAndGradientsOfThePublicRasterizer) {
  RasterSettings settings;
  settings.device = Device::kCuda;
  if (parity_scenes().empty()) GTEST_SKIP() << "no scenes below " << testing::parity_dir();
  for (const std::filesystem::path& file : parity_scenes()) {
    SCOPED_TRACE(file.filename().string());
    check_parity(ParityScene(file), settings);
  }
}

}  // namespace
}  // namespace limber::splat
