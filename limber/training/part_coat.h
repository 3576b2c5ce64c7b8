// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/base/rng.h"

/// Colours for bodies that have none, or others than they have.
namespace limber::training {

/// Colours as displays show them of linear ones.
std::vector<Vec3> display_colors(std::span<const Vec4> linear);

/// A colour per point: plain or in waves of another one, sometimes with parts in colours of their own, as clothes are.
/// `parts` numbers the part of each point.
std::vector<Vec3> draw_coat(std::span<const Vec3> points, std::span<const std::uint8_t> parts, Rng& rng);

/// The same coat, darker or lighter, of another tint.
void tint(std::vector<Vec3>& colors, Rng& rng);

}  // namespace limber::training
