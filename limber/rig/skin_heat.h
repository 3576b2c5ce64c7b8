// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "limber/rig/skin_body.h"

namespace limber::rig {

struct HeatSettings {
  /// c of the heat equation with the true Laplacian: on a tube of radius d the step between two bones decays with the
  /// length d / sqrt(c). Pinocchio's 1 with its own scaling of the Laplacian equals 3 here.
  double stiffness = 3;
};

/// Heat equilibrium (Baran and Popovic 2007, section 4; AKD eq. 14), on the welded surface:
///   -Laplacian w_b + H w_b = H p_b
/// with one diagonal H = c / d^2 for all bones, d the distance to the nearest bone that a point sees through the solid,
/// and p_b its indicator. One factorisation serves all bones, and weights sum to one everywhere.
///
/// One row per welded point, `Influence::bone` counting `bones`; the heaviest 8.
std::vector<std::vector<Influence>> skin_heat(const SkinBody& body, std::span<const SkinBone> bones,
                                              const HeatSettings& settings = {});

}  // namespace limber::rig
