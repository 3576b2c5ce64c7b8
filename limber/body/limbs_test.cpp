// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/limbs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "limber/testing/surfaces.h"

namespace limber::body {
namespace {

using testing::capsule;
using testing::TestSurface;

/// A ball with an arm to each side, the left one longer, and a horn on top.
BodyShape armed_ball(double left, double right) {
  TestSurface surface = capsule({0, 0, 0}, {0, 0, 0}, 0.3, 0.3);
  surface.add(capsule({0.2, 0, 0}, {left, 0, 0}, 0.06, 0.06));
  surface.add(capsule({-0.2, 0, 0}, {-right, 0, 0}, 0.06, 0.06));
  surface.add(capsule({0, 0.2, 0}, {0, 0.9, 0}, 0.06, 0.06));
  return study_body(surface.points, surface.triangles, {128, 2000000, 3});
}

std::vector<Vec3d> tip_ends(const BodyShape& body) {
  std::vector<Vec3d> ends;
  for (const Tip& tip : body.tips) {
    if (tip.length > kLimbRatio * body.sphere(tip.fork).radius) ends.push_back(body.sphere(tip.sphere).centre);
  }
  return ends;
}

/// The tip that lies farthest along an axis.
int tip_along(const BodyShape& body, Vec3d axis) {
  return std::max_element(body.tips.begin(), body.tips.end(),
                          [&](const Tip& a, const Tip& b) {
                            return dot(axis, body.sphere(a.sphere).centre) < dot(axis, body.sphere(b.sphere).centre);
                          })
      ->sphere;
}

TEST(TraceLimb, EndsInTheFleshBeyondTheLastSphereAndInsideTheSkin) {
  const BodyShape body = armed_ball(1, 1);
  const int tip = tip_along(body, {1, 0, 0});
  const std::vector<int> path = body.paths.path(tip);
  const TracedLimb bare = trace_limb(body, path, LimbEnd::kLastSphere),
                   whole = trace_limb(body, path, LimbEnd::kInFlesh);
  EXPECT_EQ(bare.line.size() + 1, whole.line.size());
  EXPECT_EQ(norm(bare.end() - body.sphere(tip).centre), 0);
  EXPECT_NEAR(norm(whole.end() - bare.end()), kLimbEnd * body.sphere(tip).radius, 1e-12);
  EXPECT_GT(whole.end().x, bare.end().x);
  EXPECT_GT(body.field.depth(whole.end()), 0);
  std::vector<Vec3d> line = bare.line;
  reach_skin(body, line);
  EXPECT_GT(line.back().x, whole.end().x);
  EXPECT_NEAR(line.back().x, 1.06, 0.03);
}

TEST(TraceLimb, LeavesOutWhatComesBeforeItButGoesTheSameWay) {
  const BodyShape body = armed_ball(1, 1);
  const std::vector<int> path = body.paths.path(tip_along(body, {1, 0, 0}));
  ASSERT_GT(path.size(), 3u);
  const TracedLimb whole = trace_limb(body, path, LimbEnd::kInFlesh);
  TracedLimb last = trace_limb(body, path, LimbEnd::kInFlesh, path.size() - 1);
  EXPECT_EQ(last.spheres, std::vector<int>{path.back()});
  EXPECT_EQ(norm(last.end() - whole.end()), 0);
  last.make_even(4);
  EXPECT_EQ(last.line.size(), 5u);
  EXPECT_NEAR(last.length(), kLimbEnd * body.sphere(path.back()).radius, 1e-12);
}

TEST(LimbCover, HoldsTheFleshOfItsSpheresAndNoMore) {
  const BodyShape body = armed_ball(1, 1);
  LimbCover cover(body);
  EXPECT_FALSE(cover.covers(body.centre));
  cover.add(std::vector<int>{body.centre});
  EXPECT_EQ(cover.covering(body.centre), body.centre);
  const double radius = body.sphere(body.centre).radius;
  const Vec3d middle = body.sphere(body.centre).centre;
  EXPECT_TRUE(cover.covers(middle + Vec3d{1.2 * radius, 0, 0}));
  EXPECT_FALSE(cover.covers(middle + Vec3d{1.3 * radius, 0, 0}));
  EXPECT_FALSE(cover.covers(middle + Vec3d{1.2 * radius, 0, 0}, 1));
  EXPECT_FALSE(cover.covers(tip_along(body, {1, 0, 0})));
  for (const SphereGraph::Edge& edge : body.graph.edges[static_cast<std::size_t>(body.centre)]) {
    EXPECT_EQ(cover.covers(edge.to), edge.length < kFlesh * radius);
  }
}

TEST(PairLimbs, FindsArmsThatAreMirrorImagesAndLeavesTheMiddleAlone) {
  MirrorPlane plane;
  const BodyShape even = armed_ball(1, 1), uneven = armed_ball(1, 0.7);
  const std::vector<Vec3d> ends = tip_ends(even);
  ASSERT_EQ(ends.size(), 3u);
  const std::vector<int> partners = pair_limbs(even, ends, plane);
  for (std::size_t k = 0; k < ends.size(); ++k) {
    if (std::abs(ends[k].x) < 0.1) {
      EXPECT_EQ(partners[k], -1);
    } else {
      ASSERT_GE(partners[k], 0);
      EXPECT_LT(ends[k].x * ends[static_cast<std::size_t>(partners[k])].x, 0);
      EXPECT_EQ(partners[static_cast<std::size_t>(partners[k])], static_cast<int>(k));
    }
  }
  EXPECT_EQ(pair_limbs(uneven, tip_ends(uneven), plane), std::vector<int>(3, -1));
  // Who allows more finds more.
  const std::vector<int> lenient = pair_limbs(uneven, tip_ends(uneven), plane, 0.3);
  EXPECT_EQ(std::count(lenient.begin(), lenient.end(), -1), 1);
}

TEST(FindPartner, TakesTheNearestThatIsFree) {
  const std::vector<Vec3d> ends{{1, 0, 0}, {-1, 0, 0.02}, {-1, 0, 0.05}};
  const MirrorPlane plane;
  EXPECT_EQ(find_partner(ends, ends[0], plane, 0.1), 1);
  EXPECT_EQ(find_partner(ends, ends[0], plane, 0.1, {true, false, true}), 2);
  EXPECT_EQ(find_partner(ends, ends[0], plane, 0.01), -1);
}

}  // namespace
}  // namespace limber::body
