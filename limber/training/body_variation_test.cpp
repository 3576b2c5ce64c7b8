// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/body_variation.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace limber::training {
namespace {

/// A sphere in the middle and one on either side, left and right being exact images.
PosedBody three_spheres() {
  Rng rng(4);
  PosedBody body;
  const auto add = [&](float x, Vec3 out, anatomy::Region region) {
    body.points.push_back(Vec3{x, 0, 0} + out), body.normals.push_back(out);
    body.regions.push_back(region), body.starts.push_back({x, 0, 0});
  };
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

}  // namespace
}  // namespace limber::training
