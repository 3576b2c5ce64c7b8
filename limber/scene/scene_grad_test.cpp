// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "limber/asset/read.h"
#include "limber/kinematics/clip.h"
#include "limber/rig/subject.h"
#include "limber/scene/scene_testing.h"
#include "limber/splat/surface.h"
#include "limber/testing/gradient_check.h"
#include "limber/testing/shared_data.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::scene {
namespace {

using testing::check_gradient;
using testing::GradientCheck;

Frames random_weights(const Frames& like, std::uint64_t seed) {
  Rng rng(seed, 8);
  Frames weights(like.views, like.frames, like.height, like.width);
  for (float& w : weights.values) w = static_cast<float>(rng.normal());
  return weights;
}

/// Unknowns of one frame as one list: the root's translation, then the angles of the chosen joints.
struct Unknowns {
  const TestStage& stage;
  std::size_t frame;
  std::vector<int> joints;

  std::vector<double> values() const {
    std::vector<double> x;
    for (int k = 0; k < 3; ++k) x.push_back(double(stage.motion.root_translations[frame][k]));
    for (const int joint : joints) {
      const Vec3 angles = stage.motion.frame_angles(static_cast<int>(frame))[static_cast<std::size_t>(joint)];
      for (int k = 0; k < 3; ++k) x.push_back(double(angles[k]));
    }
    return x;
  }
  std::vector<double> gradient(const kinematics::MotionGradient& g) const {
    std::vector<double> x;
    for (int k = 0; k < 3; ++k) x.push_back(double(g.root_translations[frame][k]));
    for (const int joint : joints) {
      const auto index = frame * static_cast<std::size_t>(stage.motion.joint_count) + static_cast<std::size_t>(joint);
      for (int k = 0; k < 3; ++k) x.push_back(double(g.angles[index][k]));
    }
    return x;
  }
};

/// The loss of one frame by the reference, as a function of its unknowns.
double reference_loss(const ReferenceScene& reference, const Unknowns& unknowns, const Frames& weights,
                      std::span<const double> x) {
  const TestStage& stage = unknowns.stage;
  kinematics::FrameBufferT<double> buffer;
  kinematics::FrameT<double> frame =
      kinematics::motion_frame(stage.rig, stage.motion, static_cast<int>(unknowns.frame), buffer);
  frame.root_translation = {x[0], x[1], x[2]};
  for (std::size_t j = 0; j < unknowns.joints.size(); ++j) {
    buffer.angles[static_cast<std::size_t>(unknowns.joints[j])] = {x[3 + 3 * j], x[4 + 3 * j], x[5 + 3 * j]};
  }
  const std::vector<Vec3d> pixels = reference.draw(unknowns.frame, frame);
  const std::size_t each = pixels.size() / static_cast<std::size_t>(weights.views);
  double sum = 0;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const std::size_t image = i / each * stage.frames() + unknowns.frame;
    for (int k = 0; k < 3; ++k) {
      sum += pixels[i][k] * double(weights.values[(3 * image + static_cast<std::size_t>(k)) * each + i % each]);
    }
  }
  return sum;
}

/// Joint angles and root translation -> pixels, through the float path, against differences of the reference.
void expect_gradient(const TestStage& stage, std::vector<int> joints, double bound = 1e-3) {
  Scene scene(stage.rig, stage.gaussians, stage.settings);
  Frames frames;
  scene.forward(stage.motion, stage.cameras, frames);
  const Frames weights = random_weights(frames, 5);
  kinematics::MotionGradient gradient;
  scene.backward(stage.motion, stage.cameras, weights, gradient);
  // Differences over short steps see even jumps of a millionth; the cut itself is too faint to matter.
  splat::RasterSettings seamless = stage.settings.raster;
  seamless.alpha_min = 1e-15;
  const ReferenceScene reference(stage, seamless);
  for (std::size_t f = 0; f < stage.frames(); ++f) {
    const Unknowns unknowns{stage, f, joints};
    const auto loss = [&](std::span<const double> x) { return reference_loss(reference, unknowns, weights, x); };
    const std::vector<double> x = unknowns.values();
    // Short steps, so that no two Gaussians change places in depth.
    const std::vector<double> steps(x.size(), 2e-6);
    // Sums of thousands of float terms of either sign: entries below 3 % of the largest are measured by that.
    const GradientCheck check = check_gradient(loss, x, unknowns.gradient(gradient), {.steps = steps, .floor = 3e-2});
    EXPECT_LT(check.error, bound) << "frame " << f << ": " << check.summary();
  }
}

TestStage gentle(TestStage stage) {
  stage.settings.raster = gentle_settings();
  return stage;
}

TEST(SceneGrad, ToyRigInFrontOfTheSky) {
  TestStage stage = gentle(toy_stage(30, 1, 2));
  stage.settings.ground.visible = false;
  stage.settings.hide_depth = -1;
  expect_gradient(stage, {0, 1, 2, 3, 4, 5});
}

TEST(SceneGrad, GaussiansThatSinkIntoTheGround) {
  TestStage stage = gentle(toy_stage(30, 1, 2));
  stage.settings.ground.shadow = 0;
  stage.settings.hide_depth = 0.2f;  // so that many are in the band
  expect_gradient(stage, {0, 1, 2, 3, 4, 5});
}

TEST(SceneGrad, TheShadowAlone) {
  // The body is out of sight: all that reaches the pixels is its shadow.
  TestStage stage = gentle(toy_stage(20, 1, 1));
  for (Vec3& t : stage.motion.root_translations) t.y += 0.8f;
  stage.settings.ground.shadow = 0.7f;
  stage.settings.ground.shadow_decay = 1;
  for (Camera& camera : stage.cameras) {
    camera = splat::look_at({0.3f, 0.6f, 0.2f}, {0, 0, 0}, {0, 0, 1}, 1.4f, 30, 30);
  }
  stage.settings.raster.near = 3;
  expect_gradient(stage, {0, 1, 2, 3, 4, 5});
}

TEST(SceneGrad, GroundShadowHideBandAndTwoViews) {
  for (const std::uint64_t seed : {2u, 3u}) {
    TestStage stage = gentle(toy_stage(40, 2, 2, 0, seed));
    stage.settings.hide_depth = 0.15f;
    stage.settings.ground.shadow = 0.8f;
    stage.settings.ground.shadow_decay = 2;
    expect_gradient(stage, {0, 2, 5});
  }
}

TEST(SceneGrad, ViewDependentColours) {
  for (const int degree : {1, 2, 3}) {
    TestStage stage = gentle(toy_stage(20, 2, 1, degree));
    stage.settings.ground.shadow_decay = 2;
    expect_gradient(stage, {0, 1, 3, 4});
  }
}

TEST(SceneGrad, MotionsWithOverrides) {
  TestStage stage = gentle(toy_stage(25, 1, 2));
  stage.motion.overrides.push_back({2, {{0.1f, 0.2f, 0}, {0.2f, 0.1f, 0.1f}}, {}});
  stage.motion.overrides.push_back({3, {}, {{1.2f, 0.9f, 1}, {0.8f, 1.1f, 1.3f}}});
  expect_gradient(stage, {0, 2, 3, 5});
}

/// Gaussians on a subject's surface, with random colours.
splat::Gaussians surface_gaussians(const rig::Subject& subject, std::size_t count) {
  splat::Surface surface;
  surface.points = subject.points;
  surface.triangles = subject.triangles;
  surface.influences = subject.weights.stride;
  surface.bones = subject.weights.bones;
  surface.weights = subject.weights.weights;
  surface.color = [](std::size_t triangle, Vec3) {
    Rng rng(triangle);
    const auto draw = [&] { return static_cast<float>(rng.uniform(0.05, 0.8)); };
    const float r = draw(), g = draw(), b = draw();
    return Vec4{r, g, b, 1};
  };
  splat::SampleSettings settings;
  settings.count = count;
  settings.opacity = 0.9f;
  settings.thickness = 0.3f;
  return splat::sample_surface(surface, settings);
}

TestStage creature_stage(zoo::Plan plan, zoo::Action action) {
  zoo::CreatureSettings creature_settings;
  creature_settings.plan = plan, creature_settings.seed = 7;
  const zoo::Creature creature = zoo::make_creature(creature_settings).value();
  zoo::ActionSettings action_settings;
  action_settings.action = action;
  kinematics::Motion motion = zoo::perform(creature, action_settings).value().motion;
  const auto joints = static_cast<std::size_t>(motion.joint_count);
  // Two frames of it, a little sunk in.
  motion.root_translations = {motion.root_translations[2], motion.root_translations[7]};
  motion.angles.erase(motion.angles.begin() + static_cast<std::ptrdiff_t>(8 * joints), motion.angles.end());
  motion.angles.erase(motion.angles.begin() + static_cast<std::ptrdiff_t>(3 * joints),
                      motion.angles.begin() + static_cast<std::ptrdiff_t>(7 * joints));
  motion.angles.erase(motion.angles.begin(), motion.angles.begin() + static_cast<std::ptrdiff_t>(2 * joints));
  for (Vec3& t : motion.root_translations) t.y -= 0.03f;
  SceneSettings settings;
  settings.hide_depth = 0.05f;
  return gentle(
      {creature.subject.rig, surface_gaussians(creature.subject, 250), motion, test_cameras(2, 2, 32, 32), settings});
}

TEST(SceneGrad, ZooQuadrupedAndBird) {
  const TestStage quadruped = creature_stage(zoo::Plan::kQuadruped, zoo::Action::kWalk);
  expect_gradient(quadruped, {0, 3, 9, quadruped.rig.joint_count() - 1});
  const TestStage bird = creature_stage(zoo::Plan::kBird, zoo::Action::kFly);
  expect_gradient(bird, {0, 2, 6, bird.rig.joint_count() - 1});
}

TEST(SceneGrad, ModelsOfOthers) {
  const std::vector<std::filesystem::path> files = testing::shared_files("assets", {".glb"});
  if (files.empty()) GTEST_SKIP() << "shared/assets is not beside this checkout";
  int checked = 0;
  for (std::size_t i = 0; i < files.size() && checked < 3; i += 5) {
    const Result<asset::Asset> asset = asset::read_asset(files[i]);
    if (!asset.ok()) continue;
    const Result<rig::Subject> subject = rig::subject_from_asset(*asset);
    if (!subject.ok() || subject->triangles.empty()) continue;
    SCOPED_TRACE(files[i].filename().string());
    TestStage stage = gentle({subject->rig, surface_gaussians(*subject, 200), {}, test_cameras(2, 1, 32, 32), {}});
    stage.motion = random_motion(stage.rig, 1, 0.1, 3);
    stage.settings.hide_depth = 0.05f;
    expect_gradient(stage, {0, stage.rig.joint_count() / 2, stage.rig.joint_count() - 1});
    ++checked;
  }
  EXPECT_GT(checked, 0);
}

}  // namespace
}  // namespace limber::scene
