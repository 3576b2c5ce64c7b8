// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/splat/harmonics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "limber/base/expect.h"
#include "limber/splat/camera.h"

namespace limber::splat {
namespace {

TEST(Harmonics, AreOrthonormalOnTheSphere) {
  constexpr int kSteps = 200;
  std::array<std::array<double, 16>, 16> products{};
  for (int i = 0; i < kSteps; ++i) {
    const double z = -1 + (i + 0.5) * 2 / kSteps, radius = std::sqrt(1 - z * z);
    for (int j = 0; j < kSteps; ++j) {
      const double angle = (j + 0.5) * 2 * kPi / kSteps;
      const auto b = harmonic_basis(3, Vec3d{radius * std::cos(angle), radius * std::sin(angle), z});
      for (std::size_t m = 0; m < 16; ++m) {
        for (std::size_t n = 0; n < 16; ++n) products[m][n] += b[m] * b[n] * 4 * kPi / (kSteps * kSteps);
      }
    }
  }
  for (std::size_t m = 0; m < 16; ++m) {
    for (std::size_t n = 0; n < 16; ++n) EXPECT_NEAR(products[m][n], m == n ? 1 : 0, 1e-3) << m << ", " << n;
  }
}

TEST(Harmonics, LowerDegreesAreTheBeginningOfHigherOnes) {
  const Vec3d direction = normalized(Vec3d{0.3, -0.5, 0.8});
  const auto all = harmonic_basis(3, direction);
  for (int degree = 0; degree < 3; ++degree) {
    const auto some = harmonic_basis(degree, direction);
    for (std::size_t k = 0; k < 16; ++k) EXPECT_EQ(some[k], k < std::size_t(harmonic_count(degree)) ? all[k] : 0);
  }
}

TEST(Harmonics, ColoursAreNeverNegative) {
  const std::vector<Vec3> coefficients{{-10, 0, 1}}, means{{0, 0, 1}};
  std::vector<Vec3> colors(1);
  colors_forward(0, coefficients, means, {0, 0, 0}, colors);
  EXPECT_EQ(colors[0].x, 0);
  EXPECT_NEAR(colors[0].y, 0.5, 1e-6);
  EXPECT_NEAR(colors[0].z, 0.5 + kHarmonic0, 1e-6);
  EXPECT_THROW(colors_forward(4, coefficients, means, {0, 0, 0}, colors), ContractError);
  EXPECT_THROW(colors_forward(1, coefficients, means, {0, 0, 0}, colors), ContractError);
}

TEST(Camera, LooksAtItsTargetWithUpUp) {
  const Camera camera = look_at({1, 2, 3}, {0, 1, 0}, {0, 1, 0}, 0.9f, 64, 48);
  const Vec3 target = camera.camera_from_world * Vec3{0, 1, 0};
  EXPECT_NEAR(target.x, 0, 1e-5);
  EXPECT_NEAR(target.y, 0, 1e-5);
  EXPECT_GT(target.z, 0);
  EXPECT_LT((camera.camera_from_world * Vec3{0, 1.1f, 0}).y, 0);  // y points down
  EXPECT_NEAR(determinant(camera.camera_from_world.linear), 1, 1e-5);
  const Vec3 eye = camera_center(camera);
  EXPECT_NEAR(eye.x, 1, 1e-5);
  EXPECT_NEAR(eye.z, 3, 1e-5);
  // Straight down works too.
  EXPECT_NEAR(determinant(look_at({0, 5, 0}, {0, 0, 0}, {0, 1, 0}, 0.9f, 8, 8).camera_from_world.linear), 1, 1e-5);
}

}  // namespace
}  // namespace limber::splat
