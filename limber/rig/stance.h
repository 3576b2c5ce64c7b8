// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/base/math.h"
#include "limber/base/warning.h"
#include "limber/rig/facing.h"

/// What follows from a facing: how a body is stood up, and what a person should be told.
namespace limber::rig {

/// The shortest rotation from `up` (any length, not zero) to +Y. Exact where `up` runs along an axis: the numbers of a
/// body change their places and signs alone.
Mat3d upright_from(Vec3 up);

/// Of the 24 turns that take axes to axes, the one after which what stood along `up` and looked along `forward` stands
/// along +Y and looks along +Z, as nearly as after any. Exact: numbers change their places and signs alone.
Mat3d nearest_axes(Vec3d up, Vec3d forward);

/// Whether a facing was rather assumed than found, so that a person should be told.
inline bool is_doubtful(const Facing& facing) { return facing.confidence < 0.5f; }

/// What was assumed, and which fields change it.
Warning warn_of_assumption(const Facing& facing);
/// Up and forward as numbers of a warning: "up_x" and so on.
std::vector<std::pair<std::string, double>> directions_of(const Facing& facing);

}  // namespace limber::rig
