// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skin/heat.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/base/rng.h"
#include "limber/skin/solve.h"
#include "limber/testing/surfaces.h"

namespace limber::skin {
namespace {

using testing::ball;
using testing::capsule;
using testing::TestSurface;

/// A closed tube of radius one along y, from -length to length, its rings `step` apart.
TestSurface tube(double length, double step, int sides) {
  TestSurface surface;
  const int rings = static_cast<int>(std::lround(2 * length / step));
  for (int r = 0; r <= rings; ++r) {
    for (int s = 0; s < sides; ++s) {
      const double angle = 2 * kPi * s / sides;
      surface.points.push_back(Vec3d{std::cos(angle), -length + step * r, std::sin(angle)}.cast<float>());
    }
  }
  const auto n = static_cast<std::uint32_t>(sides), last = static_cast<std::uint32_t>(rings);
  for (std::uint32_t s = 0; s < n; ++s) {
    const std::uint32_t next = (s + 1) % n;
    for (std::uint32_t r = 0; r < last; ++r) {
      surface.triangles.push_back({r * n + s, (r + 1) * n + s, r * n + next});
      surface.triangles.push_back({r * n + next, (r + 1) * n + s, (r + 1) * n + next});
    }
    if (s > 1) {
      surface.triangles.push_back({0, s - 1, s});
      surface.triangles.push_back({last * n, last * n + s, last * n + s - 1});
    }
  }
  return surface;
}

double weight_of(const std::vector<rig::Influence>& row, int bone) {
  for (const rig::Influence& influence : row) {
    if (influence.bone == bone) return influence.weight;
  }
  return 0;
}

double row_sum(const std::vector<rig::Influence>& row) {
  double sum = 0;
  for (const rig::Influence& influence : row) sum += influence.weight;
  return sum;
}

const std::vector<SkinBone> kTwoBones{{0, {{{0, -6, 0}, {0, 0, 0}}}, false}, {1, {{{0, 0, 0}, {0, 6, 0}}}, false}};

TEST(SkinHeat, DecaysAsExpOnATube) {
  const TestSurface surface = tube(6, 0.1, 32);
  const SkinBody body = make_skin_body(surface.points, surface.triangles);
  const BoneBinding binding = bind_to_bones(body, kTwoBones);
  for (const double stiffness : {1.0, 3.0}) {
    const auto rows = skin_heat(body, kTwoBones, binding, {stiffness});
    for (std::size_t v = 0; v < rows.size(); ++v) {
      const double y = body.surface.points[v].y;
      if (std::abs(y) > 3) continue;
      const double decay = 0.5 * std::exp(-std::abs(y) * std::sqrt(stiffness));
      EXPECT_NEAR(weight_of(rows[v], 1), y > 0 ? 1 - decay : decay, 0.01) << y;
    }
  }
}

TEST(SkinHeat, SumsToOneOnEveryComponent) {
  TestSurface surface = tube(6, 0.5, 12);
  surface.add(ball({4, 0, 0}, 0.5, 8));
  surface.add(ball({0, 20, 0}, 0.5, 8));
  const SkinBody body = make_skin_body(surface.points, surface.triangles);
  const auto rows = skin_heat(body, kTwoBones, bind_to_bones(body, kTwoBones));
  for (const auto& row : rows) EXPECT_NEAR(row_sum(row), 1, 1e-3);
}

TEST(SkinHeat, SurvivesThirteenSpecks) {
  // Loose islands make the usual solver return nothing at all.
  TestSurface surface = tube(6, 0.5, 12);
  const SkinBody clean = make_skin_body(surface.points, surface.triangles);
  const std::size_t count = clean.surface.points.size();
  Rng rng(9);
  for (int k = 0; k < 13; ++k) {
    const Vec3d at{rng.uniform(-3, 3), rng.uniform(-6, 6), rng.uniform(1.5, 3)};
    const auto first = static_cast<std::uint32_t>(surface.points.size());
    for (const Vec3d corner : {Vec3d{0, 0, 0}, Vec3d{0.01, 0, 0}, Vec3d{0, 0.01, 0}}) {
      surface.points.push_back((at + corner).cast<float>());
    }
    surface.triangles.push_back({first, first + 1, first + 2});
  }
  const std::vector<SkinJoint> joints{
      {{0, -6, 0}}, {{0, 0, 0}, Mat3d::identity(), 0}, {{0, 5.5, 0}, Mat3d::identity(), 1, false}};
  const SkinResult result = solve_skin(surface.points, surface.triangles, joints);
  EXPECT_EQ(result.report.pieces.size(), 14u);
  std::array<int, 2> held{};
  for (std::size_t v = 0; v < surface.points.size(); ++v) {
    double sum = 0;
    for (std::size_t k = 4 * v; k < 4 * v + 4; ++k) sum += result.weights.weights[k];
    EXPECT_NEAR(sum, 1, 1e-5);
    if (v < count) ++held[result.weights.bones[4 * v]];
  }
  EXPECT_GT(held[0], 100);
  EXPECT_GT(held[1], 100);
}

TEST(SkinHeat, FeedsTheSpineOfABarrel) {
  // Bones close below the surface on all sides leave nothing to the one in the middle.
  const TestSurface barrel = capsule({0, -1, 0}, {0, 1, 0}, 1, 1, 24);
  std::vector<SkinBone> bones{{0, {{{0, -0.2, 0}, {0, 0.2, 0}}}, false}};
  for (int k = 0; k < 12; ++k) {
    const double angle = 2 * kPi * k / 12, x = 0.8 * std::cos(angle), z = 0.8 * std::sin(angle);
    bones.push_back({k + 1, {{{x, -1.2, z}, {x, 1.2, z}}}, false});
  }
  bones.push_back({13, {{{0, 1.5, 0}, {0, 1.8, 0}}}, false});
  bones.push_back({14, {{{0, -1.5, 0}, {0, -1.8, 0}}}, false});
  const SkinBody body = make_skin_body(barrel.points, barrel.triangles);
  const BoneBinding binding = bind_to_bones(body, bones);
  EXPECT_EQ(binding.fed, std::vector<int>{0});
  double held = 0;
  for (const auto& row : skin_heat(body, bones, binding)) held += weight_of(row, 0);
  EXPECT_GT(held, 0.01 * static_cast<double>(body.surface.points.size()));
}

TEST(SkinHeat, PrefersTheBoneBehindTheSurface) {
  // Two legs close together: the inner side of one is nearer to the other's bone than a thin leg's own.
  TestSurface surface = capsule({0, 0, 0}, {0, 4, 0}, 0.5, 0.5);
  surface.add(capsule({0.9, 0, 0}, {0.9, 4, 0}, 0.3, 0.3));
  const std::vector<SkinBone> bones{{0, {{{-0.3, 0, 0}, {-0.3, 4, 0}}}, false},
                                    {1, {{{0.9, 0, 0}, {0.9, 4, 0}}}, false}};
  const SkinBody body = make_skin_body(surface.points, surface.triangles);
  const auto rows = skin_heat(body, bones, bind_to_bones(body, bones));
  for (std::size_t v = 0; v < rows.size(); ++v) {
    EXPECT_GT(weight_of(rows[v], body.surface.points[v].x > 0.55 ? 1 : 0), 0.99) << body.surface.points[v].x;
  }
}

TEST(SkinHeat, BindsAcrossNonManifoldEdgesAndSeams) {
  // Every triangle twice, half of them turned, with a fin on an edge, and all corners split.
  const TestSurface clean = tube(6, 0.5, 12);
  TestSurface dirty;
  Rng rng(2);
  for (int copy = 0; copy < 2; ++copy) {
    for (const body::Triangle& t : clean.triangles) {
      const auto first = static_cast<std::uint32_t>(dirty.points.size());
      for (const std::uint32_t corner : t) dirty.points.push_back(clean.points[corner]);
      if (rng.chance(0.5)) {
        dirty.triangles.push_back({first, first + 1, first + 2});
      } else {
        dirty.triangles.push_back({first, first + 2, first + 1});
      }
    }
  }
  const SkinBody body = make_skin_body(dirty.points, dirty.triangles);
  EXPECT_EQ(body.surface.points.size(), clean.points.size());
  const auto rows = skin_heat(body, kTwoBones, bind_to_bones(body, kTwoBones));
  for (std::size_t v = 0; v < rows.size(); ++v) {
    const double y = body.surface.points[v].y;
    EXPECT_NEAR(row_sum(rows[v]), 1, 1e-3);
    if (y > 2) {
      EXPECT_GT(weight_of(rows[v], 1), 0.9);
    }
    if (y < -2) {
      EXPECT_GT(weight_of(rows[v], 0), 0.9);
    }
  }
}

}  // namespace
}  // namespace limber::skin
