// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/ground_speed.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/base/rng.h"
#include "limber/base/threads.h"
#include "limber/lift/lift_testing.h"

namespace limber::lift {
namespace {

constexpr int kSize = 36;

scene::GroundSettings checkerboard() {
  scene::GroundSettings ground;
  ground.cell = 0.8f, ground.shadow = 0;
  ground.light = {0.62f, 0.62f, 0.62f}, ground.dark = {0.5f, 0.5f, 0.5f}, ground.sky = {0.8f, 0.8f, 0.8f};
  return ground;
}

/// Two opposite cameras beside the way, going along.
scene::CourseCameras beside(int frames, Vec3 forward) {
  return [=](const scene::Course& course) {
    std::vector<scene::Camera> cameras;
    const Vec3 side = cross(forward, Vec3{0, 1, 0});
    for (const float sign : {1.0f, -1.0f}) {
      for (int f = 0; f < frames; ++f) {
        const Vec3 at =
            course.middle + (static_cast<float>(f) - 0.5f * static_cast<float>(frames - 1)) * course.velocity;
        const Vec3 eye = at + 3.0f * sign * side + Vec3{0, 0.8f, 0};
        cameras.push_back(splat::look_at(eye, at, {0, 1, 0}, 0.6f, kSize, kSize));
      }
    }
    return cameras;
  };
}

/// The ground along a course, with a coloured body that hides the middle of the pictures.
Frames film(const scene::CourseCameras& cameras, const scene::Course& course, int frames, double noise = 0) {
  Frames video(2, frames, kSize, kSize);
  const std::vector<scene::Camera> places = cameras(course);
  std::vector<Vec3> pixels(static_cast<std::size_t>(kSize * kSize));
  for (std::size_t image = 0; image < places.size(); ++image) {
    scene::draw_ground(places[image], checkerboard(), pixels);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const auto row = static_cast<int>(i) / kSize, column = static_cast<int>(i) % kSize;
      const bool body = std::hypot(row - kSize / 2, column - kSize / 2) < kSize / 5.0;
      const Vec3 color = body ? Vec3{0.9f, 0.3f, 0.1f} : pixels[i];
      for (int k = 0; k < 3; ++k) {
        video.values[(3 * image + static_cast<std::size_t>(k)) * pixels.size() + i] = color[k];
      }
    }
  }
  if (noise > 0) add_noise(video, noise, 3);
  return video;
}

GroundSpeed measure(const scene::Course& course, int frames, Vec3 forward, double noise = 0, double highest = 0) {
  const scene::CourseCameras cameras = beside(frames, forward);
  const Frames video = film(cameras, course, frames, noise);
  return find_ground_speed(video, cameras, checkerboard(), {{0, 0.5f, 0}, forward, -0.02, 0.12, highest});
}

TEST(GroundSpeed, FindsThePaceOfACheckerboardGoingBy) {
  for (const Vec3 forward : {Vec3{0, 0, 1}, Vec3{1, 0, 0}}) {
    for (const float pace : {0.02f, 0.1f, -0.015f}) {
      for (const float place : {0.0f, 0.37f}) {
        const GroundSpeed found = measure({Vec3{0, 0.5f, 0} + place * forward, pace * forward}, 16, forward);
        EXPECT_NEAR(dot(found.course.velocity, forward), pace, 0.05 * std::abs(pace)) << pace << " from " << place;
        EXPECT_NEAR(norm(found.course.velocity), std::abs(pace), 0.05 * std::abs(pace));
        EXPECT_LT(found.error, 0.1 * found.still_error) << pace;
        EXPECT_GT(found.contrast, 1e-4);
        // Where on the board: up to its period of two cells.
        const double off = std::remainder(double(dot(found.course.middle, forward)) - double(place), 1.6);
        EXPECT_NEAR(off, 0, 0.05) << pace << " from " << place;
      }
    }
  }
}

TEST(GroundSpeed, StandingIsNoSpeed) {
  const Vec3 forward{0, 0, 1};
  const GroundSpeed found = measure({{0, 0.5f, 0.2f}, {}}, 16, forward);
  EXPECT_LT(norm(found.course.velocity), 5e-4f);
  EXPECT_LE(found.still_error, found.error + 1e-4);
}

TEST(GroundSpeed, BearsNoise) {
  const Vec3 forward{0, 0, 1};
  const GroundSpeed found = measure({{0, 0.5f, 0}, 0.05f * forward}, 16, forward, 0.03);
  EXPECT_NEAR(found.course.velocity.z, 0.05, 0.0025);
}

TEST(GroundSpeed, LongClipsAreNotMistakenForOnesThatSkipTwoCells) {
  // Pictures far apart in time look alike when the ground has moved by the board's period in between.
  const Vec3 forward{0, 0, 1};
  for (const float place : {0.05f, 0.1f}) {
    for (const float pace : {0.01f, 0.11f}) {
      const GroundSpeed found = measure({{0, 0.5f, place}, pace * forward}, 96, forward);
      EXPECT_NEAR(found.course.velocity.z, pace, 0.05 * double(pace)) << "from " << place;
    }
  }
}

TEST(GroundSpeed, NothingToSeeHasNoContrast) {
  const Vec3 forward{0, 0, 1};
  Frames colours(2, 6, kSize, kSize);
  const std::size_t plane = kSize * kSize;
  for (std::size_t i = 0; i < colours.values.size(); ++i) colours.values[i] = i / plane % 3 == 0 ? 1.0f : 0.0f;
  const GroundSpeed found =
      find_ground_speed(colours, beside(6, forward), checkerboard(), {{0, 0.5f, 0}, forward, 0, 0.1});
  EXPECT_EQ(found.contrast, 0);
  EXPECT_EQ(found.error, 0);
}

TEST(GroundSpeed, FindsHowHighABodyKeeps) {
  const Vec3 forward{0, 0, 1};
  for (const float rise : {0.27f, 0.6f, 1.13f}) {
    for (const float pace : {0.0f, 0.07f}) {
      const GroundSpeed found = measure({{0, 0.5f + rise, 0.3f}, pace * forward}, 16, forward, 0.01, 1.5);
      EXPECT_NEAR(found.course.middle.y - 0.5f, rise, 0.03) << "at a pace of " << pace;
      EXPECT_NEAR(found.course.velocity.z, pace, 0.003) << "at a height of " << rise;
    }
  }
}

TEST(GroundSpeed, WhatStandsStaysThere) {
  const Vec3 forward{0, 0, 1};
  for (const double highest : {0.0, 1.5}) {
    const GroundSpeed found = measure({{0, 0.5f, 0.3f}, 0.05f * forward}, 16, forward, 0.04, highest);
    EXPECT_EQ(found.course.middle.y, 0.5f) << highest;
  }
  // Nor is a height found that was not asked for.
  EXPECT_EQ(measure({{0, 1.1f, 0.3f}, 0.05f * forward}, 16, forward).course.middle.y, 0.5f);
}

TEST(GroundSpeed, GivesTheSameBitsForAnyThreadCount) {
  const Vec3 forward{0, 0, 1};
  const scene::Course course{{0, 0.5f, 0.1f}, 0.03f * forward};
  set_thread_count(1);
  const GroundSpeed one = measure(course, 8, forward);
  set_thread_count(3);
  const GroundSpeed three = measure(course, 8, forward);
  set_thread_count(0);
  EXPECT_EQ(one.course.velocity, three.course.velocity);
  EXPECT_EQ(one.course.middle, three.course.middle);
  EXPECT_EQ(one.error, three.error);
}

}  // namespace
}  // namespace limber::lift
