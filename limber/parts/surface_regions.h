// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/parts/surface_pictures.h"

/// From the colours that somebody painted to the parts of the mesh that they show.
namespace limber::parts {

/// A set of views as somebody painted their parts.
struct PaintedViews {
  SurfacePictures pictures;
  std::vector<Vec3> colors;  ///< per pixel, in the frame of the first set; zero where nothing is seen
};

struct RegionSettings {
  /// Two regions that touch stay apart where making them one would spread colours by more: shares of the surface times
  /// squares of distances in colour. Less: more parts.
  double least_spread = 5e-5;
  double least_share = 0.005;  ///< of the surface: smaller regions go to the most alike of their neighbours
  double alike = 0.045;        ///< regions of loose pieces of the mesh whose colours are nearer are one part
  /// A part has the colour of the place of its middle. How much it counts whether that of a region is where its colour
  /// says; 0: not at all.
  double middle_weight = 0.25;
  double mirrored = 0.9;  ///< where more of the surface has a counterpart, left and right are painted alike; 1: never
  double smoothness = 1;  ///< of borders, against what the colours of single triangles say
  int sweeps = 8;
};

/// A part for every triangle. Triangles take the mean colour of the pixels that show them, the more the more they face
/// them, and what nobody sees that of the nearest along the surface; then neighbours are joined, those first that
/// change their colours least (Ward 1963, among neighbours only). Numbers are consecutive, largest parts first.
std::vector<int> find_regions(std::span<const Vec3> points, std::span<const Triangle> triangles,
                              std::span<const PaintedViews> views, const RegionSettings& settings = {});

}  // namespace limber::parts
