// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/body_tokens.h"

#include <gtest/gtest.h>

#include <set>

#include "limber/base/rng.h"

namespace limber::anatomy {
namespace {

std::vector<Vec3> random_points(int count) {
  Rng rng(3);
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) points.push_back(Vec3d{rng.normal(), 2 * rng.normal(), 3}.cast<float>());
  return points;
}

ReaderModel small_model() {
  ReaderModel model;
  model.points = 200, model.tokens = 40, model.neighbours = 8;
  return model;
}

TEST(BodyTokens, AreCentredAndScaled) {
  const std::vector<Vec3> points = random_points(200);
  const BodyTokens body = make_tokens(small_model(), points, std::vector<Vec3>(200));
  Vec3 mean;
  float spread = 0;
  for (const std::uint16_t t : body.tokens)
    mean += (1 / 40.0f) * body.points[t], spread += squared_norm(body.points[t]) / 40;
  EXPECT_LT(norm(mean), 1e-5f);
  EXPECT_NEAR(spread, 1, 1e-4);
  for (std::size_t i = 0; i < points.size(); ++i)
    EXPECT_LT(norm(body.scale * body.points[i] + body.centre - points[i]), 1e-5f);
}

TEST(BodyTokens, SpreadEvenly) {
  const BodyTokens body = make_tokens(small_model(), random_points(200), std::vector<Vec3>(200));
  EXPECT_EQ(std::set<std::uint16_t>(body.tokens.begin(), body.tokens.end()).size(), 40u);
  // Every point is nearer to some token than tokens are to each other.
  float apart = 1e9f, near = 0;
  for (std::size_t i = 0; i < body.tokens.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      apart = std::min(apart, norm(body.points[body.tokens[i]] - body.points[body.tokens[j]]));
  }
  for (const Vec3& p : body.points) {
    float nearest = 1e9f;
    for (const std::uint16_t t : body.tokens) nearest = std::min(nearest, norm(p - body.points[t]));
    near = std::max(near, nearest);
  }
  EXPECT_LE(near, apart);
}

TEST(BodyTokens, NeighboursAreTheNearest) {
  const ReaderModel model = small_model();
  const BodyTokens body = make_tokens(model, random_points(200), std::vector<Vec3>(200));
  for (std::size_t t = 0; t < body.tokens.size(); ++t) {
    const Vec3 at = body.points[body.tokens[t]];
    EXPECT_EQ(body.neighbours[t * 8], body.tokens[t]);
    const float farthest = norm(body.points[body.neighbours[t * 8 + 7]] - at);
    int nearer = 0;
    for (const Vec3& p : body.points) nearer += norm(p - at) < farthest ? 1 : 0;
    EXPECT_EQ(nearer, 7);
  }
}

TEST(BodyTokens, TurnWithTheBody) {
  const std::vector<Vec3> points = random_points(200);
  std::vector<Vec3> turned;
  for (const Vec3& p : points) turned.push_back({p.y, p.z, p.x});
  const BodyTokens a = make_tokens(small_model(), points, std::vector<Vec3>(200));
  const BodyTokens b = make_tokens(small_model(), turned, std::vector<Vec3>(200));
  EXPECT_EQ(a.tokens, b.tokens);
  EXPECT_NEAR(a.scale, b.scale, 1e-6);
}

TEST(SampleSkin, LiesOnTheSkinAndLooksOut) {
  // A cube, and a smaller one inside of it that nobody sees.
  std::vector<Vec3> points;
  std::vector<body::Triangle> triangles;
  for (const float side : {1.0f, 0.5f}) {
    const auto first = static_cast<std::uint32_t>(points.size());
    for (int i = 0; i < 8; ++i)
      points.push_back(side *
                       Vec3{(i & 1) != 0 ? 0.5f : -0.5f, (i & 2) != 0 ? 0.5f : -0.5f, (i & 4) != 0 ? 0.5f : -0.5f});
    for (const body::Triangle& t : std::vector<body::Triangle>{{0, 2, 1},
                                                               {1, 2, 3},
                                                               {4, 5, 6},
                                                               {5, 7, 6},
                                                               {0, 1, 4},
                                                               {1, 5, 4},
                                                               {2, 6, 3},
                                                               {3, 6, 7},
                                                               {0, 4, 2},
                                                               {2, 4, 6},
                                                               {1, 3, 5},
                                                               {3, 7, 5}})
      triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
  const SkinSamples samples = sample_skin(body::study_body(points, triangles), 500);
  ASSERT_EQ(samples.points.size(), 500u);
  for (std::size_t i = 0; i < 500; ++i) {
    const Vec3 p = samples.points[i];
    EXPECT_NEAR(std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}), 0.5, 1e-5);
    EXPECT_GT(dot(p, samples.normals[i]), 0);
  }
}

}  // namespace
}  // namespace limber::anatomy
