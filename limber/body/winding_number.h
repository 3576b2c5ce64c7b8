// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "limber/base/math.h"

namespace limber::body {

/// How often a surface winds around a point: the solid angle that it is seen under, over 4 pi. One inside a closed
/// surface whose triangles face outwards, zero outside; in between where it has holes. Exact, one `atan2` per triangle
/// (van Oosterom and Strackee 1983).
double winding_number(std::span<const Vec3> points, std::span<const std::array<std::uint32_t, 3>> triangles,
                      Vec3d point);

}  // namespace limber::body
