// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/base/math.h"
#include "limber/body/body_shape.h"

/// How broad the parts of a body are. Private to `body` and `skeleton`.
namespace limber::body {

/// A body cut into slices of equal distance from its middle, measured inside (level sets, as of Lazarus and Verroust
/// 1999). Medial spheres tell how thick a fin, a cape or a shield is; slices tell how broad.
class SliceWidths {
 public:
  explicit SliceWidths(const BodyShape& body);

  /// A connected piece of the body between two distances from its middle.
  struct Slice {
    Vec3d middle;
    double breadth = 0;  ///< its longest side, were it a rectangle
  };
  /// The slice through a point of the body; one of breadth 0 where there is none.
  Slice at(Vec3d point) const;

 private:
  void flood(const BodyShape& body);
  void cut();
  void measure(const std::vector<std::size_t>& cells);
  template <class Visit>
  void visit_neighbours(std::size_t cell, const Visit& visit) const;
  long cell_of(Vec3d point) const;  ///< -1 outside of the grid
  Vec3d centre(std::size_t cell) const;

  VoxelGrid grid_;
  std::vector<float> distance_;  ///< per cell, from the body's middle; negative outside of the body
  std::vector<int> slice_;       ///< per cell, -1 outside
  std::vector<Slice> slices_;
};

}  // namespace limber::body
