// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/scene/scene_testing.h"

// Counts allocations of the whole program, for the test that there are none. Inlined, they would confuse GCC's
// -Wmismatched-new-delete.
static std::atomic<std::size_t> g_allocations{0};
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++g_allocations;
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++g_allocations;
  return std::malloc(size ? size : 1);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace limber::scene {
namespace {

Frames drawn(const TestStage& stage) {
  Scene scene(stage.rig, stage.gaussians, stage.settings);
  Frames frames;
  scene.forward(stage.motion, stage.cameras, frames);
  return frames;
}

Frames weights_like(const Frames& frames) {
  Rng rng(3);
  Frames weights(frames.views, frames.frames, frames.height, frames.width);
  for (float& w : weights.values) w = static_cast<float>(rng.normal());
  return weights;
}

/// Largest difference between the scene's frames and the reference's.
double reference_difference(const TestStage& stage) {
  const Frames frames = drawn(stage);
  const ReferenceScene reference(stage);
  const auto each = static_cast<std::size_t>(frames.width * frames.height);
  double largest = 0;
  for (std::size_t f = 0; f < stage.frames(); ++f) {
    kinematics::FrameBufferT<double> buffer;
    const auto pixels =
        reference.draw(f, kinematics::motion_frame(stage.rig, stage.motion, static_cast<int>(f), buffer));
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const std::size_t image = i / each * stage.frames() + f;
      for (int k = 0; k < 3; ++k) {
        const auto value = double(frames.values[(3 * image + static_cast<std::size_t>(k)) * each + i % each]);
        largest = std::max(largest, std::abs(pixels[i][k] - value));
      }
    }
  }
  return largest;
}

/// Everything at once: two views, ground, shadow, a hide band with Gaussians in it.
TestStage full_stage(int degree = 0, std::uint64_t seed = 1) {
  TestStage stage = toy_stage(60, 2, 3, degree, seed);
  stage.settings.hide_depth = 0.1f;
  stage.settings.ground.shadow_decay = 2;
  return stage;
}

bool all_finite(const Frames& frames) {
  return std::all_of(frames.values.begin(), frames.values.end(), [](float v) { return std::isfinite(v); });
}
bool all_finite(const kinematics::MotionGradient& gradient) {
  const auto finite = [](Vec3 v) { return is_finite(v); };
  return std::all_of(gradient.angles.begin(), gradient.angles.end(), finite) &&
         std::all_of(gradient.root_translations.begin(), gradient.root_translations.end(), finite);
}

/// Forward and backward of a stage; checks the shape and that everything is finite.
Frames expect_survival(const TestStage& stage) {
  Scene scene(stage.rig, stage.gaussians, stage.settings);
  Frames frames;
  scene.forward(stage.motion, stage.cameras, frames);
  EXPECT_EQ(frames.values.size(),
            stage.cameras.size() * 3 * static_cast<std::size_t>(stage.cameras[0].width * stage.cameras[0].height));
  EXPECT_TRUE(all_finite(frames));
  kinematics::MotionGradient gradient;
  scene.backward(stage.motion, stage.cameras, weights_like(frames), gradient);
  EXPECT_EQ(gradient.angles.size(), stage.motion.angles.size());
  EXPECT_TRUE(all_finite(gradient));
  return frames;
}

TEST(Scene, DrawsWhatTheReferenceDraws) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    EXPECT_LT(reference_difference(full_stage(0, seed)), 1e-4) << seed;
    EXPECT_LT(reference_difference(full_stage(3, seed)), 1e-4) << seed;
  }
  TestStage plain = full_stage();
  plain.settings.ground.visible = false;
  plain.settings.hide_depth = -1;
  EXPECT_LT(reference_difference(plain), 1e-4);
  TestStage hard = full_stage();
  hard.settings.hide_depth = 0;
  hard.settings.ground.shadow = 0;
  EXPECT_LT(reference_difference(hard), 1e-4);
}

TEST(Scene, HasTheSameBitsForAnyNumberOfThreads) {
  const int before = thread_count();
  for (const int degree : {0, 2}) {
    const TestStage stage = full_stage(degree);
    std::vector<Frames> frames(3);
    std::vector<kinematics::MotionGradient> gradients(3);
    const int threads[] = {1, 2, 7};
    for (std::size_t i = 0; i < 3; ++i) {
      set_thread_count(threads[i]);
      Scene scene(stage.rig, stage.gaussians, stage.settings);
      scene.forward(stage.motion, stage.cameras, frames[i]);
      scene.backward(stage.motion, stage.cameras, weights_like(frames[i]), gradients[i]);
      EXPECT_EQ(frames[i].values, frames[0].values);
      EXPECT_EQ(gradients[i].angles, gradients[0].angles);
      EXPECT_EQ(gradients[i].root_translations, gradients[0].root_translations);
    }
  }
  set_thread_count(before);
}

TEST(Scene, DrawsLongClipsInBlocksWithTheSameResult) {
  for (const int degree : {0, 1}) {
    const TestStage stage = full_stage(degree);
    TestStage tight = stage;
    tight.settings.keep_bytes = 2 * 36 * 28 * 44 + 60 * 100;  // one frame or two
    Scene whole(stage.rig, stage.gaussians, stage.settings), blocks(tight.rig, tight.gaussians, tight.settings);
    Frames a, b;
    whole.forward(stage.motion, stage.cameras, a);
    blocks.forward(stage.motion, stage.cameras, b);
    EXPECT_LT(blocks.bytes(), whole.bytes());
    ASSERT_EQ(a.values.size(), b.values.size());
    for (std::size_t i = 0; i < a.values.size(); ++i) ASSERT_EQ(a.values[i], b.values[i]);
    kinematics::MotionGradient grad_a, grad_b;
    const Frames weights = weights_like(a);
    whole.backward(stage.motion, stage.cameras, weights, grad_a);
    blocks.backward(stage.motion, stage.cameras, weights, grad_b);
    float scale = 0, worst = 0;
    for (std::size_t i = 0; i < grad_a.angles.size(); ++i) {
      scale = std::max(scale, norm(grad_a.angles[i]));
      worst = std::max(worst, norm(grad_a.angles[i] - grad_b.angles[i]));
    }
    EXPECT_LT(worst, 1e-6f * scale);
  }
}

TEST(Scene, AllocatesNothingAfterTheFirstCall) {
  const int threads = thread_count();
  set_thread_count(1);  // else a thread may happen to get its first piece late
  const TestStage stage = full_stage(1);
  Scene scene(stage.rig, stage.gaussians, stage.settings);
  Frames frames, weights;
  kinematics::MotionGradient gradient;
  std::size_t before = 0, bytes = 0;
  for (int round = 0; round < 4; ++round) {
    if (round == 2) before = g_allocations, bytes = scene.bytes();
    scene.forward(stage.motion, stage.cameras, frames);
    if (round == 0) weights = weights_like(frames);
    scene.backward(stage.motion, stage.cameras, weights, gradient);
  }
  EXPECT_EQ(g_allocations - before, 0u);
  set_thread_count(threads);
  EXPECT_EQ(scene.bytes(), bytes);
}

TEST(Scene, AddsToTheGradient) {
  const TestStage stage = full_stage();
  Scene scene(stage.rig, stage.gaussians, stage.settings);
  Frames frames;
  scene.forward(stage.motion, stage.cameras, frames);
  const Frames weights = weights_like(frames);
  kinematics::MotionGradient once, twice;
  scene.backward(stage.motion, stage.cameras, weights, once);
  scene.backward(stage.motion, stage.cameras, weights, twice);
  scene.backward(stage.motion, stage.cameras, weights, twice);
  for (std::size_t i = 0; i < once.angles.size(); ++i) {
    EXPECT_LE(norm(twice.angles[i] - 2.0f * once.angles[i]), 1e-5f * norm(once.angles[i]));
  }
}

TEST(Scene, AnotherBodyInTheSameSceneIsAsGoodAsANewScene) {
  const TestStage first = full_stage(0, 1), second = full_stage(1, 2);
  Scene scene(first.rig, first.gaussians, first.settings);
  Frames frames;
  scene.forward(first.motion, first.cameras, frames);
  scene.set_body(second.rig, second.gaussians);
  kinematics::MotionGradient gradient;
  EXPECT_THROW(scene.backward(second.motion, second.cameras, frames, gradient), ContractError);
  scene.forward(second.motion, second.cameras, frames);
  EXPECT_EQ(frames.values, drawn(second).values);
}

TEST(Scene, OtherCamerasSeeAnotherGround) {
  TestStage stage = full_stage(0, 1);
  stage.settings.ground.shadow = 0;  // a ground without shadow is kept from call to call
  TestStage moved = stage;
  for (Camera& camera : moved.cameras) camera.camera_from_world.translation.x += 0.3f;
  Scene scene(stage.rig, stage.gaussians, stage.settings);
  Frames frames;
  for (const TestStage* next : {&stage, &stage, &moved, &stage}) {
    scene.forward(next->motion, next->cameras, frames);
    EXPECT_EQ(frames.values, drawn(*next).values);
  }
  EXPECT_NE(frames.values, drawn(moved).values);
}

TEST(Scene, ShowsTheGroundAloneWithoutGaussians) {
  TestStage stage = toy_stage(0, 2, 2);
  const Frames frames = expect_survival(stage);
  std::vector<Vec3> ground(36 * 28);
  draw_ground(stage.cameras[0], stage.settings.ground, ground);
  for (std::size_t p = 0; p < ground.size(); ++p) EXPECT_EQ(frames.values[p], ground[p].x);
}

TEST(Scene, SurvivesOddInput) {
  expect_survival(toy_stage(1, 1, 1));
  TestStage tiny = full_stage();
  tiny.cameras = test_cameras(2, 3, 1, 1);
  expect_survival(tiny);
  // Everything behind the camera.
  TestStage behind = full_stage();
  for (Camera& camera : behind.cameras) camera = splat::look_at({0, 1, 5}, {0, 1, 9}, {0, 1, 0}, 0.8f, 20, 10);
  expect_survival(behind);
  // Everything below the ground, and far away.
  TestStage sunk = full_stage();
  for (Vec3& t : sunk.motion.root_translations) t = {1e7f, -5, -1e7f};
  expect_survival(sunk);
  // Scales of zero and infinity, a mean that is no number, opacity 0 and 1.
  TestStage broken = full_stage();
  broken.gaussians.scales[0] = {0, 0, 0};
  broken.gaussians.scales[1] = {1, std::numeric_limits<float>::infinity(), 1};
  broken.gaussians.means[2].x = std::numeric_limits<float>::quiet_NaN();
  broken.gaussians.opacities[3] = 0, broken.gaussians.opacities[4] = 1;
  expect_survival(broken);
}

TEST(Scene, ABodyBelowTheGroundIsHidden) {
  TestStage stage = full_stage();
  for (Vec3& t : stage.motion.root_translations) t.y -= 10;
  TestStage empty = toy_stage(0, 2, 3);
  EXPECT_EQ(drawn(stage).values, drawn(empty).values);
  stage.settings.hide_depth = -1;
  for (Vec3& t : stage.motion.root_translations) t.y += 9.5f;
  EXPECT_NE(drawn(stage).values, drawn(empty).values);
}

TEST(Scene, TheShadowIsDarkestWhereTheBodyTouchesTheGroundAndFadesWithHeight) {
  // A flat disc, seen from the side so that the ground below it is in view.
  TestStage stage = toy_stage(1, 1, 1);
  stage.gaussians = random_gaussians(1, stage.rig.bone_count(), 0, 1);
  stage.gaussians.means[0] = {0, 0, 0};
  stage.gaussians.scales[0] = {0.2f, 0.2f, 0.01f};
  stage.gaussians.opacities[0] = 1;
  stage.gaussians.rotations[0] = axis_angle(Vec3{1, 0, 0}, 1.5707963f);
  stage.gaussians.bones.assign(4, 0);
  stage.gaussians.weights = {1, 0, 0, 0};
  stage.motion = kinematics::rest_motion(stage.rig, 1, 24);
  // The disc's own place, wherever the rig's root puts it.
  const Box box = Scene(stage.rig, stage.gaussians, stage.settings).frame_boxes(stage.motion)[0];
  const Camera above = splat::look_at({0, 5, 0}, {0, 0, 0}, {0, 0, 1}, 0.8f, 64, 64);
  stage.cameras = {above};
  stage.settings.raster.near = 100;  // the body itself is not drawn, only its shadow
  stage.settings.ground.light = stage.settings.ground.dark = {0.8f, 0.8f, 0.8f};
  const auto darkest = [&](float height) {
    stage.motion.root_translations[0] = Vec3{0, height, 0} - box.center();
    const Frames frames = drawn(stage);
    return *std::min_element(frames.values.begin(), frames.values.end()) / 0.8f;
  };
  const float s = stage.settings.ground.shadow, decay = stage.settings.ground.shadow_decay;
  const float touching = darkest(0), low = darkest(0.3f), high = darkest(1);
  EXPECT_LT(touching, low);
  EXPECT_LT(low, high);
  // One layer of surface covers most of what is behind it, not all.
  EXPECT_NEAR(low, 1 - s * std::exp(-0.3f * decay), 0.06f);
  EXPECT_NEAR(high, 1 - s * std::exp(-decay), 0.01f);
  EXPECT_EQ(darkest(50), 1);
}

TEST(Scene, BoxesFollowTheMotion) {
  TestStage stage = full_stage();
  Scene scene(stage.rig, stage.gaussians, stage.settings);
  const std::vector<Box> before = scene.frame_boxes(stage.motion);
  ASSERT_EQ(before.size(), 3u);
  for (Vec3& t : stage.motion.root_translations) t += Vec3{1, 2, 3};
  const std::vector<Box> after = scene.frame_boxes(stage.motion);
  for (std::size_t f = 0; f < 3; ++f) {
    EXPECT_FALSE(before[f].empty());
    EXPECT_LT(norm(after[f].low - before[f].low - Vec3{1, 2, 3}), 1e-5f);
    EXPECT_LT(norm(after[f].high - before[f].high - Vec3{1, 2, 3}), 1e-5f);
  }
}

TEST(Scene, RefusesWhatDoesNotFitTogether) {
  const TestStage stage = full_stage();
  TestStage unskinned = stage;
  unskinned.gaussians.influences = 0, unskinned.gaussians.bones = {}, unskinned.gaussians.weights = {};
  EXPECT_THROW(drawn(unskinned), ContractError);
  TestStage bone = stage;
  bone.gaussians.bones[5] = 999;
  EXPECT_THROW(drawn(bone), ContractError);
  TestStage cameras = stage;
  cameras.cameras.pop_back();
  EXPECT_THROW(drawn(cameras), ContractError);
  TestStage sizes = stage;
  sizes.cameras.back().width += 1;
  EXPECT_THROW(drawn(sizes), ContractError);
  TestStage still = stage;
  still.motion = kinematics::rest_motion(stage.rig, 0, 24);
  EXPECT_THROW(drawn(still), ContractError);

  Scene scene(stage.rig, stage.gaussians, stage.settings);
  Frames frames;
  kinematics::MotionGradient gradient;
  EXPECT_THROW(scene.backward(stage.motion, stage.cameras, frames, gradient), ContractError);
  scene.forward(stage.motion, stage.cameras, frames);
  EXPECT_THROW(scene.backward(stage.motion, stage.cameras, Frames(1, 1, 2, 2), gradient), ContractError);
}

TEST(Scene, GoesBackOnlyFromWhatItDrew) {
  const TestStage stage = full_stage();
  const kinematics::Motion nothing = kinematics::rest_motion(stage.rig, 0, 24);
  Scene scene(stage.rig, stage.gaussians, stage.settings);
  kinematics::MotionGradient gradient;
  EXPECT_THROW(scene.backward(nothing, {}, Frames(), gradient), ContractError) << "before any forward";
  Frames frames;
  scene.forward(stage.motion, stage.cameras, frames);
  scene.backward(stage.motion, stage.cameras, frames, gradient);
  scene.set_body(stage.rig, stage.gaussians);
  EXPECT_THROW(scene.backward(nothing, {}, Frames(), gradient), ContractError) << "of another body";
  scene.forward(stage.motion, stage.cameras, frames);
  std::vector<Camera> uneven = stage.cameras;
  uneven.back().width += 1;
  Frames broken;
  EXPECT_THROW(scene.forward(stage.motion, uneven, broken), ContractError);
  EXPECT_THROW(scene.backward(stage.motion, stage.cameras, frames, gradient), ContractError) << "half drawn";
}

TEST(Scene, SaysWhyItCannotDrawOnAGpu) {
  const TestStage stage = toy_stage(10, 1, 2);
  SceneSettings settings = stage.settings;
  settings.raster.device = Device::kCuda;
  Scene scene(stage.rig, stage.gaussians, settings);
  Frames frames;
  scene.forward(stage.motion, stage.cameras, frames);
  if (scene.status().ok()) GTEST_SKIP() << "there is a GPU, and a build for it";
  EXPECT_EQ(scene.status().error().kind, ErrorKind::kDevice);
  for (const float value : frames.values) ASSERT_EQ(value, 0);
  kinematics::MotionGradient gradient;
  scene.backward(stage.motion, stage.cameras, frames, gradient);  // nothing to go back from, and no contract broken
  EXPECT_TRUE(gradient.angles.empty());
}

}  // namespace
}  // namespace limber::scene
