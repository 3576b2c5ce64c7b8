// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "limber/base/math.h"
#include "limber/parts/surface_regions.h"

/// What meshes and pictures have in common on the way from colours to parts. Private to `parts`.
namespace limber::parts {

/// Triangles or pixels, their colours, and which of them touch.
struct RegionPieces {
  std::vector<Vec3d> colors, due;  ///< as painted; of a part that had its middle there
  std::vector<double> shares;      ///< of all of them together
  std::vector<int> loose;          ///< which of what hangs together this belongs to
  std::vector<std::vector<std::size_t>> neighbors;
};

/// A part for every piece, largest first, and the colours of parts.
struct JoinedRegions {
  std::vector<int> parts;
  std::vector<Vec3d> colors;
};

/// Joins neighbours, those first that change their colours least (Ward 1963, among neighbours only), until the next
/// step would spread them too far; then small ones, and those alike that do not touch.
JoinedRegions join_regions(const RegionPieces& pieces, const RegionSettings& settings);

}  // namespace limber::parts
