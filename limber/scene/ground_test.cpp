// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/ground.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "limber/base/expect.h"
#include "limber/base/threads.h"

namespace limber::scene {
namespace {

using splat::Camera;
using splat::look_at;

std::vector<Vec3> drawn(const Camera& camera, const GroundSettings& settings) {
  std::vector<Vec3> pixels(static_cast<std::size_t>(camera.width * camera.height));
  draw_ground(camera, settings, pixels);
  return pixels;
}

/// Colour of the sharp ground at a point of the image plane, in double.
Vec3d exact_color(const Camera& camera, const GroundSettings& settings, double x, double y) {
  const Affined world_from_camera = inverse(camera.camera_from_world.cast<double>());
  const Vec3d eye = world_from_camera.translation;
  const Vec3d ray = world_from_camera.linear *
                    Vec3d{(x - double(camera.cx)) / double(camera.fx), (y - double(camera.cy)) / double(camera.fy), 1};
  if (!(-eye.y / ray.y > 0)) return settings.sky.cast<double>();
  const Vec3d reach = (-eye.y / ray.y) * ray, point = eye + reach;
  const double fade = double(settings.fade), cell = double(settings.cell);
  const double left = std::max(0.0, 1 - (reach.x * reach.x + reach.z * reach.z) / (fade * fade));
  const bool even = (std::llround(std::floor(point.x / cell)) + std::llround(std::floor(point.z / cell))) % 2 == 0;
  const Vec3d light = settings.light.cast<double>(), dark = settings.dark.cast<double>();
  return 0.5 * (light + dark) + (even ? 0.5 : -0.5) * left * left * (light - dark);
}

/// Largest and root mean square difference from the mean of many exact samples per pixel, over all pixels.
struct Difference {
  double largest = 0, rms = 0;
};
Difference compare_with_samples(const Camera& camera, const GroundSettings& settings) {
  constexpr int kSide = 16;
  const std::vector<Vec3> pixels = drawn(camera, settings);
  Difference difference;
  for (int y = 0; y < camera.height; ++y) {
    for (int x = 0; x < camera.width; ++x) {
      Vec3d mean;
      for (int k = 0; k < kSide * kSide; ++k) {
        mean += exact_color(camera, settings, x + (k % kSide + 0.5) / kSide, y + (k / kSide + 0.5) / kSide) /
                double(kSide * kSide);
      }
      const Vec3d off = pixels[static_cast<std::size_t>(y * camera.width + x)].cast<double>() - mean;
      difference.largest = std::max({difference.largest, std::abs(off.x), std::abs(off.y), std::abs(off.z)});
      difference.rms += squared_norm(off) / (3.0 * camera.width * camera.height);
    }
  }
  difference.rms = std::sqrt(difference.rms);
  return difference;
}

TEST(Ground, IsTheMeanOfTheCheckerboardOverEveryPixel) {
  GroundSettings settings;
  settings.dark = {0.1f, 0.1f, 0.1f}, settings.light = {0.9f, 0.9f, 0.9f};
  for (const Vec3& eye : {Vec3{1.3f, 1.1f, 2.1f}, Vec3{-2, 0.3f, 0.4f}, Vec3{0.2f, 4, 0.1f}}) {
    const Difference difference = compare_with_samples(look_at(eye, {0, 0.3f, 0}, {0, 1, 0}, 0.7f, 80, 60), settings);
    // Only the shape of the footprint is approximated: it shows where edges cross a pixel askew.
    EXPECT_LT(difference.rms, 0.035);
    EXPECT_LT(difference.largest, 0.3);
  }
}

TEST(Ground, HasTheColoursOfItsSquares) {
  GroundSettings settings;
  settings.cell = 1, settings.fade = 1e9f;
  // Straight down on the corner of four squares.
  const std::vector<Vec3> pixels = drawn(look_at({0, 5, 0}, {0, 0, 0}, {0, 0, -1}, 0.2f, 8, 8), settings);
  const Vec3 light = settings.light, dark = settings.dark;
  const auto near = [](Vec3 a, Vec3 b) { return norm(a - b) < 1e-5f; };
  EXPECT_TRUE(near(pixels[0], light)) << pixels[0].x;
  EXPECT_TRUE(near(pixels[7], dark)) << pixels[7].x;
  EXPECT_TRUE(near(pixels[56], dark)) << pixels[56].x;
  EXPECT_TRUE(near(pixels[63], light)) << pixels[63].x;
}

TEST(Ground, FadesIntoItsMeanAndEndsAtTheHorizon) {
  GroundSettings settings;
  const std::vector<Vec3> pixels = drawn(look_at({0, 1, 3}, {0, 1, 0}, {0, 1, 0}, 0.8f, 4, 200), settings);
  EXPECT_EQ(pixels[0], settings.sky);
  EXPECT_LT(norm(pixels[99 * 4] - settings.sky), 1e-5f);
  // Just below the horizon, beyond the fade.
  EXPECT_LT(norm(pixels[102 * 4] - 0.5f * (settings.light + settings.dark)), 1e-6f);
}

TEST(Ground, ShowsSkyAloneWhereThereIsNoGround) {
  GroundSettings settings;
  // Level with the ground, and looking up from above it.
  for (const Camera& camera :
       {look_at({0, 0, 3}, {0, 0, 0}, {0, 1, 0}, 0.8f, 9, 9), look_at({0, 1, 3}, {0, 9, 0}, {0, 1, 0}, 0.5f, 9, 9)}) {
    for (const Vec3& pixel : drawn(camera, settings)) EXPECT_EQ(pixel, settings.sky);
  }
  settings.visible = false;
  for (const Vec3& pixel : drawn(look_at({0, 2, 3}, {0, 0, 0}, {0, 1, 0}, 0.8f, 9, 9), settings)) {
    EXPECT_EQ(pixel, settings.sky);
  }
}

TEST(Ground, IsSeenFromBelowToo) {
  const GroundSettings settings;
  const std::vector<Vec3> pixels = drawn(look_at({0.1f, -1, 0.1f}, {0.1f, 0, 0.2f}, {0, 0, 1}, 0.3f, 5, 5), settings);
  for (const Vec3& pixel : pixels) EXPECT_LT(pixel.x, settings.light.x + 1e-5f);
}

TEST(Ground, HasTheSameBitsForAnyNumberOfThreads) {
  const Camera camera = look_at({1, 1, 2}, {0, 0, 0}, {0, 1, 0}, 0.8f, 333, 217);
  const int before = thread_count();
  std::vector<std::vector<Vec3>> results;
  for (const int threads : {1, 2, 5}) {
    set_thread_count(threads);
    results.push_back(drawn(camera, {}));
  }
  set_thread_count(before);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Ground, SurvivesOddCameras) {
  Camera camera = look_at({0, 1, 0}, {0, 0, 1}, {0, 1, 0}, 0.8f, 1, 1);
  EXPECT_TRUE(is_finite(drawn(camera, {})[0]));
  camera.camera_from_world.translation = {1e8f, -1e9f, 3};
  EXPECT_TRUE(is_finite(drawn(camera, {})[0]));
  camera.fx = camera.fy = 1e-6f;
  EXPECT_TRUE(is_finite(drawn(camera, {})[0]));
}

TEST(Ground, RefusesAWrongNumberOfPixels) {
  std::vector<Vec3> pixels(3);
  EXPECT_THROW(draw_ground(look_at({0, 1, 0}, {0, 0, 1}, {0, 1, 0}, 0.8f, 2, 2), {}, pixels), ContractError);
}

}  // namespace
}  // namespace limber::scene
