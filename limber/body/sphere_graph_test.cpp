// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/sphere_graph.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "limber/body/body_shape.h"
#include "limber/testing/surfaces.h"

namespace limber::body {
namespace {

using testing::ball;
using testing::capsule;
using testing::TestSurface;

SolidSettings coarse() { return {96, 2000000, 3}; }

/// A ball with four limbs in the plane z = 0.
TestSurface cross_body() {
  TestSurface body = ball({0, 0, 0}, 0.5);
  body.add(capsule({0, 0, 0}, {2, 0, 0}, 0.15, 0.1));
  body.add(capsule({0, 0, 0}, {-2, 0, 0}, 0.15, 0.1));
  body.add(capsule({0, 0, 0}, {0, 1.5, 0}, 0.15, 0.1));
  body.add(capsule({0, 0, 0}, {0, -0.9, 0}, 0.15, 0.1));
  return body;
}

TEST(MedialSpheres, LieInTheSolidAndCoverItsMiddle) {
  const TestSurface surface = cross_body();
  const BodyShape body = study_body(surface.points, surface.triangles, coarse());
  EXPECT_LT(norm(body.sphere(0).centre), 0.1);
  EXPECT_NEAR(body.sphere(0).radius, 0.5, 0.05);
  for (const MedialSphere& s : body.graph.spheres) {
    EXPECT_GT(body.field.depth(s.centre), 0);
    EXPECT_NEAR(body.field.depth(s.centre), s.radius, 1e-6);
  }
  EXPECT_LT(body.graph.count(), 400);
}

TEST(SphereGraph, FindsTheEndsOfFourLimbs) {
  const TestSurface surface = cross_body();
  const BodyShape body = study_body(surface.points, surface.triangles, coarse());
  int limbs = 0;
  for (const Tip& tip : body.tips) {
    if (tip.length < kLimbRatio * body.sphere(tip.fork).radius) continue;
    ++limbs;
    const Vec3d p = body.sphere(tip.sphere).centre;
    EXPECT_GT(std::max(std::abs(p.x), std::abs(p.y)), 0.7);
  }
  EXPECT_EQ(limbs, 4);
  EXPECT_EQ(body.graph.bridges, 0);
}

TEST(SphereGraph, BridgesPartsThatDoNotTouch) {
  TestSurface surface = ball({0, 0, 0}, 0.5);
  surface.add(ball({1.3, 0, 0}, 0.3));
  surface.add(ball({-1.5, 0.2, 0}, 0.2));
  const BodyShape body = study_body(surface.points, surface.triangles, coarse());
  EXPECT_EQ(body.graph.bridges, 2);
  EXPECT_EQ(body.graph.figures, 1) << "what floats beside a body is a piece of it";
  for (const double d : shortest_paths(body.graph, 0).distance) EXPECT_TRUE(std::isfinite(d));
}

TEST(SphereGraph, CountsFiguresThatStandApart) {
  TestSurface surface = cross_body(), other = cross_body();
  for (Vec3& p : other.points) p.x += 5;
  surface.add(other);
  EXPECT_EQ(study_body(surface.points, surface.triangles, coarse()).graph.figures, 2);
  EXPECT_EQ(study_body(cross_body().points, cross_body().triangles, coarse()).graph.figures, 1);
}

TEST(MirrorPlanes, AreFoundAlongAxesAndTilted) {
  const TestSurface surface = cross_body();
  const BodyShape body = study_body(surface.points, surface.triangles, coarse());
  EXPECT_LT(body.planes[0].error, 0.006);                     // left and right
  EXPECT_GT(body.planes[1].error, 2 * body.planes[0].error);  // up and down: the limbs differ
  EXPECT_LT(body.planes[2].error, 0.006);

  // Turned by 30 degrees about Z, no axis is across the sides any more.
  TestSurface turned = surface;
  const Quat turn = axis_angle(Vec3{0, 0, 1}, 0.52f);
  for (Vec3& p : turned.points) p = rotate(turn, p);
  const BodyShape other = study_body(turned.points, turned.triangles, coarse());
  const Vec3d side = rotate(turn, Vec3{1, 0, 0}).cast<double>();
  EXPECT_TRUE(std::any_of(other.planes.begin(), other.planes.end(), [&](const MirrorPlane& plane) {
    return std::abs(dot(plane.normal, side)) > 0.98 && plane.error < 0.008;
  }));
}

TEST(BodyShape, LeavesOutWhatTheBodyStandsOn) {
  const TestSurface dog = testing::dog();
  const BodyShape alone = study_body(dog.points, dog.triangles, coarse());
  const auto on_block = [&](double thick, double up) {
    TestSurface surface;
    for (int k = 0; k < 8; ++k) {
      surface.points.push_back(
          Vec3d{(k & 1) != 0 ? 0.9 : -0.9, (k & 2) != 0 ? 0.0 : -thick, (k & 4) != 0 ? 0.9 : -0.9}.cast<float>());
    }
    surface.triangles = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                         {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
    surface.add(dog);
    for (Vec3& p : surface.points) p.y *= static_cast<float>(up);
    return study_body(surface.points, surface.triangles, coarse());
  };
  EXPECT_EQ(on_block(0.2, 1).graph.count(), alone.graph.count()) << "a pedestal";
  EXPECT_NEAR(on_block(0.2, 1).surface.low.y, alone.surface.low.y, 1e-6);
  EXPECT_LT(on_block(2, 1).surface.low.y, -1.9) << "a block that is higher than the dog is no pedestal";
  EXPECT_GT(on_block(0.2, -1).surface.high.y, 0.19) << "nor is what lies on the back of the dog";
}

TEST(BodyShape, SurvivesAlmostNothing) {
  EXPECT_EQ(study_body({}, {}, coarse()).graph.count(), 1);
  const std::vector<Vec3> point{{1, 2, 3}};
  EXPECT_GE(study_body(point, {}, coarse()).graph.count(), 1);
}

}  // namespace
}  // namespace limber::body
