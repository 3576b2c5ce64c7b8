// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/skin/skin_body.h"

namespace limber::skin {

struct HeatSettings {
  /// c of the heat equation with the true Laplacian: on a tube of radius d the step between two bones decays with the
  /// length d / sqrt(c). Pinocchio's 1 with its own scaling of the Laplacian equals 3 here.
  double stiffness = 3;
};

/// How points are bound to bones before anything is smoothed: what the solvers start from.
struct BoneBinding {
  std::vector<std::vector<int>> bones;  ///< per welded point: its nearest, several where they tie; counts `bones`
  std::vector<double> distance;         ///< per welded point: to that bone
  std::vector<char> hidden;             ///< per welded point: the way to it runs outside of the body for the most part
  std::vector<char> inward;             ///< per welded point: seen, and on the inner side of the surface
  std::vector<int> fed;                 ///< bones that had no points of their own and were given some
};

/// The nearest bone of every point. Distances are longer where the way leaves the body, and where the surface faces the
/// bone instead of turning its back to it (a bone in front of a surface is in another limb). A bone deep in a thick
/// trunk that is nowhere the nearest gets the points where it is nearest relative to its depth.
BoneBinding bind_to_bones(const SkinBody& body, std::span<const SkinBone> bones);

/// Heat equilibrium (Baran and Popovic 2007, section 4; AKD eq. 14), on the welded surface:
///   -Laplacian w_b + H w_b = H p_b
/// with one diagonal H = c / d^2 for all bones, d the distance to the nearest bone, zero where it is hidden, and p_b
/// the nearest bone's indicator. One factorisation serves all bones, and weights sum to one everywhere. A component
/// whose points see no bone is bound to those nearest to it all the same.
///
/// One row per welded point, `Influence::bone` counting `bones`; the heaviest kMaxInfluences.
std::vector<std::vector<rig::Influence>> skin_heat(const SkinBody& body, std::span<const SkinBone> bones,
                                                   const BoneBinding& binding, const HeatSettings& settings = {});

}  // namespace limber::skin
