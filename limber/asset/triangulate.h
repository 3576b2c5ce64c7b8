// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "limber/base/math.h"

namespace limber::asset {

/// Cuts a polygon of `n` corners into always `n - 2` triangles of corner numbers, by ear clipping (Meisters 1975):
/// convex polygons become a fan about the first corner, concave ones are covered without overlap, and degenerate ones
/// are cut somehow. Polygons of more than 256 corners are taken as convex, to bound the time.
std::vector<std::array<std::uint32_t, 3>> triangulate_polygon(std::span<const Vec3> corners);

}  // namespace limber::asset
