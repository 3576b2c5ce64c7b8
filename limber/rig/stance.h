// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/base/math.h"
#include "limber/rig/facing.h"

/// What follows from a facing: how a body is stood up, and what a person should be told.
namespace limber::rig {

/// The shortest rotation from `up` (any length, not zero) to +Y. Exact where `up` runs along an axis: the numbers of a
/// body change their places and signs alone.
Mat3d upright_from(Vec3 up);

/// Whether a facing was rather assumed than found, so that a person should be told.
inline bool is_doubtful(const Facing& facing) { return facing.confidence < 0.5f; }

/// What was assumed, and which options change it, for a person.
std::string describe_assumption(const Facing& facing);

}  // namespace limber::rig
