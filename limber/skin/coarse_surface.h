// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "limber/body/weld.h"

/// A surface with fewer points, to solve smooth things on. Private to `skin`.
namespace limber::skin {

struct CoarseSurface {
  std::vector<Vec3> points;
  std::vector<body::Triangle> triangles;
};

/// Merges the points of each piece that lie in the same cell of a grid, so that about `points` remain; pieces are never
/// merged with each other. Linear in the size of the input.
CoarseSurface coarsen(const body::WeldedSurface& surface, std::size_t points);

}  // namespace limber::skin
