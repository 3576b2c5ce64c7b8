// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/body_variation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

namespace limber::training {
namespace {

/// A sphere in the middle and one on either side, left and right being exact images.
PosedBody three_spheres() {
  Rng rng(4);
  PosedBody body;
  const auto add = [&](float x, Vec3 out, anatomy::Region region) {
    body.points.push_back(Vec3{x, 0, 0} + out), body.normals.push_back(out);
    body.regions.push_back(region), body.starts.push_back({x, 0, 0});
    body.limb.push_back(static_cast<std::uint16_t>(x == 0 ? 0 : x > 0 ? 1 : 2)), body.along.push_back(0.5f);
  };
  body.limbs = {{rig::LimbKind::kTrunk, rig::Side::kMiddle, {0, 0, -1}, {0, 0, 1}},
                {rig::LimbKind::kArm, rig::Side::kLeft, {2, 0, 0}, {4, 0, 0}},
                {rig::LimbKind::kArm, rig::Side::kRight, {-2, 0, 0}, {-4, 0, 0}}};
  Vec3 last;
  for (int i = 0; i < 200; ++i) {
    const Vec3 out = normalized(Vec3d{rng.normal(), rng.normal(), rng.normal()}).cast<float>();
    const float turned = i % 2 == 0 ? 1.0f : -1.0f;
    if (i % 2 == 0) last = out;
    add(0, {turned * last.x, last.y, last.z}, anatomy::Region::kTrunk);
    add(3, out, anatomy::Region::kFrontEndLeft);
    add(-3, {-out.x, out.y, out.z}, anatomy::Region::kFrontEndRight);
  }
  return body;
}

float radius(const PosedBody& body, std::size_t i) { return norm(body.points[i] - body.starts[i]); }

TEST(BodyVariation, FattensAlikeOnBothSides) {
  PosedBody body = three_spheres();
  Rng rng(1);
  fatten(body, 0.1, rng);
  for (std::size_t i = 0; i < body.points.size(); i += 3) {
    EXPECT_GT(radius(body, i), 1.05f);
    EXPECT_NEAR(radius(body, i + 1), radius(body, i + 2), 1e-5);
    EXPECT_NEAR(radius(body, i + 1), radius(body, 1), 1e-5);
  }
}

TEST(BodyVariation, WarpsAlikeOnBothSides) {
  PosedBody body = three_spheres();
  const PosedBody before = body;
  Rng rng(2);
  warp(body, 0.1, rng);
  float moved = 0;
  for (std::size_t i = 0; i < body.points.size(); i += 3) {
    const Vec3 left = body.points[i + 1], right = body.points[i + 2];
    EXPECT_LT(norm(left - Vec3{-right.x, right.y, right.z}), 1e-4f);
    EXPECT_LT(norm(body.starts[i + 1] - Vec3{-body.starts[i + 2].x, body.starts[i + 2].y, body.starts[i + 2].z}),
              1e-4f);
    moved = std::max(moved, norm(left - before.points[i + 1]));
  }
  EXPECT_GT(moved, 0.05f);
}

TEST(BodyVariation, ThingsTakeTheirPointsFromTheBody) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    PosedBody body = three_spheres();
    const PosedBody before = body;
    Rng rng(seed);
    add_thing(body, rng);
    std::size_t taken = 0;
    for (std::size_t i = 0; i < body.points.size(); ++i) {
      if (body.regions[i] != anatomy::Region::kOther) {
        EXPECT_EQ(norm(body.points[i] - before.points[i]), 0);
        continue;
      }
      ++taken;
      EXPECT_NEAR(norm(body.normals[i]), 1, 1e-5);
    }
    EXPECT_LT(taken, body.points.size() / 2) << seed;
  }
}

/// What is worn, stood on or lies about is a limb of its own: a prop.
TEST(BodyVariation, PropsAreLimbs) {
  for (auto* add : {add_thing, add_pedestal, add_specks}) {
    PosedBody body = three_spheres();
    Rng rng(3);
    add(body, rng);
    ASSERT_GT(body.limbs.size(), 3u);
    for (std::size_t i = 0; i < body.points.size(); ++i) {
      ASSERT_LT(body.limb[i], body.limbs.size());
      EXPECT_EQ(body.limbs[body.limb[i]].kind == rig::LimbKind::kProp, body.regions[i] == anatomy::Region::kOther);
      EXPECT_TRUE(body.along[i] >= 0 && body.along[i] <= 1);
    }
  }
}

TEST(BodyVariation, PedestalsAreBelow) {
  PosedBody body = three_spheres();
  Rng rng(8);
  add_pedestal(body, rng);
  float lowest = 0, highest = -1e30f;
  for (std::size_t i = 0; i < body.points.size(); ++i) {
    const bool prop = body.regions[i] == anatomy::Region::kOther;
    if (prop) highest = std::max(highest, body.points[i].y);
    if (!prop) lowest = std::min(lowest, body.points[i].y);
  }
  EXPECT_LT(highest, lowest + 0.05f);
}

TEST(BodyVariation, FacetsLieOnFewPlanes) {
  PosedBody body = three_spheres();
  Rng rng(9);
  facet(body, 12, rng);
  std::set<std::array<float, 3>> normals;
  for (const Vec3& n : body.normals) normals.insert({n.x, n.y, n.z});
  EXPECT_LE(normals.size(), 12u);
}

/// Holes are patches: of the points around one that is gone, most are gone too.
TEST(BodyVariation, HolesTakeTheirShare) {
  PosedBody body = three_spheres();
  const std::size_t before = body.points.size();
  Rng rng(10);
  cut_holes(body, 0.3, rng);
  EXPECT_NEAR(static_cast<double>(body.points.size()) / static_cast<double>(before), 0.7, 0.02);
  EXPECT_EQ(body.limb.size(), body.points.size());
  EXPECT_EQ(body.limbs.size(), 3u);
  thin_out(body, 64, rng);
  EXPECT_EQ(body.points.size(), 64u);
  EXPECT_EQ(body.along.size(), 64u);
}

TEST(BodyVariation, TwoFiguresKeepTheirLimbs) {
  PosedBody body = three_spheres();
  const PosedBody other = three_spheres();
  body.kind = anatomy::BodyKind::kHumanoid;
  Rng rng(11);
  put_beside(body, other, rng);
  EXPECT_EQ(body.kind, anatomy::BodyKind::kOther);
  EXPECT_EQ(body.limbs.size(), 6u);
  EXPECT_EQ(body.points.size(), 2 * other.points.size());
  EXPECT_EQ(body.limb.back(), other.limb.back() + 3);
}

}  // namespace
}  // namespace limber::training
