// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/kinematics/forward.h"
#include "limber/kinematics/playing.h"
#include "limber/rig/changed_rig.h"
#include "limber/scene/sketch_view.h"
#include "limber/testing/toy_rigs.h"
#include "limber/training/character_testing.h"
#include "limber/training/mirror_colors.h"

namespace limber::training {
namespace {

TEST(BodyChange, MapsEveryPosedPoint) {
  testing::ToyRigSettings toy;
  toy.frames = true;
  const rig::Rig rig = testing::toy_rig(toy);
  const Mat3 change = Mat3::diagonal({-0.9f, 1.1f, 1.2f});
  const rig::Rig changed = rig::changed_rig(rig, change).value();
  Rng rng(4);
  kinematics::Motion motion = kinematics::rest_motion(rig, 2, 12);
  for (Vec3& angles : motion.angles) angles = testing::random_vector(rng);
  motion.root_translations[1] = {0.3f, 0.2f, -0.5f};
  kinematics::Motion mapped = motion;
  for (Vec3& at : mapped.root_translations) at = change * at;
  const std::vector<Affine> before = kinematics::bone_matrices(rig, motion);
  const std::vector<Affine> after = kinematics::bone_matrices(changed, mapped);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Vec3 point = testing::random_vector(rng);
    EXPECT_LT(norm(after[i] * point - change * (before[i] * point)), 1e-5f) << i;
  }
}

TEST(BodyChange, TwoMirrorsGiveTheColorsBack) {
  const splat::Gaussians surface = toy_character().surfaces.front();
  splat::Gaussians mirrored = surface;
  mirror_part_colors(mirrored);
  const std::vector<Vec3> was = splat::base_colors(surface), is = splat::base_colors(mirrored);
  for (std::size_t i = 0; i < was.size(); ++i) {
    EXPECT_NEAR(was[i].x + is[i].x, 1.1f, 1e-5f);
    EXPECT_NEAR(was[i].y, is[i].y, 1e-5f);
  }
}

TEST(BodyChange, AMirroredBodyMakesMirroredPictures) {
  const Character toy = toy_character();
  splat::Gaussians mirrored = toy.surfaces.front();
  mirror_part_colors(mirrored);
  scene::SketchView plain_view(toy.rig, toy.surfaces.front());
  scene::SketchView mirrored_view(rig::changed_rig(toy.rig, Mat3::diagonal({-1, 1, 1})).value(), mirrored);
  const Frames plain = plain_view.rest(), other = mirrored_view.rest();
  // The one's left side is the other's right side. The ground is grey, the body is not.
  const auto side = static_cast<std::size_t>(plain.width), plane = side * side;
  const auto hue = [&](const Frames& frames, std::size_t view, std::size_t x, std::size_t y) {
    const float* green = frames.values.data() + (3 * view + 1) * plane + y * side + x;
    return green[0] - green[plane];
  };
  double most = 0;
  for (std::size_t y = 0; y < side; ++y) {
    for (std::size_t x = 0; x < side; ++x) {
      const float expected = hue(plain, 1, side - 1 - x, y);
      ASSERT_NEAR(hue(other, 0, x, y), expected, 2e-3f) << x << ", " << y;
      most = std::max<double>(most, std::abs(expected));
    }
  }
  EXPECT_GT(most, 0.1);
}

TEST(BodyChange, ALoopGoesOnAndTheGroundWithIt) {
  const Character toy = toy_character();
  const kinematics::Motion& walk = toy.clips[0].motion;
  kinematics::Playing playing;
  playing.fps = 12, playing.frames = 30, playing.repeat = true, playing.start = 0.25, playing.velocity = {0, 0, 2};
  const kinematics::Motion played = kinematics::play(walk, playing);
  ASSERT_EQ(played.frame_count(), 30);
  // A second of 12 frames later, the same pose, two lengths on.
  const auto& feet = played.overrides.at(0).translations;
  EXPECT_LT(norm(feet[3] - feet[15]), 1e-5f);
  EXPECT_NEAR(played.root_translations[15].z - played.root_translations[3].z, 2, 1e-5);
}

TEST(BodyChange, WhatIsDoneOnceHoldsItsEnds) {
  const Character toy = toy_character();
  kinematics::Playing playing;
  playing.fps = 12, playing.frames = 24, playing.start = -0.5;
  const kinematics::Motion played = kinematics::play(toy.clips[1].motion, playing);
  EXPECT_EQ(played.frame_angles(4)[0].z, 0);
  EXPECT_NEAR(played.frame_angles(8)[0].z, 0.4, 1e-5);
  EXPECT_NEAR(played.frame_angles(23)[0].z, 1.1, 1e-5);
}

TEST(BodyChange, SlowerTakesLonger) {
  const Character toy = toy_character();
  kinematics::Playing playing;
  playing.fps = 24, playing.frames = 9, playing.speed = 0.5;
  EXPECT_NEAR(kinematics::play(toy.clips[1].motion, playing).frame_angles(8)[0].z, 0.4, 1e-5);
}

}  // namespace
}  // namespace limber::training
