// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "limber/base/math.h"

namespace limber::parts {

/// A z-buffer for small pictures, of which a training needs thousands a second; pictures to look at are drawn by
/// `scene/mesh_raster.h`. One sample in the middle of each cell, both sides of triangles, on the calling thread. Keeps
/// its memory.
class PictureRaster {
 public:
  /// A point of the mesh on the screen, in cells from the upper left corner.
  struct Corner {
    float x = 0, y = 0;
    float inverse_depth = 0;  ///< not above zero: behind the camera
  };
  /// What is seen in a cell.
  struct Hit {
    std::int32_t triangle = -1;  ///< -1: nothing
    Vec3 barycentric;            ///< on the triangle itself, not on the screen
  };

  explicit PictureRaster(int size);

  /// Forgets what was drawn before; both lists must live as long as `hit` is asked. Indices of triangles are valid;
  /// those with a corner behind the camera or not finite are left out.
  void draw(std::span<const Corner> corners, std::span<const std::array<std::uint32_t, 3>> triangles);

  Hit hit(int x, int y) const;
  int size() const { return size_; }

 private:
  struct Cell {
    float inverse_depth = 0;
    std::int32_t triangle = -1;
    float w1 = 0, w2 = 0;  ///< of the second and third corner, on the screen
  };
  void fill(std::int32_t triangle, const Corner& a, const Corner& b, const Corner& c);

  int size_;
  std::span<const Corner> corners_;
  std::span<const std::array<std::uint32_t, 3>> triangles_;
  std::vector<Cell> cells_;
};

}  // namespace limber::parts
