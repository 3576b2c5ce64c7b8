// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/base/math.h"
#include "limber/skeleton/plan.h"

/// Bodies whose up is given are studied standing along +Y, as most of what is known of bodies has it, and what is found
/// is turned back. Private to `autorig`.
namespace limber::autorig {

/// The shortest rotation from `up` (any length, not zero) to +Y. Exact where `up` runs along an axis: the numbers of a
/// body change their places and signs alone.
Mat3d upright_from(Vec3 up);

std::vector<Vec3> turned(const std::vector<Vec3>& points, const Mat3d& turn);

/// The same plan in a turned space.
skeleton::SkeletonPlan turned(skeleton::SkeletonPlan plan, const Mat3d& turn);

}  // namespace limber::autorig
