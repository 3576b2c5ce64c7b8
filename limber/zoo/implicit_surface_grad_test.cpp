// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "limber/base/rng.h"
#include "limber/zoo/implicit_surface.h"

namespace limber::zoo {
namespace {

/// Central differences of the value.
Vec3d differences(const ImplicitSurface& surface, Vec3d point) {
  constexpr double kStep = 1e-6;
  Vec3d gradient;
  for (int k = 0; k < 3; ++k) {
    Vec3d low = point, high = point;
    low[k] -= kStep, high[k] += kStep;
    gradient[k] = (surface.evaluate(high).value - surface.evaluate(low).value) / (2 * kStep);
  }
  return gradient;
}

Vec3d random_point(Rng& rng) { return {rng.uniform(-0.4, 0.4), rng.uniform(0.4, 1.6), rng.uniform(-0.4, 0.4)}; }

TEST(ImplicitSurfaceGrad, OfARoundConeIsExact) {
  const ImplicitSurface surface({{0, 0, {0, 0.8, 0}, {0.05, 1.2, 0.1}, 0.2, 0.1}}, {{}}, false);
  Rng rng(1);
  for (int n = 0; n < 200; ++n) {
    const Vec3d point = random_point(rng);
    const FieldSample sample = surface.evaluate(point);
    EXPECT_LT(norm(sample.gradient - differences(surface, point)), 1e-6);
    EXPECT_NEAR(norm(sample.gradient), 1, 1e-9);
  }
}

TEST(ImplicitSurfaceGrad, OfConesThatMeltIsExact) {
  // One limb: the seam is of the same width everywhere.
  const ImplicitSurface surface(
      {{0, 0, {0, 0.7, 0}, {0, 1, 0}, 0.2, 0.15}, {1, 0, {0, 1, 0}, {0.2, 1.2, 0}, 0.15, 0.1}}, {{{}, 0, 1, 0.1, 0.1}},
      false);
  Rng rng(2);
  for (int n = 0; n < 200; ++n) {
    const Vec3d point = random_point(rng);
    EXPECT_LT(norm(surface.evaluate(point).gradient - differences(surface, point)), 1e-6);
  }
}

TEST(ImplicitSurfaceGrad, OfAFlatConeIsExactOnTheSurface) {
  // Elsewhere value and gradient are those of the distance to first order.
  RoundCone plate{0, 0, {-0.1, 1, 0}, {0.2, 1, 0.1}, 0.2, 0.1};
  plate.squash = {1, 0.3, 1}, plate.turn = axis_angle(Vec3d{0, 0, 1}, 0.4);
  const ImplicitSurface surface({plate}, {{}}, false);
  Rng rng(3);
  for (int n = 0; n < 100; ++n) {
    Vec3d point = random_point(rng);
    for (int k = 0; k < 40; ++k) point -= surface.evaluate(point).value * surface.evaluate(point).gradient;
    ASSERT_LT(std::abs(surface.evaluate(point).value), 1e-6);
    EXPECT_LT(norm(surface.evaluate(point).gradient - differences(surface, point)), 1e-3);
  }
}

TEST(ImplicitSurface, IsTheDistanceToARoundCone) {
  const ImplicitSurface ball({{0, 0, {0, 1, 0}, {0, 1, 0}, 0.3, 0.3}}, {{}}, false);
  EXPECT_NEAR(ball.evaluate({0, 1, 0}).value, -0.3, 1e-12);
  EXPECT_NEAR(ball.evaluate({0.5, 1, 0}).value, 0.2, 1e-12);
  const ImplicitSurface capsule({{0, 0, {0, 1, 0}, {0, 2, 0}, 0.3, 0.3}}, {{}}, false);
  EXPECT_NEAR(capsule.evaluate({0.5, 1.5, 0}).value, 0.2, 1e-12);
  EXPECT_NEAR(capsule.evaluate({0, 2.5, 0}).value, 0.2, 1e-12);
}

TEST(ImplicitSurface, MeltsLimbsIntoTheTrunkOnlyWhereTheyGrow) {
  const RoundCone trunk{0, 0, {0, 1, -0.5}, {0, 1, 0.5}, 0.2, 0.2};
  const auto with_limb = [&](Vec3d attach) {
    return ImplicitSurface({trunk, {1, 1, {0.15, 1, 0}, {0.6, 1, 0}, 0.1, 0.1}}, {{}, {attach, 0.1, 0.2, 0.02, 1e-6}},
                           false);
  };
  // In the corner between trunk and limb.
  const Vec3d corner{0.22, 1, 0.12};
  EXPECT_LT(with_limb({0.2, 1, 0.1}).evaluate(corner).value, 0);
  EXPECT_GT(with_limb({9, 9, 9}).evaluate(corner).value, 0);
}

TEST(ImplicitSurface, CutsSolesFlatAtTheGround) {
  const ImplicitSurface foot({{0, 0, {0, 0.1, 0}, {0, 0.5, 0}, 0.2, 0.2}}, {{}}, true);
  EXPECT_EQ(foot.lower().y, 0);
  EXPECT_GT(foot.evaluate({0, -0.02, 0}).value, 0);
  EXPECT_LT(foot.evaluate({0, 0.05, 0}).value, 0);
}

TEST(ImplicitSurface, FindsAllConesThatMatterNearAPoint) {
  std::vector<RoundCone> cones;
  Rng rng(5);
  for (int k = 0; k < 40; ++k) {
    const Vec3d a{rng.uniform(-1, 1), rng.uniform(0, 2), rng.uniform(-1, 1)};
    cones.push_back({k, k / 10, a, a + Vec3d{rng.uniform(-0.2, 0.2), 0.2, 0}, 0.1, 0.05});
  }
  const ImplicitSurface surface(cones, std::vector<Limb>(4), false);
  std::vector<int> all(cones.size()), subset;
  for (int k = 0; k < 40; ++k) all[static_cast<std::size_t>(k)] = k;
  std::size_t kept = 0;
  for (int n = 0; n < 100; ++n) {
    const Vec3d centre{rng.uniform(-1, 1), rng.uniform(0, 2), rng.uniform(-1, 1)};
    surface.nearby(centre, 0.1, all, subset);
    kept += subset.size();
    for (int k = 0; k < 10; ++k) {
      const Vec3d point = centre + Vec3d{rng.uniform(-0.05, 0.05), rng.uniform(-0.05, 0.05), rng.uniform(-0.05, 0.05)};
      EXPECT_EQ(surface.evaluate(point, subset).value, surface.evaluate(point).value);
    }
  }
  EXPECT_LT(kept, 100 * cones.size() / 2);  // or it would find nothing out
}

}  // namespace
}  // namespace limber::zoo
