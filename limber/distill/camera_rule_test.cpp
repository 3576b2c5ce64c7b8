// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/distill/camera_rule.h"

#include <gtest/gtest.h>

#include "limber/distill/distill_testing.h"

namespace limber::distill {
namespace {

scene::OrbitSettings two_views() {
  scene::OrbitSettings orbit;
  orbit.views = 2, orbit.width = 32, orbit.height = 24;
  return orbit;
}

TEST(FollowingCameras, AreAFunctionOfTheGenerator) {
  const ToyStage stage = toy_stage();
  const scene::Scene scene = toy_scene(stage);
  const CameraRule rule = following_cameras(scene, two_views());
  Rng one(7), same(7), other(8);
  const std::vector<scene::Camera> cameras = rule(stage.target, one);
  EXPECT_EQ(cameras.size(), 2 * stage.target.root_translations.size());
  EXPECT_EQ(cameras[0].width, 32);
  EXPECT_EQ(cameras, rule(stage.target, same));
  EXPECT_NE(cameras, rule(stage.target, other));
}

TEST(FollowingCameras, GoAlongWithTheBody) {
  const ToyStage stage = toy_stage();
  const scene::Scene scene = toy_scene(stage);
  kinematics::Motion walking = stage.start;
  for (int f = 0; f < walking.frame_count(); ++f) {
    walking.root_translations[static_cast<std::size_t>(f)].x = static_cast<float>(f);
  }
  Rng rng(1);
  const std::vector<scene::Camera> cameras = following_cameras(scene, two_views(), {0, 0, 0})(walking, rng);
  const float way = splat::camera_center(cameras[4]).x - splat::camera_center(cameras[1]).x;
  EXPECT_NEAR(way, 3, 1);
}

TEST(FollowingCameras, StayAboveTheGroundAndTurnTogether) {
  const ToyStage stage = toy_stage();
  const scene::Scene scene = toy_scene(stage);
  scene::OrbitSettings orbit = two_views();
  orbit.elevation = 0;
  const CameraRule rule = following_cameras(scene, orbit, {3.1415927f, 1, 0.1f});
  Rng rng(2);
  for (int i = 0; i < 20; ++i) {
    const std::vector<scene::Camera> cameras = rule(stage.start, rng);
    const std::size_t frames = cameras.size() / 2;
    const Vec3 first = cameras[0].camera_from_world.linear.row(2),
               second = cameras[frames].camera_from_world.linear.row(2);
    EXPECT_LT(first.y, 0) << "it looks down";
    EXPECT_NEAR(first.x, -second.x, 1e-4);
    EXPECT_NEAR(first.z, -second.z, 1e-4);
  }
}

}  // namespace
}  // namespace limber::distill
