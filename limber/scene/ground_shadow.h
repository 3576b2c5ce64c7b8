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

/// The shadow of a mesh on the ground below it, by AKD's law (see GroundSettings). Private to `scene`.
namespace limber::scene {

class GroundShadow {
 public:
  /// Casts the triangles straight down.
  void cast(std::span<const Vec3> points, std::span<const std::array<std::uint32_t, 3>> triangles, const Box& box,
            const GroundSettings& settings);

  bool empty() const { return darkness_.empty(); }
  /// How much darker the ground is at a place, 0 to 1.
  float at(float x, float z) const;
  Box bounds() const;  ///< of what is dark at all; y = 0

 private:
  void lower(float x, float z, float y);
  void add_triangle(Vec3 a, Vec3 b, Vec3 c);
  void blur(float sigma_cells);

  std::vector<float> darkness_;  ///< first the height of the lowest point above each cell
  int columns_ = 0, rows_ = 0;
  float left_ = 0, back_ = 0, cell_ = 1;
};

}  // namespace limber::scene
