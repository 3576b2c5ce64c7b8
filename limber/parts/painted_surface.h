// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/body/weld.h"
#include "limber/parts/surface_regions.h"

/// A mesh with the colours that pictures of it were painted in. Private to `surface_regions`.
namespace limber::parts {

/// Triangles of a welded surface.
struct PaintedSurface {
  struct Neighbor {
    std::size_t triangle;
    double border;  ///< length of the edge
  };
  body::WeldedSurface welded;
  std::vector<std::vector<Neighbor>> neighbors;
  std::vector<Vec3d> middles;
  std::vector<Vec3d> colors;   ///< that were painted
  std::vector<double> shares;  ///< of the whole area
  std::vector<int> loose;      ///< which piece of the mesh

  /// Without colours yet.
  PaintedSurface(std::span<const Vec3> points, std::span<const Triangle> triangles);

  /// The mean colour of the pixels that show a triangle, the more the more it faces them; what nobody sees takes after
  /// the nearest along the surface.
  void take_colors(std::span<const PaintedViews> views);

  /// Where left and right are mirror images of each other across the middle of x, both sides get the mean of what was
  /// painted on them; `share` of the surface must have a counterpart. Colours are those of `frame`. Whether it was so.
  bool mirror_colors(const CodeFrame& frame, double share);
};

}  // namespace limber::parts
