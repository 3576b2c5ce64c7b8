// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "limber/base/math.h"

namespace limber {

/// A triangle by its corners.
using Corners = std::array<Vec3d, 3>;

/// Whether two triangles pass through each other, not merely touching.
bool cross_each_other(const Corners& s, const Corners& t);

/// Pairs of triangles without a common corner that pass through each other, in order, each once. Time grows with the
/// triangles where they are of similar sizes.
std::vector<std::pair<std::uint32_t, std::uint32_t>> crossing_pairs(
    std::span<const Vec3d> points, std::span<const std::array<std::uint32_t, 3>> triangles);

}  // namespace limber
