// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "limber/base/math.h"

namespace limber::metrics {

/// Pairs of triangles without a common corner that pass through each other. Triangles that merely touch do not count.
std::size_t self_intersections(std::span<const Vec3> points, std::span<const std::array<std::uint32_t, 3>> triangles);

}  // namespace limber::metrics
