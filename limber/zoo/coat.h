// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "limber/zoo/body_plan.h"
#include "limber/zoo/polygonise.h"

namespace limber::zoo {

/// A linear RGBA colour per point: dark back and light belly, the coat's pattern, socks, eyes and nose.
std::vector<Vec4> coat_colors(const BodyPlan& plan, const PolygonMesh& mesh, std::uint64_t seed);

/// Texture coordinates of a side view, both flanks alike, within 0 .. 1.
std::vector<Vec2> side_view_texcoords(const PolygonMesh& mesh);

}  // namespace limber::zoo
