// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/scene/cameras.h"
#include "limber/scene/ground.h"
#include "limber/scene/shadow.h"

/// How much a mesh darkens the ground below it (AKD appendix C, see GroundSettings). Private to `scene`.
namespace limber::scene {

class GroundShadow {
 public:
  /// Casts the triangles straight down, then blurs.
  void cast(std::span<const Vec3> points, std::span<const std::array<std::uint32_t, 3>> triangles, const Box& box,
            const GroundSettings& settings);

  bool empty() const { return values_.empty(); }
  const ShadowGrid& grid() const { return grid_; }
  std::span<const float> values() const { return values_; }  ///< for `shadow_forward`

 private:
  void lower(Vec3 point);
  void add_triangle(Vec3 a, Vec3 b, Vec3 c);
  void blur(float sigma_cells);

  ShadowGrid grid_;
  std::vector<float> values_;  ///< while casting, the height of the lowest point above
};

}  // namespace limber::scene
