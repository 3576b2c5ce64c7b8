// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/surface_view.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/lift/lift_testing.h"
#include "limber/lift/outline_match.h"

namespace limber::lift {
namespace {

TEST(SurfaceView, KnowsWhichPointIsInWhichPixel) {
  const rig::Subject tube = test_tube(3);
  SurfaceViewer viewer(tube);
  kinematics::Pose pose = kinematics::rest_pose(tube.rig);
  pose.angles[1].z = 0.4f, pose.root_translation.x = 0.05f;
  viewer.set_pose(pose);
  const scene::Camera camera = orbit_camera({0.3, 0.2, 4, 0, 0}, {0, 0.5f, 0}, 0.6f, 80, 60);
  SurfaceView view;
  viewer.draw(camera, view);
  int seen = 0;
  for (int y = 0; y < view.height; ++y) {
    for (int x = 0; x < view.width; ++x) {
      const std::size_t at = view.index(x, y);
      if (view.triangle[at] < 0 || view.coverage[at] < 0.99f) continue;
      ++seen;
      const Vec3 point = viewer.place(static_cast<std::uint32_t>(view.triangle[at]), view.barycentric[at]);
      const ImagePoint image = project(camera, point);
      EXPECT_NEAR(image.x, static_cast<float>(x) + 0.5f, 0.51f);
      EXPECT_NEAR(image.y, static_cast<float>(y) + 0.5f, 0.51f);
      EXPECT_NEAR(image.depth, view.depth[at], 1e-3f);
    }
  }
  EXPECT_GT(seen, 50);
}

TEST(SurfaceView, ResizedCamerasSeeTheSame) {
  const scene::Camera camera = orbit_camera({0.3, 0.2, 4, 0, 0}, {0, 0.5f, 0}, 0.6f, 80, 60);
  const scene::Camera small = resized(camera, 40, 30);
  const ImagePoint a = project(camera, {0.1f, 0.8f, 0.2f}), b = project(small, {0.1f, 0.8f, 0.2f});
  EXPECT_NEAR(a.x, 2 * b.x, 1e-4f);
  EXPECT_NEAR(a.y, 2 * b.y, 1e-4f);
}

TEST(SurfaceView, MeasuresOverlap) {
  const std::vector<float> a{1, 1, 0, 0}, b{0, 1, 1, 0}, none(4);
  EXPECT_NEAR(silhouette_overlap(a, b), 1.0 / 3, 1e-12);
  EXPECT_EQ(silhouette_overlap(a, a), 1);
  EXPECT_EQ(silhouette_overlap(none, none), 0);
}

TEST(SurfaceView, ForgivesAPixelOfAThinLimb) {
  std::vector<float> a(64), b(64);
  for (int y = 0; y < 8; ++y) a[static_cast<std::size_t>(8 * y + 3)] = b[static_cast<std::size_t>(8 * y + 4)] = 1;
  EXPECT_EQ(silhouette_overlap(a, b), 0);
  EXPECT_EQ(tolerant_overlap(a, b, 8), 1);
  std::fill(b.begin(), b.end(), 0.0f);
  for (int y = 0; y < 8; ++y) b[static_cast<std::size_t>(8 * y + 6)] = 1;
  EXPECT_EQ(tolerant_overlap(a, b, 8), 0);
}

TEST(OutlineMatch, FindsHowFarAnOutlineIsOff) {
  const rig::Subject tube = test_tube(3);
  SurfaceViewer viewer(tube);
  const scene::Camera camera = orbit_camera({0, 0, 4, 0, 0}, {0, 0.5f, 0}, 0.6f, 96, 96);
  SurfaceView view;
  viewer.draw(camera, view);
  // The mask is the same silhouette three pixels to the right.
  std::vector<float> mask(view.coverage.size());
  for (int y = 0; y < 96; ++y) {
    for (int x = 3; x < 96; ++x) mask[view.index(x, y)] = view.coverage[view.index(x - 3, y)];
  }
  const std::vector<OutlinePoint> points = match_outline(view, mask);
  ASSERT_GT(points.size(), 20u);
  for (const OutlinePoint& point : points) {
    if (std::abs(point.direction.x) < 0.9f) continue;
    const ImagePoint image = project(camera, viewer.place(point.triangle, point.barycentric));
    const float off = (point.pixel.x - image.x) * point.direction.x + (point.pixel.y - image.y) * point.direction.y;
    EXPECT_NEAR(off, 3 * point.direction.x, 0.8f);
  }
  EXPECT_TRUE(match_outline(view, std::vector<float>(mask.size())).empty());
}

}  // namespace
}  // namespace limber::lift
