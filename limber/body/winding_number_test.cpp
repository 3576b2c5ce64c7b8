// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/winding_number.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace limber::body {
namespace {

using Triangle = std::array<std::uint32_t, 3>;

const std::vector<Vec3> kCorners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                 {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
/// The unit cube, facing outwards; the last two triangles are its top.
const std::vector<Triangle> kCube{{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 4, 2}, {2, 4, 6},
                                  {1, 3, 5}, {3, 7, 5}, {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7}};
constexpr Vec3d kMiddle{0.5, 0.5, 0.5};

TEST(WindingNumber, IsOneInsideAndZeroOutside) {
  for (const Vec3d inside : {kMiddle, Vec3d{0.01, 0.5, 0.9}, Vec3d{0.99, 0.99, 0.99}}) {
    EXPECT_NEAR(winding_number(kCorners, kCube, inside), 1, 1e-12);
  }
  for (const Vec3d outside : {Vec3d{-0.01, 0.5, 0.5}, Vec3d{2, 2, 2}, Vec3d{0.5, -100, 0.5}}) {
    EXPECT_NEAR(winding_number(kCorners, kCube, outside), 0, 1e-12);
  }
}

TEST(WindingNumber, CountsWhatIsMissingByItsSolidAngle) {
  // Each face is a sixth of what the middle sees.
  const std::vector<Triangle> open(kCube.begin(), kCube.end() - 2);
  EXPECT_NEAR(winding_number(kCorners, open, kMiddle), 5.0 / 6, 1e-12);
}

TEST(WindingNumber, IsNegativeInsideOutAndAddsUpForTwoSurfaces) {
  std::vector<Triangle> turned = kCube;
  for (Triangle& t : turned) std::swap(t[1], t[2]);
  EXPECT_NEAR(winding_number(kCorners, turned, kMiddle), -1, 1e-12);
  std::vector<Triangle> twice = kCube;
  twice.insert(twice.end(), kCube.begin(), kCube.end());
  EXPECT_NEAR(winding_number(kCorners, twice, kMiddle), 2, 1e-12);
}

}  // namespace
}  // namespace limber::body
